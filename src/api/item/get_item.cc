// GetItem: reads one item by its key.
#include "api/handlers.h"
#include "api/item/expressions.h"
#include "api/item/item_reply.h"
#include "api/item/key_checks.h"
#include "api/table_lookup.h"
#include "expr/apply/projection.h"
#include "model/codec/item_codec.h"

namespace armature::api {

using model::ApiResult;

namespace {

ApiResult<BoundExpressions> Validate(const wire::GetItemInput& request, const model::Wording& wording, Arena& arena) {
  const ExpressionParameters expressions(request, wording);
  ARMATURE_CHECK_OK(expressions.CheckParameters());
  if (request.Key.first_error) return *request.Key.first_error;
  return expressions.Bind(arena);
}

// Writes the item as the request wants it.
Status WriteFoundItem(JsonWriter& json, std::string_view record, const expr::BoundProjection* projection,
                      Arena& arena) {
  auto decoded = model::DecodeItem(record, arena);
  if (!decoded) return decoded.error();
  WriteItemMember(json, "Item", projection ? expr::Project(*projection, decoded->item, arena) : decoded->item);
  return Status::Ok();
}

}  // namespace

Task<ApiResult<void>> GetItem(RequestContext& context, const wire::GetItemInput& request) {
  ARMATURE_CO_TRY(const auto bound, Validate(request, *context.wording, context.arena));
  ARMATURE_CO_TRY(const auto table,
                  FindDataTable(context, *request.TableName, ItemTouch{request, request.Key.item(), bound}));
  ARMATURE_CO_CHECK_OK(CheckKey(table->key_schema(), request.Key.item()));
  if (bound.projection) ARMATURE_CO_CHECK_OK(CheckKeyPaths(*table->schema(), bound.projection->paths));

  const bool is_consistent = request.ConsistentRead.value_or(false);
  table::ItemRead read;
  read.table = table.get();
  read.key = request.Key.item();
  const table::ReadView view = context.services.reads.ViewFor(is_consistent);
  read.at = view.at;
  read.is_consistent = is_consistent;
  ARMATURE_CO_CHECK_OK(co_await context.services.reads.Get(read));

  JsonWriter json(context.body);
  json.BeginObject();
  if (read.found) {
    const Status written = WriteFoundItem(json, read.record(), bound.projection, context.arena);
    if (!written.ok()) co_return UnreadableItem(*request.TableName, written);
  }
  ConsumedCapacity consumed;
  consumed.table_name = *request.TableName;
  consumed.table_units = read.read_units;
  WriteConsumedCapacity(json, request.ReturnConsumedCapacity, consumed);
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace armature::api
