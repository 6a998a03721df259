// TagResource: sets tags on a table.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> TagResource(RequestContext& context, const wire::TagResourceInput& request);

}  // namespace armature::api
