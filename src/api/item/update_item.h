// UpdateItem: changes attributes of one item, creating it if it is not there.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> UpdateItem(RequestContext& context, const wire::UpdateItemInput& request);

}  // namespace armature::api
