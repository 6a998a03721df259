// DescribeLimits: the account's and tables' capacity quotas.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> DescribeLimits(RequestContext& context, const wire::DescribeLimitsInput& request);

}  // namespace armature::api
