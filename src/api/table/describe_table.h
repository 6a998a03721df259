// DescribeTable: tells everything about a table.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> DescribeTable(RequestContext& context, const wire::DescribeTableInput& request);

}  // namespace armature::api
