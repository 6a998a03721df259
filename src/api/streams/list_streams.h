// ListStreams: the streams that can be read, of an account and Region or of one table.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> ListStreams(RequestContext& context, const wire::ListStreamsInput& request);

}  // namespace armature::api
