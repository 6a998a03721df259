// Query: the items of one partition key, of a table or index, in sort order.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> Query(RequestContext& context, const wire::QueryInput& request);

}  // namespace armature::api
