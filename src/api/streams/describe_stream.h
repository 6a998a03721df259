// DescribeStream: a stream's state and its shards, a page at a time.
#pragma once

#include "api/request_context.h"
#include "base/async.h"
#include "model/api_error.h"
#include "wire/requests.h"

namespace armature::api {

Task<model::ApiResult<void>> DescribeStream(RequestContext& context, const wire::DescribeStreamInput& request);

}  // namespace armature::api
