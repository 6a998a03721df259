// UpdateTable: changes a table's settings.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> UpdateTable(RequestContext& context, const wire::UpdateTableInput& request);

}  // namespace armature::api
