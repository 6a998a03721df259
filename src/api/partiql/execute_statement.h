// ExecuteStatement: one PartiQL statement, a read or a write of one item.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> ExecuteStatement(RequestContext& context, const wire::ExecuteStatementInput& request);

}  // namespace armature::api
