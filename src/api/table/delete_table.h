// DeleteTable: removes a table with all its items.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> DeleteTable(RequestContext& context, const wire::DeleteTableInput& request);

}  // namespace armature::api
