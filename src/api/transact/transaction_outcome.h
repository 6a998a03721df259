// What becomes of a transaction that writes, whoever asked for it: why it was cancelled, what a repetition costs.
//
// Used by TransactWriteItems and ExecuteTransaction.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/consumed_capacity.h"
#include "api/request_context.h"
#include "api/transact/cancellation.h"
#include "base/async.h"
#include "model/api_error.h"
#include "model/value.h"
#include "table/write/item_write.h"

namespace armature::api {

// Only the table pays double in a transaction.
inline constexpr double kTransactionFactor = 2.0;

// Why a transaction was not done: a fault of the house, or the first write that is not valid, or all that stood against
// it, as `reason_of` says for each.
model::ApiError WhyCancelled(std::span<const table::ItemWrite> writes,
                             const std::function<CancellationReason(size_t)>& reason_of);

// An item of a transaction, and the table's name as the request has it.
struct TransactedItem {
  std::string_view table_name;
  table::Table* table = nullptr;
  model::Item key;
};

// A repeated request changes nothing and costs the reading of its items: by table.
Task<model::ApiResult<std::vector<ConsumedCapacity>>> ReplayCapacity(RequestContext& context,
                                                                     std::span<const TransactedItem> items);

// Under which a client's token is kept. Operations with tokens of their own have a `space` of their own.
std::string TokenId(const RequestContext& context, std::string_view space, std::string_view token);

}  // namespace armature::api
