// TransactWriteItems: up to 100 actions over several tables, all or nothing.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> TransactWriteItems(RequestContext& context, const wire::TransactWriteItemsInput& request);

}  // namespace armature::api
