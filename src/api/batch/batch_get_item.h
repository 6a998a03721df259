// BatchGetItem: up to 100 items of several tables.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> BatchGetItem(RequestContext& context, const wire::BatchGetItemInput& request);

}  // namespace armature::api
