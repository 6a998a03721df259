// DescribeTimeToLive: tells whether items of a table expire, and by which attribute.
#include "api/handlers.h"
#include "api/table_lookup.h"
#include "base/text/json_writer.h"

namespace armature::api {

Task<model::ApiResult<void>> DescribeTimeToLive(RequestContext& context, const wire::DescribeTimeToLiveInput& request) {
  ARMATURE_CO_TRY(const auto table, FindAnyTable(context, *request.TableName));
  const auto def = table->def();
  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("TimeToLiveDescription");
  json.BeginObject();
  json.Key("TimeToLiveStatus");
  json.String(model::TtlStatusName(def->ttl.status));
  if (!def->ttl.attribute.empty()) {
    json.Key("AttributeName");
    json.String(def->ttl.attribute);
  }
  json.EndObject();
  json.EndObject();
  co_return model::ApiResult<void>{};
}

}  // namespace armature::api
