// GetShardIterator: where in a shard to start reading.
#include <algorithm>

#include "api/handlers.h"
#include "api/streams/shard_iterator.h"
#include "api/streams/stream_lookup.h"
#include "base/text/json_writer.h"
#include "model/messages/streams.h"
#include "model/sequence_number.h"

namespace armature::api {

using model::ApiResult;
using table::Lane;
using table::Position;
namespace messages = model::messages;

namespace {

Task<ApiResult<Position>> PositionOf(const RequestContext& context, const wire::GetShardIteratorInput& request,
                                     const table::Table& table, const Lane& lane) {
  const std::string_view type = *request.ShardIteratorType;
  if (type == "TRIM_HORIZON") co_return lane.trimmed;
  if (type == "LATEST") {
    const auto latest = co_await context.services.journal.Latest(table, lane.id);
    if (!latest) co_return model::FromStatus(latest.error());
    co_return *latest;
  }
  const auto position = model::ParseSequenceNumber(*request.SequenceNumber);
  if (!position || *position < lane.first || (!lane.is_open() && *position >= lane.end))
    co_return model::ValidationException(std::string(messages::kInvalidSequenceNumber));
  // The record itself must be there, even when reading starts behind it.
  if (*position < lane.trimmed) co_return TrimmedDataAccessException();
  co_return type == "AFTER_SEQUENCE_NUMBER" ? *position + 1 : *position;
}

ApiResult<void> CheckSequenceNumber(const wire::GetShardIteratorInput& request) {
  const bool needs_number = request.ShardIteratorType->ends_with("SEQUENCE_NUMBER");
  if (needs_number && !request.SequenceNumber)
    return model::ValidationException(std::string(messages::kSequenceNumberMissing));
  if (!needs_number && request.SequenceNumber)
    return model::ValidationException(std::string(messages::kSequenceNumberNotWanted));
  return {};
}

}  // namespace

Task<ApiResult<void>> GetShardIterator(RequestContext& context, const wire::GetShardIteratorInput& request) {
  ARMATURE_CO_CHECK_OK(CheckSequenceNumber(request));
  ARMATURE_CO_TRY(const auto ref, FindStream(context, *request.StreamArn));
  ARMATURE_CO_TRY(const Lane* const lane, FindShard(ref, *request.ShardId));
  ARMATURE_CO_TRY(const Position position, co_await PositionOf(context, request, *ref.table, *lane));
  context.body += R"({"ShardIterator":")";
  AppendShardIterator({*request.StreamArn, lane->id, position, context.now_millis}, context.body);
  context.body += R"("})";
  co_return ApiResult<void>{};
}

}  // namespace armature::api
