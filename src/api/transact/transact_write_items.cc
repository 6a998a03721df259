// TransactWriteItems: up to 100 actions over several tables, all or nothing.
#include <memory>
#include <vector>

#include "api/handlers.h"
#include "api/reply_cost.h"
#include "api/transact/transact_actions.h"
#include "api/transact/transaction.h"

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

}  // namespace

Task<ApiResult<void>> TransactWriteItems(RequestContext& context, const wire::TransactWriteItemsInput& request) {
  ARMATURE_CO_TRY(auto actions, MakeActions(request, *context.wording, context.arena));
  ARMATURE_CO_CHECK_OK(CheckActions(context, request, actions));

  const auto writes = MakeWrites(actions);
  std::vector<NamedWrite> named;
  named.reserve(actions.size());
  for (size_t i = 0; i < actions.size(); ++i) named.push_back({actions[i].table_name, &writes[i]});
  const WriteTransaction transaction{
      .writes = {writes.get(), actions.size()},
      .named = named,
      .token_space = {},
      .token = request.ClientRequestToken,
      .parameters = [&] { return CanonicalParameters(actions); },
      .reason_of = [&](size_t i) { return ReasonOf(writes[i], actions[i].return_on_failure); }};
  ARMATURE_CO_TRY(const auto outcome, co_await RunTransaction(context, transaction));

  JsonWriter json(context.body);
  json.BeginObject();
  outcome.WriteCapacity(json, request.ReturnConsumedCapacity);
  if (!outcome.is_replay && Asks(request.ReturnItemCollectionMetrics, "SIZE")) WriteItemCollections(json, named);
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
