// The text of a position in a journal: a stream's SequenceNumber.
//
// 21 digits, a one in front, so that numbers compare alike as text and as integers. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace armature::model {

void AppendSequenceNumber(uint64_t position, std::string& out);
std::string SequenceNumber(uint64_t position);
// A number no position can reach is the last position, one below all of them 0. Nothing: not a number.
std::optional<uint64_t> ParseSequenceNumber(std::string_view text);

}  // namespace armature::model
