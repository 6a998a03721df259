// BatchWriteItem: up to 25 puts and deletes in several tables, each by itself.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> BatchWriteItem(RequestContext& context, const wire::BatchWriteItemInput& request);

}  // namespace armature::api
