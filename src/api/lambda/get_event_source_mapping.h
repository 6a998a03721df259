// GetEventSourceMapping: one trigger.
#pragma once

#include "api/lambda/rest_request.h"
#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"

namespace armature::api::lambda {

Task<model::ApiResult<void>> GetEventSourceMapping(RequestContext& context, RestRequest& request);

}  // namespace armature::api::lambda
