// TransactGetItems: up to 100 items of several tables, all as of one moment.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> TransactGetItems(RequestContext& context, const wire::TransactGetItemsInput& request);

}  // namespace armature::api
