// ListEventSourceMappings: the triggers of a stream, of a function, or all; a page at a time.
#pragma once

#include "api/lambda/rest_request.h"
#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"

namespace armature::api::lambda {

Task<model::ApiResult<void>> ListEventSourceMappings(RequestContext& context, RestRequest& request);

}  // namespace armature::api::lambda
