// UpdateKinesisStreamingDestination: changes how finely the times in Kinesis records are told.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> UpdateKinesisStreamingDestination(
    RequestContext& context, const wire::UpdateKinesisStreamingDestinationInput& request);

}  // namespace armature::api
