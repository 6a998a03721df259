// The text of a place in a journal: a stream's SequenceNumber.
//
// A one, the position in 20 digits, the partition in 17: numbers of an item rise, compare alike as text and as
// integers, and no two records of a stream have the same, though two partitions have the same positions. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace armature::model {

// REQUIRES: the partition has seven bytes (storage/partition.h).
void AppendSequenceNumber(uint64_t position, uint64_t partition, std::string& out);
std::string SequenceNumber(uint64_t position, uint64_t partition);
// Its position. A number no position can reach is the last position, one below all of them 0. Nothing: not a number.
std::optional<uint64_t> ParseSequenceNumber(std::string_view text);

}  // namespace armature::model
