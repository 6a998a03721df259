#include "api/transact/transaction.h"

#include <algorithm>

#include "api/item/item_reply.h"
#include "model/messages/items.h"
#include "model/messages/requests.h"
#include "wire/json/attribute_json.h"

namespace armature::api {

using model::ApiResult;
using table::TokenStore;

namespace {

constexpr size_t kMaxItemsBytes = 4 << 20;

CancellationReason ConflictReason() {
  return {
      .code = "TransactionConflict", .message = std::string(model::messages::kTransactionConflict), .item_json = {}};
}

// Under which a client's token is kept.
std::string TokenId(const RequestContext& context, std::string_view space, std::string_view token) {
  std::string id(context.account);
  id.push_back('\0');
  id.append(context.region).push_back('\0');
  if (!space.empty()) id.append(space).push_back('\0');
  id.append(token);
  return id;
}

// Kept until the transaction is durable or given up; kNew or kDone.
Task<ApiResult<TokenStore::Begun>> TakeToken(RequestContext& context, const WriteTransaction& transaction) {
  const table::ParameterHash parameters = table::HashParameters(transaction.parameters());
  auto begun =
      co_await context.services.tokens.Begin(TokenId(context, transaction.token_space, *transaction.token), parameters);
  if (!begun) co_return model::FromStatus(begun.error());
  if (begun->state == TokenStore::State::kMismatch) co_return IdempotentParameterMismatchException();
  if (begun->state == TokenStore::State::kRunning) co_return TransactionInProgressException();
  co_return std::move(*begun);
}

// A repeated request changes nothing and costs the reading of its items: by table.
Task<ApiResult<TransactionOutcome>> Replay(RequestContext& context, const WriteTransaction& transaction) {
  TransactionOutcome outcome{.is_replay = true, .consumed = {}};
  for (const auto& [table_name, write] : transaction.named) {
    table::ItemRead read;
    read.table = write->table;
    read.key = write->key;
    read.is_transacted = true;
    ARMATURE_CO_CHECK_OK(co_await context.services.reads.Get(read));
    CapacityOf(outcome.consumed, table_name).table_units += read.read_units;
  }
  co_return outcome;
}

// Others are not looked at any more once one of the items is part of another transaction.
model::ApiError CancelledByConflict(std::span<const table::ItemWrite> items) {
  std::vector<CancellationReason> reasons(items.size());
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i].meets_transaction) reasons[i] = ConflictReason();
  return TransactionCanceledException(reasons);
}

// A fault of the house, or the first write that is not valid, or all that stood against it.
model::ApiError WhyCancelled(const WriteTransaction& transaction) {
  const std::span<const table::ItemWrite> writes = transaction.writes;
  const auto is_named = [](std::string_view name) {
    return [name](const table::ItemWrite& write) { return write.failure && write.failure->name == name; };
  };
  for (const auto& write : writes) {
    if (write.failure && !is_named("ValidationException")(write) &&
        !is_named("ItemCollectionSizeLimitExceededException")(write))
      return *write.failure;
  }
  const auto invalid = std::find_if(writes.begin(), writes.end(), is_named("ValidationException"));
  if (invalid != writes.end())
    return CancelledByValidation(static_cast<size_t>(invalid - writes.begin()), writes.size(), *invalid->failure);
  std::vector<CancellationReason> reasons;
  for (size_t i = 0; i < writes.size(); ++i) reasons.push_back(transaction.reason_of(i));
  return TransactionCanceledException(reasons);
}

}  // namespace

// --- reading

Task<ApiResult<void>> ReadTransaction(RequestContext& context, std::span<const TransactedRead> reads,
                                      const ShowItem& show,
                                      const wire::Opt<std::string_view>& return_consumed_capacity) {
  const auto together = std::make_unique<table::ItemWrite[]>(reads.size());
  for (size_t i = 0; i < reads.size(); ++i) {
    together[i].kind = table::ItemWrite::Kind::kCheck;
    together[i].table = reads[i].table;
    together[i].key = reads[i].key;
    together[i].wants_old_image = true;
  }
  const std::span<table::ItemWrite> all(together.get(), reads.size());
  ARMATURE_CO_TRY(const bool is_read, co_await context.services.writes.ReadTogether(all, context.arena));
  if (!is_read) co_return CancelledByConflict(all);
  std::vector<ConsumedCapacity> consumed;
  size_t total_size = 0;
  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("Responses");
  json.BeginArray();
  for (size_t i = 0; i < reads.size(); ++i) {
    json.BeginObject();
    // Other than with GetItem, an item of which nothing is wanted is not there.
    if (together[i].old_exists) {
      const model::Item shown = show(i, together[i].old_item);
      if (!shown.empty()) WriteItemMember(json, "Item", shown);
    }
    json.EndObject();
    total_size += together[i].old_size;
    if (total_size > kMaxItemsBytes)
      co_return model::ValidationException(std::string(model::messages::kTransactItemsTooLarge));
    CapacityOf(consumed, reads[i].table_name).table_units += together[i].table_units;
  }
  json.EndArray();
  WriteConsumedCapacities(json, return_consumed_capacity, consumed, CapacityKind::kRead);
  json.EndObject();
  co_return ApiResult<void>{};
}

// --- writing

Task<ApiResult<TransactionOutcome>> RunTransaction(RequestContext& context, const WriteTransaction& transaction) {
  TokenStore::Begun token;
  if (transaction.token) {
    ARMATURE_CO_TRY(token, co_await TakeToken(context, transaction));
    if (token.state == TokenStore::State::kDone) co_return co_await Replay(context, transaction);
  }
  ARMATURE_CO_TRY(const bool is_done,
                  co_await context.services.writes.ExecuteTransaction(
                      transaction.writes, transaction.token ? &token.changes : nullptr, context.arena));
  if (!is_done) co_return WhyCancelled(transaction);
  co_return TransactionOutcome{.is_replay = false, .consumed = CapacityByTable(transaction.named)};
}

void TransactionOutcome::WriteCapacity(JsonWriter& json,
                                       const wire::Opt<std::string_view>& return_consumed_capacity) const {
  WriteConsumedCapacities(json, return_consumed_capacity, consumed,
                          is_replay ? CapacityKind::kRead : CapacityKind::kWrite);
}

CancellationReason ReasonOf(const table::ItemWrite& write,
                            const wire::Opt<std::string_view>& return_values_on_failure) {
  CancellationReason reason;
  if (write.meets_transaction) {
    reason = ConflictReason();
  } else if (write.failure) {
    reason.code = "ItemCollectionSizeLimitExceeded";
    reason.message = write.failure->message;
  } else if (!write.condition_held) {
    reason.code = "ConditionalCheckFailed";
    reason.message = model::messages::kConditionalRequestFailed;
    if (Asks(return_values_on_failure, "ALL_OLD") && write.old_exists)
      wire::AppendItemAsJson(write.old_item, reason.item_json);
  }
  return reason;
}

}  // namespace armature::api
