// CreateTable: makes a new table.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> CreateTable(RequestContext& context, const wire::CreateTableInput& request);

}  // namespace armature::api
