// GetRecords: the next records of a shard.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> GetRecords(RequestContext& context, const wire::GetRecordsInput& request);

}  // namespace armature::api
