// UpdateTimeToLive: turns the expiry of items on or off.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> UpdateTimeToLive(RequestContext& context, const wire::UpdateTimeToLiveInput& request);

}  // namespace armature::api
