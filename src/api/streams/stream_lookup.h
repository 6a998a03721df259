// From a stream's ARN to the stream, and what the four operations check alike.
#pragma once

#include <string_view>

#include "api/request_context.h"
#include "model/api_error.h"
#include "table/journal/journal.h"
#include "wire/requests.h"

namespace armature::api {

// ValidationException: no ARN of a stream; ResourceNotFoundException: none that can be read; AccessDeniedException: not
// by this caller.
model::ApiResult<table::Journal::StreamRef> FindStream(const RequestContext& context, std::string_view arn);

// The limit asked for, at most and by default `most`.
model::ApiResult<size_t> StreamLimit(const wire::Opt<int64_t>& requested, size_t most);

// The shard of a stream; ResourceNotFoundException if it has none of that id.
model::ApiResult<const table::Lane*> FindShard(const table::Journal::StreamRef& ref, std::string_view shard_id);

model::ApiError TrimmedDataAccessException();

}  // namespace armature::api
