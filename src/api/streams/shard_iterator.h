// ShardIterator: a place in a shard, as the opaque text clients carry around.
//
//   stream ARN | "|1|" | base64 of: lane, position and time of issue, 8 bytes each, and a checksum of 4
//
// Holds nothing in memory, so it outlives a restart; good for 15 minutes. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "table/lanes/journal_state.h"

namespace armature::api {

inline constexpr int64_t kIteratorLifeMillis = 15 * 60 * 1000;

struct ShardIterator {
  std::string_view stream_arn;
  table::LaneId lane = 0;
  table::Position position = 0;  // the next to read
  int64_t issued_millis = 0;
};

void AppendShardIterator(const ShardIterator& iterator, std::string& out);
// Nothing: not one of ours. The ARN points into `text`.
std::optional<ShardIterator> ParseShardIterator(std::string_view text);

}  // namespace armature::api
