// UpdateItem: changes attributes of one item, creating it if it is not there.
#include "api/handlers.h"
#include "api/item/expressions.h"
#include "api/item/item_reply.h"
#include "api/item/key_checks.h"
#include "api/table_lookup.h"
#include "expr/apply/update.h"
#include "expr/apply/update_charge.h"
#include "model/item_size.h"
#include "model/messages/items.h"
#include "table/index/index_changes.h"

namespace armature::api {

using model::ApiResult;

namespace {

ApiResult<BoundExpressions> Validate(const wire::UpdateItemInput& request, const model::Wording& wording,
                                     Arena& arena) {
  const ExpressionParameters expressions(request, wording);
  ARMATURE_CHECK_OK(expressions.CheckParameters());
  if (request.Key.first_error) return *request.Key.first_error;
  return expressions.Bind(arena);
}

// What ReturnValues shows; nothing to show leaves the member out.
model::Item ReturnedAttributes(const wire::UpdateItemInput& request, const table::ItemWrite& write, Arena& arena) {
  if (Asks(request.ReturnValues, "ALL_OLD")) return write.old_item;
  if (Asks(request.ReturnValues, "ALL_NEW")) return write.new_item;
  if (Asks(request.ReturnValues, "UPDATED_OLD")) return expr::ProjectUpdatedOld(*write.update, write.old_item, arena);
  if (Asks(request.ReturnValues, "UPDATED_NEW")) return expr::ProjectUpdatedNew(*write.update, write.new_item, arena);
  return {};
}

}  // namespace

Task<ApiResult<void>> UpdateItem(RequestContext& context, const wire::UpdateItemInput& request) {
  const auto validated = Validate(request, *context.wording, context.arena);
  if (!validated) co_return model::Told(*context.wording, validated.error());
  const BoundExpressions& bound = *validated;
  ARMATURE_CO_TRY(const auto table,
                  FindDataTable(context, *request.TableName, ItemTouch{request, request.Key.item(), bound}));
  ARMATURE_CO_CHECK_OK(CheckKey(table->key_schema(), request.Key.item()));
  const expr::BoundUpdate& update = bound.update ? *bound.update : expr::EmptyUpdate();
  const auto schema = table->schema();
  ARMATURE_CO_CHECK_OK(table::CheckIndexKeyLiterals(*schema, update, table::LiteralFaults::kAll));
  ARMATURE_CO_CHECK_OK(CheckUpdatePaths(*schema, update));
  ARMATURE_CO_CHECK_OK(CheckUpdateLeavesKey(table->key_schema(), update));
  if (bound.condition) ARMATURE_CO_CHECK_OK(CheckKeyPaths(*schema, bound.condition->paths));
  if (!update.is_legacy && expr::UpdateCharge(update) > model::kMaxItemBytes)
    co_return model::ValidationException(std::string(model::messages::kItemToUpdateTooLarge));

  table::ItemWrite write;
  write.kind = table::ItemWrite::Kind::kUpdate;
  write.table = table.get();
  write.key = request.Key.item();
  write.update = &update;
  write.condition = bound.condition;
  ARMATURE_CO_CHECK_OK(co_await context.services.writes.Execute(write, context.arena));
  co_return ReplyToWrite(context, request, write, [&] { return ReturnedAttributes(request, write, context.arena); });
}

}  // namespace armature::api
