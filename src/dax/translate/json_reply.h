// JSON replies: what DynamoDB answered, as the bytes a DAX client gets (8 of the protocol), and for the cache.
//
// Pure but for attribute lists: items leave without names, so lists are made for them (AttributeLists::Intern); the
// answer may be sent when they are settled. Used by node/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "dax/attributes/attribute_lists.h"
#include "dax/table_schema.h"
#include "dax/translate/parsed_request.h"
#include "model/api_error.h"

namespace armature::dax {

// An item as caches keep it: its key and its blob (5.2, 5.4 of the protocol) without the heads of the byte strings,
// always the same bytes for equal values.
struct ReplyItem {
  std::string_view table;
  std::string_view key;
  std::string_view blob{};
  bool is_found = true;  // false: there is no such item, and no blob
};

// What a reply tells about whole items. Bytes are in the arena.
struct ReplyItems {
  // GetItem: the item, found or not. BatchGetItem: those that were found. TransactGetItems: one for each member, found
  // or not. UpdateItem that was asked for ALL_NEW: the new item. Nothing of projections, queries and scans.
  std::vector<ReplyItem> items;
  // Of BatchGetItem: keys that were not read, without blobs.
  std::vector<ReplyItem> unprocessed;
  // Of BatchWriteItem: clients cannot read that a put is left to be done. Who sees one asks again (RetryOfBatchWrite),
  // or fails the call.
  size_t unprocessed_puts = 0;
};

struct ReplyContext {
  const ParsedRequest& request;
  std::span<const TableSchemaPtr> schemas;  // of TablesOf(request)
  AccountLists lists;
  Arena& arena;
  // What JsonRequestOptions had.
  std::optional<ReturnValues> return_values = std::nullopt;
  // Of BatchGetItem: items that need not be read, because a cache has them. The request is about the others.
  std::span<const ReplyItem> cached = {};
  // Of a page: whether what it has consumed is told; of one that will be answered from a cache it is not.
  bool tells_capacity = true;
};

// Appends the answer, from its `80` on. An error, after which `out` is as it was: the reply is not DynamoDB's.
model::ApiResult<void> AppendReply(std::string& out, std::string_view json, const ReplyContext& context,
                                   ReplyItems& items);

// What a GetItem is answered that a cache has: no blob means that there is no item.
void AppendCachedItem(std::string& out, std::optional<std::string_view> blob);

// The request for what is left of a BatchWriteItem, if its reply says that something is.
std::optional<std::string> RetryOfBatchWrite(std::string_view reply_json, std::string_view request_json);

}  // namespace armature::dax
