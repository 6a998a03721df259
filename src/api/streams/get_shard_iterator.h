// GetShardIterator: where in a shard to start reading.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> GetShardIterator(RequestContext& context, const wire::GetShardIteratorInput& request);

}  // namespace armature::api
