// UntagResource: removes tags from a table.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> UntagResource(RequestContext& context, const wire::UntagResourceInput& request);

}  // namespace armature::api
