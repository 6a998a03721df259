// DeleteItem: removes one item by its key; removing what is not there succeeds.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> DeleteItem(RequestContext& context, const wire::DeleteItemInput& request);

}  // namespace armature::api
