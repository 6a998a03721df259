// DeleteItem: removes one item by its key; removing what is not there succeeds.
#include "api/handlers.h"
#include "api/item/expressions.h"
#include "api/item/item_reply.h"
#include "api/item/key_checks.h"
#include "api/table_lookup.h"
#include "model/messages/items.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;

namespace {

ApiResult<BoundExpressions> Validate(const wire::DeleteItemInput& request, const model::Wording& wording,
                                     Arena& arena) {
  const ExpressionParameters expressions(request, wording);
  ARMATURE_CHECK_OK(expressions.CheckParameters());
  if (request.Key.first_error) return *request.Key.first_error;
  if (request.ReturnValues && *request.ReturnValues != "ALL_OLD" && *request.ReturnValues != "NONE")
    return ValidationException(std::string(model::messages::kReturnValuesAllOldOrNone));
  return expressions.Bind(arena);
}

}  // namespace

Task<ApiResult<void>> DeleteItem(RequestContext& context, const wire::DeleteItemInput& request) {
  const auto validated = Validate(request, *context.wording, context.arena);
  if (!validated) co_return model::Told(*context.wording, validated.error());
  const BoundExpressions& bound = *validated;
  ARMATURE_CO_TRY(const auto table,
                  FindDataTable(context, *request.TableName, ItemTouch{request, request.Key.item(), bound}));
  ARMATURE_CO_CHECK_OK(CheckKey(table->key_schema(), request.Key.item()));
  if (bound.condition) ARMATURE_CO_CHECK_OK(CheckKeyPaths(*table->schema(), bound.condition->paths));

  table::ItemWrite write;
  write.kind = table::ItemWrite::Kind::kDelete;
  write.table = table.get();
  write.key = request.Key.item();
  write.condition = bound.condition;
  write.wants_old_image = Asks(request.ReturnValues, "ALL_OLD");
  ARMATURE_CO_CHECK_OK(co_await context.services.writes.Execute(write, context.arena));
  co_return ReplyToWrite(context, request, write, [&] { return ReplacedItem(write); });
}

}  // namespace armature::api
