// PutItem: writes a whole item, replacing what was there.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> PutItem(RequestContext& context, const wire::PutItemInput& request);

}  // namespace armature::api
