#include "table/lanes/positions.h"

#include <fmt/format.h>

#include "model/sequence_number.h"

namespace armature::table {

std::string SequenceNumber(Position position) {
  std::string text;
  model::AppendSequenceNumber(position, text);
  return text;
}

std::optional<Position> ParseSequenceNumber(std::string_view text) { return model::ParseSequenceNumber(text); }

std::string ShardId(LaneId lane, int64_t created_millis) {
  return fmt::format("shardId-{:020}-{:08x}", created_millis, static_cast<uint32_t>(lane));
}

}  // namespace armature::table
