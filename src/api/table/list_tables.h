// ListTables: names the caller's tables, page by page.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> ListTables(RequestContext& context, const wire::ListTablesInput& request);

}  // namespace armature::api
