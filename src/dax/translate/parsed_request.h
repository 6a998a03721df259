// ParsedRequest: a message of a DAX client, taken apart but not interpreted.
//
// Views into the message (or the arena, for what was sent in pieces). What needs a key schema or attribute names to be
// understood (keys, blobs, start keys, projections) is still bytes here. Plain data. Made by ReadRequest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "base/result.h"
#include "dax/codec/methods.h"
#include "dax/translate/request_options.h"

namespace armature::dax {

// What a member of TransactWriteItems does, as clients number it.
enum class TransactAction : int64_t { kPut = 2, kDelete = 7, kUpdate = 9, kConditionCheck = 12 };

// One item that a request is about: of single-item operations there is one, of batches and transactions many.
struct RequestItem {
  std::string_view table{};
  std::string_view key{};                             // as 5.2 of the protocol has it
  std::optional<std::string_view> blob{};             // what is put; none: a deletion, an update or a read
  std::optional<std::string_view> projection{};       // of a member of TransactGetItems
  std::optional<std::string_view> condition{};        // of a member of TransactWriteItems
  std::optional<std::string_view> update{};           // likewise
  int64_t action = 0;                                 // likewise: a TransactAction, if it is one
  std::optional<int64_t> return_values_on_failure{};  // likewise: 1 NONE, 2 ALL_OLD
};

// One table of BatchGetItem or BatchWriteItem; what is read or written of it are `items[first … first + count)`.
struct BatchTable {
  std::string_view table{};
  bool consistent_read = false;
  std::optional<std::string_view> projection{};
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

// The tables a request is about, in the order in which whoever translates it wants their schemas: of batches those of
// `tables`, of transactions one for each of `items`, of everything else the only one; none if it is about no table.
std::vector<std::string_view> TablesOf(const ParsedRequest& request);

// REQUIRES: the message is whole (codec/frame.h). kInvalidArgument: its values are not what the method wants; the
// message is fit for the client.
Result<ParsedRequest> ReadRequest(std::string_view message, Arena& arena);

}  // namespace armature::dax
