#include "api/partiql/execute_transaction.h"

#include <memory>
#include <vector>

#include "api/batch/write_metrics.h"
#include "api/item/item_reply.h"
#include "api/partiql/select_read.h"
#include "api/partiql/statement_write.h"
#include "api/partiql/transaction_members.h"
#include "api/transact/transaction_outcome.h"
#include "model/messages.h"
#include "model/messages_partiql.h"
#include "table/capacity.h"
#include "wire/attribute_json.h"

namespace armature::api {

using model::ApiResult;
using partiql::StatementKind;
namespace messages = model::messages;

namespace {

constexpr size_t kMaxItemsBytes = 4 << 20;

using Members = std::vector<TransactionMember>;

// All reads see one moment.
Task<ApiResult<void>> ReadAll(RequestContext& context, const wire::ExecuteTransactionInput& request,
                              const Members& members) {
  const auto snapshot = context.services.engine.TakeSnapshot();
  std::vector<ConsumedCapacity> consumed;
  size_t total_size = 0;
  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("Responses");
  json.BeginArray();
  for (const TransactionMember& member : members) {
    table::ItemRead read;
    read.table = member.bound.table.get();
    read.key = member.target.key;
    read.at.snapshot = snapshot.get();
    ARMATURE_CO_CHECK_OK(co_await context.services.reads.Get(read));
    ARMATURE_CO_TRY(const auto selected, DecodeSelected(member.bound, read.found, read.record(), context.arena));
    json.BeginObject();
    if (selected.item && !selected.item->empty()) WriteItemMember(json, "Item", *selected.item);
    json.EndObject();
    total_size += selected.item_size;
    if (total_size > kMaxItemsBytes)
      co_return model::ValidationException(std::string(messages::kTransactItemsTooLarge));
    const auto units = kTransactionFactor * table::ReadUnits(selected.item_size, /*is_consistent=*/true);
    CapacityOf(consumed, member.bound.statement->table).table_units += units;
  }
  json.EndArray();
  WriteConsumedCapacities(json, request.ReturnConsumedCapacity, consumed, CapacityKind::kRead);
  json.EndObject();
  co_return ApiResult<void>{};
}

CancellationReason ReasonOf(const TransactionMember& member, const table::ItemWrite& write) {
  CancellationReason reason;
  if (write.failure) {
    reason.code = "ItemCollectionSizeLimitExceeded";
    reason.message = write.failure->message;
  } else if (!write.condition_held && member.bound.statement->kind == StatementKind::kInsert) {
    reason.code = "DuplicateItem";
    reason.message = messages::kPartiqlDuplicateItem;
  } else if (!write.condition_held) {
    reason.code = "ConditionalCheckFailed";
    reason.message = messages::kConditionalRequestFailed;
    if (Asks(member.request->ReturnValuesOnConditionCheckFailure, "ALL_OLD") && write.old_exists)
      wire::AppendItemAsJson(write.old_item, reason.item_json);
  }
  return reason;
}

// Writes have nothing to say, but say so.
void WriteNoResponses(JsonWriter& json) {
  json.Key("Responses");
  json.BeginArray();
  json.EndArray();
}

Task<ApiResult<void>> AnswerReplay(RequestContext& context, const wire::ExecuteTransactionInput& request,
                                   const Members& members) {
  std::vector<TransactedItem> items;
  for (const auto& member : members)
    items.push_back({member.bound.statement->table, member.bound.table.get(), member.target.key});
  std::vector<ConsumedCapacity> consumed;
  if (Asks(request.ReturnConsumedCapacity, "TOTAL") || Asks(request.ReturnConsumedCapacity, "INDEXES")) {
    ARMATURE_CO_TRY(consumed, co_await ReplayCapacity(context, items));
  }
  JsonWriter json(context.body);
  json.BeginObject();
  WriteNoResponses(json);
  WriteConsumedCapacities(json, request.ReturnConsumedCapacity, consumed, CapacityKind::kRead);
  json.EndObject();
  co_return ApiResult<void>{};
}

Task<ApiResult<void>> WriteAll(RequestContext& context, const wire::ExecuteTransactionInput& request,
                               const Members& members, const storage::Batch* token_changes) {
  const auto writes = std::make_unique<table::ItemWrite[]>(members.size());
  for (size_t i = 0; i < members.size(); ++i) FillWrite(members[i].bound, members[i].target, context.arena, writes[i]);
  const std::span<table::ItemWrite> all(writes.get(), members.size());
  ARMATURE_CO_TRY(const bool is_done,
                  co_await context.services.writes.ExecuteTransaction(all, token_changes, context.arena));
  if (!is_done) co_return WhyCancelled(all, [&](size_t i) { return ReasonOf(members[i], writes[i]); });

  std::vector<NamedWrite> done;
  for (size_t i = 0; i < members.size(); ++i) done.push_back({members[i].bound.statement->table, &writes[i]});
  JsonWriter json(context.body);
  json.BeginObject();
  WriteNoResponses(json);
  WriteConsumedCapacities(json, request.ReturnConsumedCapacity, CapacityByTable(done, kTransactionFactor),
                          CapacityKind::kWrite);
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace

Task<ApiResult<void>> ExecuteTransaction(RequestContext& context, const wire::ExecuteTransactionInput& request) {
  ARMATURE_CO_TRY(const auto members, CheckMembers(context, request));
  if (members.front().bound.statement->is_read()) co_return co_await ReadAll(context, request, members);

  table::TokenStore::Begun token;
  if (request.ClientRequestToken) {
    const table::ParameterHash parameters = table::HashParameters(CanonicalStatements(request));
    auto begun =
        co_await context.services.tokens.Begin(TokenId(context, "partiql", *request.ClientRequestToken), parameters);
    if (!begun) co_return model::FromStatus(begun.error());
    token = std::move(*begun);
    switch (token.state) {
      case table::TokenStore::State::kNew: break;
      case table::TokenStore::State::kDone: co_return co_await AnswerReplay(context, request, members);
      case table::TokenStore::State::kMismatch: co_return IdempotentParameterMismatchException();
      case table::TokenStore::State::kRunning: co_return TransactionInProgressException();
    }
  }
  co_return co_await WriteAll(context, request, members, request.ClientRequestToken ? &token.changes : nullptr);
}

}  // namespace armature::api
