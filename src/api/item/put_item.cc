// PutItem: writes a whole item, replacing what was there.
#include "api/handlers.h"
#include "api/item/expressions.h"
#include "api/item/item_reply.h"
#include "api/item/key_checks.h"
#include "api/table_lookup.h"
#include "model/item_size.h"
#include "model/messages/items.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;

namespace {

// Everything that needs no table, in AWS's order.
ApiResult<BoundExpressions> Validate(const wire::PutItemInput& request, const model::Wording& wording, Arena& arena) {
  const ExpressionParameters expressions(request, wording);
  ARMATURE_CHECK_OK(expressions.CheckParameters());
  if (request.Item.first_error) return *request.Item.first_error;
  if (request.ReturnValues && *request.ReturnValues != "ALL_OLD" && *request.ReturnValues != "NONE")
    return ValidationException(std::string(model::messages::kReturnValuesAllOldOrNone));
  return expressions.Bind(arena);
}

}  // namespace

Task<ApiResult<void>> PutItem(RequestContext& context, const wire::PutItemInput& request) {
  const auto validated = Validate(request, *context.wording, context.arena);
  if (!validated) co_return model::Told(*context.wording, validated.error());
  const BoundExpressions& bound = *validated;
  const size_t item_size = model::ItemSize(request.Item.item());
  if (item_size > model::kMaxItemBytes) co_return ValidationException(std::string(model::messages::kItemTooLarge));
  ARMATURE_CO_TRY(const auto table,
                  FindDataTable(context, *request.TableName, ItemTouch{request, request.Item.item(), bound}));
  ARMATURE_CO_CHECK_OK(CheckItemKey(table->key_schema(), request.Item.item()));
  if (bound.condition) ARMATURE_CO_CHECK_OK(CheckKeyPaths(*table->schema(), bound.condition->paths));

  table::ItemWrite write;
  write.kind = table::ItemWrite::Kind::kPut;
  write.table = table.get();
  write.key = ExtractKey(table->key_schema(), request.Item.item(), context.arena);
  write.put_item = request.Item.item();
  write.put_item_size = item_size;
  write.condition = bound.condition;
  write.wants_old_image = Asks(request.ReturnValues, "ALL_OLD");
  ARMATURE_CO_CHECK_OK(co_await context.services.writes.Execute(write, context.arena));
  co_return ReplyToWrite(context, request, write, [&] { return ReplacedItem(write); });
}

}  // namespace armature::api
