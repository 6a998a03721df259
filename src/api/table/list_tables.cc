// ListTables: names the caller's tables, page by page.
#include "api/access.h"
#include "api/handlers.h"
#include "base/text/json_writer.h"

namespace armature::api {

namespace {
constexpr int64_t kDefaultLimit = 100;
}  // namespace

Task<model::ApiResult<void>> ListTables(RequestContext& context, const wire::ListTablesInput& request) {
  ARMATURE_CO_CHECK_OK(Authorize(context, auth::Resource{}));
  bool has_more = false;
  const auto names =
      context.services.catalog.ListNames(context.scope(), request.ExclusiveStartTableName.value_or({}),
                                         static_cast<size_t>(request.Limit.value_or(kDefaultLimit)), &has_more);
  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("TableNames");
  json.BeginArray();
  for (const auto& name : names) json.String(name);
  json.EndArray();
  if (has_more) json.Member("LastEvaluatedTableName", names.back());
  json.EndObject();
  co_return model::ApiResult<void>{};
}

}  // namespace armature::api
