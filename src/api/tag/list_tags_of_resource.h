// ListTagsOfResource: reads a table's tags.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> ListTagsOfResource(RequestContext& context, const wire::ListTagsOfResourceInput& request);

}  // namespace armature::api
