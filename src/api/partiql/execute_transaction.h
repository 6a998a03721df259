// ExecuteTransaction: up to 100 statements, all reads or all writes, all or nothing.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> ExecuteTransaction(RequestContext& context, const wire::ExecuteTransactionInput& request);

}  // namespace armature::api
