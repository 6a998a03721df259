// BatchExecuteStatement: up to 25 statements that each read or write one item, each by itself.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> BatchExecuteStatement(RequestContext& context,
                                                   const wire::BatchExecuteStatementInput& request);

}  // namespace armature::api
