// Options: what stands behind the positional values of a message, by number (5.5 of the protocol).
//
// Views into the message. An option nobody knows is refused: who ignored it might leave out a condition. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/memory/arena.h"
#include "base/result.h"
#include "dax/codec/cbor.h"

namespace armature::dax {

// ReturnValues as clients number them; also how the node asks for others than its client did.
enum class ReturnValues : int64_t { kNone = 1, kAllOld = 2, kUpdatedOld = 3, kAllNew = 4, kUpdatedNew = 5 };

// Absent: not sent.
struct Options {
  std::optional<std::string_view> projection;
  std::optional<bool> consistent_read;
  std::optional<int64_t> return_consumed_capacity;
  std::optional<std::string_view> condition;
  std::optional<int64_t> return_item_collection_metrics;
  std::optional<int64_t> return_values;
  std::optional<std::string_view> update;
  std::optional<std::string_view> exclusive_start_key;
  std::optional<std::string_view> filter;
  std::optional<std::string_view> index_name;
  std::optional<int64_t> limit;
  std::optional<bool> scan_index_forward;
  std::optional<int64_t> select;
  std::optional<int64_t> segment;
  std::optional<int64_t> total_segments;
  std::optional<std::string_view> client_request_token;
};

// Null or a map, definite or not. A wrong type turns the reader bad; kInvalidArgument: an option that is not known.
Status ReadOptions(CborReader& reader, Arena& arena, Options& options);

}  // namespace armature::dax
