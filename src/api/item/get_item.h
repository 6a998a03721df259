// GetItem: reads one item by its key.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> GetItem(RequestContext& context, const wire::GetItemInput& request);

}  // namespace armature::api
