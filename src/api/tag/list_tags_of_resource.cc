// ListTagsOfResource: reads a table's tags.
#include "api/handlers.h"
#include "api/tag/tagged_resource.h"
#include "base/text/json_writer.h"

namespace armature::api {

// At most 50 tags: there is never a second page, and NextToken is never given.
Task<model::ApiResult<void>> ListTagsOfResource(RequestContext& context, const wire::ListTagsOfResourceInput& request) {
  ARMATURE_CO_TRY(const auto table, FindTaggedTable(context, *request.ResourceArn, "ListTagsOfResource"));
  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("Tags");
  json.BeginArray();
  const auto def = table->def();
  for (const auto& [key, value] : def->tags) {
    json.BeginObject();
    json.Member("Key", key);
    json.Member("Value", value);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  co_return model::ApiResult<void>{};
}

}  // namespace armature::api
