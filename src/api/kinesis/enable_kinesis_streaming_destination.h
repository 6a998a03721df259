// EnableKinesisStreamingDestination: starts sending a table's changes to a Kinesis data stream.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> EnableKinesisStreamingDestination(
    RequestContext& context, const wire::EnableKinesisStreamingDestinationInput& request);

}  // namespace armature::api
