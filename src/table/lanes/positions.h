// Positions and lanes of a journal, and what they are called on the wire.
//
// A position is a number from one rising counter per table; a lane is a hash range of the table with its own order. A
// stream's shard is a lane, its SequenceNumber a position. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace armature::table {

using LaneId = uint64_t;
using Position = uint64_t;

// 21 digits, comparable as text and as integers: "100000000000000000042".
std::string SequenceNumber(Position position);
// A number no position can reach is the last position, one below all of them 0. Nothing: not a number.
std::optional<Position> ParseSequenceNumber(std::string_view text);

// "shardId-" 20 digits "-" 8 hex digits; unique within a table, and in the order of the lanes.
std::string ShardId(LaneId lane, int64_t created_millis);

}  // namespace armature::table
