// UpdateEventSourceMapping: changes what the request names, and leaves the rest.
#pragma once

#include "api/lambda/rest_request.h"
#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"

namespace armature::api::lambda {

Task<model::ApiResult<void>> UpdateEventSourceMapping(RequestContext& context, RestRequest& request);

}  // namespace armature::api::lambda
