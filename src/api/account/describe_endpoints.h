// DescribeEndpoints: where this Region's DynamoDB can be reached.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> DescribeEndpoints(RequestContext& context, const wire::DescribeEndpointsInput& request);

}  // namespace armature::api
