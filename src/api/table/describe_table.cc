// DescribeTable: tells everything about a table.
#include "api/handlers.h"
#include "api/table/table_description.h"
#include "api/table_lookup.h"

namespace armature::api {

Task<model::ApiResult<void>> DescribeTable(RequestContext& context, const wire::DescribeTableInput& request) {
  ARMATURE_CO_TRY(const auto table, FindAnyTable(context, *request.TableName));
  const auto schema = table->schema();
  JsonWriter json(context.body);
  json.BeginObject();
  WriteTableDescription(
      json, "Table", *schema, *table,
      {schema->def().StatusAt(context.now_millis), context.now_millis, context.services.is_encrypted, true});
  json.EndObject();
  co_return model::ApiResult<void>{};
}

}  // namespace armature::api
