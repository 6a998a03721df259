// DescribeTimeToLive: tells whether items of a table expire, and by which attribute.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> DescribeTimeToLive(RequestContext& context, const wire::DescribeTimeToLiveInput& request);

}  // namespace armature::api
