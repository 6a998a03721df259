// DescribeKinesisStreamingDestination: every Kinesis data stream a table sends, or has sent, its changes to.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> DescribeKinesisStreamingDestination(
    RequestContext& context, const wire::DescribeKinesisStreamingDestinationInput& request);

}  // namespace armature::api
