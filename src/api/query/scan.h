// Scan: all items of a table or index, in hash order, or one segment of them.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> Scan(RequestContext& context, const wire::ScanInput& request);

}  // namespace armature::api
