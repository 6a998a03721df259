// DeleteEventSourceMapping: the end of a trigger and of its progress.
#pragma once

#include "api/lambda/rest_request.h"
#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"

namespace armature::api::lambda {

Task<model::ApiResult<void>> DeleteEventSourceMapping(RequestContext& context, RestRequest& request);

}  // namespace armature::api::lambda
