// What the transactions of items and of PartiQL statements have in common: reads of one moment, client tokens, repeated
// requests, why a transaction was cancelled, what it costs.
//
// An operation checks its members and says how each is named, shown and explained; the rest is here, once. Used by
// api/transact and api/partiql.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/reply_cost.h"
#include "api/request_context.h"
#include "api/transact/cancellation.h"
#include "base/async.h"
#include "base/text/json_writer.h"
#include "model/api_error.h"
#include "model/value.h"
#include "table/write/item_write.h"
#include "wire/fields.h"

namespace armature::api {

// --- reading

// An item to read, and the table's name as the request has it.
struct TransactedRead {
  std::string_view table_name;
  table::Table* table = nullptr;
  model::Item key;
};

// What is shown of the i-th item.
using ShowItem = std::function<model::Item(size_t i, model::Item item)>;

// Reads all as of one moment and writes the whole reply: Responses and ConsumedCapacity. An item of which nothing is
// shown is answered as if it were not there.
Task<model::ApiResult<void>> ReadTransaction(RequestContext& context, std::span<const TransactedRead> reads,
                                             const ShowItem& show,
                                             const wire::Opt<std::string_view>& return_consumed_capacity);

// --- writing

struct WriteTransaction {
  std::span<table::ItemWrite> writes;
  std::span<const NamedWrite> named;  // the same, one for one
  // Operations with tokens of their own have a space of their own.
  std::string_view token_space;
  wire::Opt<std::string_view> token;
  std::function<std::string()> parameters;  // what makes two requests with one token the same, as bytes
  std::function<CancellationReason(size_t i)> reason_of;
};

// What to tell of a transaction that was carried out, now or by an earlier request with its token.
struct TransactionOutcome {
  bool is_replay = false;  // nothing was changed: the writes have not run
  std::vector<ConsumedCapacity> consumed;

  void WriteCapacity(JsonWriter& json, const wire::Opt<std::string_view>& return_consumed_capacity) const;
};

// Carries it out, unless its token says that it was. REQUIRES: `transaction` outlives the task.
Task<model::ApiResult<TransactionOutcome>> RunTransaction(RequestContext& context, const WriteTransaction& transaction);

// Why a write does not let its transaction be done; "None" if there is nothing against it.
CancellationReason ReasonOf(const table::ItemWrite& write, const wire::Opt<std::string_view>& return_values_on_failure);

}  // namespace armature::api
