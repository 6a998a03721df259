// DescribeStream: a stream's state and its shards, a page at a time.
#include <algorithm>
#include <vector>

#include "api/handlers.h"
#include "api/streams/stream_lookup.h"
#include "base/text/json_writer.h"
#include "model/messages/streams.h"
#include "model/names/arn.h"
#include "model/sequence_number.h"

namespace armature::api {

using model::ApiResult;
using table::Lane;

namespace {

constexpr size_t kMaxShards = 100;

std::string_view StreamStatus(const RequestContext& context, const table::StreamWindow& stream) {
  const int64_t delay = context.services.catalog.control_plane_delay_millis();
  if (stream.is_enabled()) return context.now_millis < stream.created_millis + delay ? "ENABLING" : "ENABLED";
  return context.now_millis < stream.disabled_millis + delay ? "DISABLING" : "DISABLED";
}

void WriteKeySchema(JsonWriter& json, const model::KeySchema& schema) {
  json.Key("KeySchema");
  json.BeginArray();
  const auto write = [&](const std::vector<model::KeyAttribute>& attributes, std::string_view role) {
    for (const auto& attribute : attributes) {
      json.BeginObject();
      json.Member("AttributeName", attribute.name);
      json.Member("KeyType", role);
      json.EndObject();
    }
  };
  write(schema.hash, "HASH");
  write(schema.range, "RANGE");
  json.EndArray();
}

void WriteShard(JsonWriter& json, const table::Journal::StreamRef& ref, const Lane& lane) {
  json.BeginObject();
  json.Member("ShardId", lane.shard_id());
  json.Key("SequenceNumberRange");
  json.BeginObject();
  json.Member("StartingSequenceNumber", model::SequenceNumber(lane.first, lane.partition));
  // Of one that has ended without a record: where it began.
  const table::Position last = std::max(lane.first, lane.end - 1);
  if (!lane.is_open()) json.Member("EndingSequenceNumber", model::SequenceNumber(last, lane.partition));
  json.EndObject();
  const Lane* parent = ref.state->FindLane(lane.parent);
  if (parent && ref.stream->Shows(*parent)) json.Member("ParentShardId", parent->shard_id());
  json.EndObject();
}

ApiResult<std::vector<const Lane*>> SelectShards(const table::Journal::StreamRef& ref,
                                                 const wire::DescribeStreamInput& request) {
  std::vector<const Lane*> lanes = ref.state->LanesOf(*ref.stream);
  if (request.ShardFilter) {
    if (!request.ShardFilter->Type || !request.ShardFilter->ShardId)
      return model::ValidationException(std::string(model::messages::kShardFilterIncomplete));
    ARMATURE_TRY(const Lane* const parent, FindShard(ref, *request.ShardFilter->ShardId));
    std::erase_if(lanes, [&](const Lane* lane) { return lane->parent != parent->id; });
  }
  // Shards are listed in the order of their ids, also behind one that is gone by now.
  if (request.ExclusiveStartShardId)
    std::erase_if(lanes, [&](const Lane* lane) { return lane->shard_id() <= *request.ExclusiveStartShardId; });
  return lanes;
}

}  // namespace

Task<ApiResult<void>> DescribeStream(RequestContext& context, const wire::DescribeStreamInput& request) {
  ARMATURE_CO_TRY(const size_t limit, StreamLimit(request.Limit, kMaxShards));
  ARMATURE_CO_TRY(const auto ref, FindStream(context, *request.StreamArn));
  ARMATURE_CO_TRY(const auto lanes, SelectShards(ref, request));
  const auto def = ref.table->def();
  const size_t count = std::min(limit, lanes.size());

  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("StreamDescription");
  json.BeginObject();
  json.Member("StreamArn", model::MakeStreamArn(def->Arn(), ref.stream->label));
  json.Member("StreamLabel", ref.stream->label);
  json.Member("StreamStatus", StreamStatus(context, *ref.stream));
  json.Member("StreamViewType", model::ViewTypeName(ref.stream->images));
  json.MemberTimestamp("CreationRequestDateTime", static_cast<double>(ref.stream->created_millis) / 1000.0);
  json.Member("TableName", def->name);
  WriteKeySchema(json, def->key_schema);
  json.Key("Shards");
  json.BeginArray();
  for (size_t i = 0; i < count; ++i) WriteShard(json, ref, *lanes[i]);
  json.EndArray();
  if (count < lanes.size()) json.Member("LastEvaluatedShardId", lanes[count - 1]->shard_id());
  json.EndObject();
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
