// TransactGetItems: up to 100 items of several tables, all as of one moment.
#include <memory>
#include <string>
#include <vector>

#include "api/handlers.h"
#include "api/item/distinct_items.h"
#include "api/item/expressions.h"
#include "api/item/key_checks.h"
#include "api/table_lookup.h"
#include "api/transact/cancellation.h"
#include "api/transact/transaction.h"
#include "expr/apply/projection.h"
#include "model/messages/items.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;

namespace {

struct Get {
  const wire::Get* request = nullptr;
  const expr::BoundProjection* projection = nullptr;
  std::shared_ptr<table::Table> table;
};

// Everything that needs no table.
ApiResult<std::vector<Get>> Validate(const wire::TransactGetItemsInput& request, const model::Wording& wording,
                                     Arena& arena) {
  std::vector<Get> gets;
  for (const auto& item : request.TransactItems) {
    const ExpressionParameters expressions(*item.Get, wording);
    ARMATURE_CHECK_OK(expressions.CheckParameters());
    if (item.Get->Key.first_error) return *item.Get->Key.first_error;
    ARMATURE_TRY(const auto bound, expressions.Bind(arena));
    gets.push_back({item.Get, bound.projection, nullptr});
  }
  return gets;
}

// Empty keys and repeated ones are faults of the request; a key that does not fit its table cancels for its action.
ApiResult<void> CheckAgainstTables(const RequestContext& context, const wire::TransactGetItemsInput& request,
                                   std::vector<Get>& gets) {
  for (auto& get : gets) {
    const auto touch = [&](AccessDetails& details) {
      details.Item(get.request->Key.item());
      if (get.projection) details.Paths(get.projection->paths);
      details.Returns(request);
      details.out.select = get.projection ? "SPECIFIC_ATTRIBUTES" : "ALL_ATTRIBUTES";
      details.out.enclosing_operation = "TransactGetItems";
    };
    ARMATURE_TRY(get.table, FindDataTable(context, *get.request->TableName, touch));
  }
  DistinctItems seen;
  for (const auto& get : gets) {
    const model::Item key = get.request->Key.item();
    if (!CheckKeyTypes(get.table->key_schema(), key)) continue;
    ARMATURE_CHECK_OK(CheckKeyValues(get.table->key_schema(), key));
    if (!seen.Add(get.table->id(), key))
      return ValidationException(std::string(model::messages::kTransactSameItemTwice));
  }
  for (size_t i = 0; i < gets.size(); ++i) {
    if (auto checked = CheckKeyTypes(gets[i].table->key_schema(), gets[i].request->Key.item()); !checked)
      return CancelledByValidation(i, gets.size(), checked.error());
  }
  return {};
}

}  // namespace

Task<ApiResult<void>> TransactGetItems(RequestContext& context, const wire::TransactGetItemsInput& request) {
  ARMATURE_CO_TRY(auto gets, Validate(request, *context.wording, context.arena));
  ARMATURE_CO_CHECK_OK(CheckAgainstTables(context, request, gets));

  std::vector<TransactedRead> reads;
  reads.reserve(gets.size());
  for (const auto& get : gets) reads.push_back({*get.request->TableName, get.table.get(), get.request->Key.item()});
  const ShowItem show = [&](size_t i, model::Item item) {
    return gets[i].projection ? expr::Project(*gets[i].projection, item, context.arena) : item;
  };
  co_return co_await ReadTransaction(context, reads, show, request.ReturnConsumedCapacity);
}

}  // namespace armature::api
