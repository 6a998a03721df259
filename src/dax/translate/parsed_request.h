// ParsedRequest: a message of a DAX client, taken apart but not interpreted.
//
// Views into the message (or the arena, for what was sent in pieces). What needs a key schema or attribute names to be
// understood (keys, blobs, start keys, projections) is still bytes here. Plain data. Made by ReadRequest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/memory/arena.h"
#include "base/result.h"
#include "dax/codec/methods.h"

namespace armature::dax {

// The options behind the positional values. Absent: not sent.
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

// One item that a request is about: of single-item operations there is one, of batches and transactions many.
struct RequestItem {
  std::string_view table;
  std::string_view key;                        // as 5.2 of the protocol has it
  std::optional<std::string_view> blob;        // what is put; none: a deletion, an update or a read
  std::optional<std::string_view> projection;  // of a member of TransactGetItems
  std::optional<std::string_view> condition;   // of a member of TransactWriteItems
  std::optional<std::string_view> update;      // likewise
  int64_t action = 0;                          // likewise: 2 Put, 7 Delete, 9 Update, 12 ConditionCheck
  int64_t return_values_on_failure = 0;        // likewise: 1 NONE, 2 ALL_OLD
};

// One table of a BatchGetItem; its keys are `items[first … first + count)`.
struct BatchTable {
  std::string_view table;
  bool consistent_read = false;
  std::optional<std::string_view> projection;
  size_t first = 0;
  size_t count = 0;
};

struct ParsedRequest {
  Method method{};
  // Of Query and Scan, and of defineKeySchema; of single-item operations also items[0].table.
  std::string_view table;
  std::optional<std::string_view> key_condition;
  std::span<const RequestItem> items;
  std::span<const BatchTable> tables;  // of BatchGetItem and BatchWriteItem
  Options options;
  // authorizeConnection
  std::string_view access_key_id, signature, string_to_sign, session_token, user_agent;
  // defineAttributeListId, defineAttributeList
  std::span<const std::string_view> names;
  uint64_t list_id = 0;
};

// REQUIRES: the message is whole (codec/frame.h). kInvalidArgument: its values are not what the method wants; the
// message is fit for the client.
Result<ParsedRequest> ReadRequest(std::string_view message, Arena& arena);

}  // namespace armature::dax
