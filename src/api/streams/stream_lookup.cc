#include "api/streams/stream_lookup.h"

#include <fmt/format.h>

#include "api/table_lookup.h"
#include "model/messages/streams.h"
#include "model/names/arn.h"

namespace armature::api {

using model::ApiResult;
namespace messages = model::messages;

ApiResult<table::Journal::StreamRef> FindStream(const RequestContext& context, std::string_view arn) {
  const auto parts = model::ParseStreamArn(arn);
  if (!parts) return model::ValidationException(std::string(messages::kInvalidStreamArn));
  ARMATURE_CHECK_OK(
      Authorize(context, {auth::ResourceKind::kStream, parts->region, parts->account, parts->table, parts->label}));
  if (IsReachable(context, parts->account, parts->region))
    if (auto found = context.services.journal.FindStream(arn)) return std::move(*found);
  return model::ResourceNotFoundException(fmt::format(messages::kStreamNotFound, arn));
}

ApiResult<size_t> StreamLimit(const wire::Opt<int64_t>& requested, size_t most) {
  const auto limit = static_cast<size_t>(requested.value_or(static_cast<int64_t>(most)));
  if (limit > most) return model::ValidationException(fmt::format(messages::kStreamLimitTooLarge, limit, most));
  return limit;
}

ApiResult<const table::Lane*> FindShard(const table::Journal::StreamRef& ref, std::string_view shard_id) {
  const table::Lane* lane = ref.state->FindShard(shard_id);
  if (!lane || !ref.stream->Shows(*lane))
    return model::ResourceNotFoundException(std::string(messages::kShardNotFound));
  return lane;
}

model::ApiError TrimmedDataAccessException() {
  model::ApiError error;
  error.name = "TrimmedDataAccessException";
  error.message = messages::kDataTrimmed;
  return error;
}

}  // namespace armature::api
