#include "api/transact/transact_write_items.h"

#include <memory>
#include <vector>

#include "api/batch/write_metrics.h"
#include "api/item/item_reply.h"
#include "api/transact/cancellation.h"
#include "api/transact/transact_actions.h"
#include "api/transact/transaction_outcome.h"
#include "model/messages.h"
#include "wire/attribute_json.h"

namespace armature::api {

using model::ApiResult;

namespace {

using Actions = std::vector<TransactAction>;

std::unique_ptr<table::ItemWrite[]> MakeWrites(const Actions& actions) {
  auto writes = std::make_unique<table::ItemWrite[]>(actions.size());
  for (size_t i = 0; i < actions.size(); ++i) {
    const TransactAction& action = actions[i];
    writes[i].kind = action.kind;
    writes[i].table = action.table.get();
    writes[i].key = action.key;
    writes[i].condition = action.bound.condition;
    writes[i].update = action.bound.update;
    if (action.kind != TransactAction::Kind::kPut) continue;
    writes[i].put_item = action.attributes->item();
    writes[i].put_item_size = action.item_size;
  }
  return writes;
}

CancellationReason ReasonOf(const TransactAction& action, const table::ItemWrite& write) {
  CancellationReason reason;
  if (write.failure) {
    reason.code = "ItemCollectionSizeLimitExceeded";
    reason.message = write.failure->message;
  } else if (!write.condition_held) {
    reason.code = "ConditionalCheckFailed";
    reason.message = model::messages::kConditionalRequestFailed;
    if (Asks(action.return_on_failure, "ALL_OLD") && write.old_exists)
      wire::AppendItemAsJson(write.old_item, reason.item_json);
  }
  return reason;
}

// A repeated request changes nothing and costs the reading of its items.
Task<ApiResult<void>> AnswerReplay(RequestContext& context, const wire::TransactWriteItemsInput& request,
                                   const Actions& actions) {
  std::vector<TransactedItem> items;
  for (const auto& action : actions) items.push_back({action.table_name, action.table.get(), action.key});
  std::vector<ConsumedCapacity> consumed;
  if (Asks(request.ReturnConsumedCapacity, "TOTAL") || Asks(request.ReturnConsumedCapacity, "INDEXES")) {
    ARMATURE_CO_TRY(consumed, co_await ReplayCapacity(context, items));
  }
  JsonWriter json(context.body);
  json.BeginObject();
  WriteConsumedCapacities(json, request.ReturnConsumedCapacity, consumed, CapacityKind::kRead);
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace

Task<ApiResult<void>> TransactWriteItems(RequestContext& context, const wire::TransactWriteItemsInput& request) {
  ARMATURE_CO_TRY(auto actions, MakeActions(request, *context.wording, context.arena));
  ARMATURE_CO_CHECK_OK(CheckActions(context, actions));

  table::TokenStore::Begun token;
  if (request.ClientRequestToken) {
    const table::ParameterHash parameters = table::HashParameters(CanonicalParameters(actions));
    auto begun = co_await context.services.tokens.Begin(TokenId(context, "", *request.ClientRequestToken), parameters);
    if (!begun) co_return model::FromStatus(begun.error());
    token = std::move(*begun);
    switch (token.state) {
      case table::TokenStore::State::kNew: break;
      case table::TokenStore::State::kDone: co_return co_await AnswerReplay(context, request, actions);
      case table::TokenStore::State::kMismatch: co_return IdempotentParameterMismatchException();
      case table::TokenStore::State::kRunning: co_return TransactionInProgressException();
    }
  }

  const auto writes = MakeWrites(actions);
  const std::span<table::ItemWrite> all(writes.get(), actions.size());
  ARMATURE_CO_TRY(const bool is_done, co_await context.services.writes.ExecuteTransaction(
                                          all, request.ClientRequestToken ? &token.changes : nullptr, context.arena));
  if (!is_done) co_return WhyCancelled(all, [&](size_t i) { return ReasonOf(actions[i], writes[i]); });

  std::vector<NamedWrite> done;
  for (size_t i = 0; i < actions.size(); ++i) done.push_back({actions[i].table_name, &writes[i]});
  JsonWriter json(context.body);
  json.BeginObject();
  WriteConsumedCapacities(json, request.ReturnConsumedCapacity, CapacityByTable(done, kTransactionFactor),
                          CapacityKind::kWrite);
  if (Asks(request.ReturnItemCollectionMetrics, "SIZE")) WriteItemCollections(json, done);
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
