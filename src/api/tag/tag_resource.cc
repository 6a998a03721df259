// TagResource: sets tags on a table.
#include "api/handlers.h"
#include "api/table/table_settings.h"
#include "api/tag/tagged_resource.h"
#include "model/messages/tables.h"

namespace armature::api {

// The body stays empty: AWS answers tag changes without one.
Task<model::ApiResult<void>> TagResource(RequestContext& context, const wire::TagResourceInput& request) {
  if (request.Tags.empty()) co_return model::ValidationException(std::string(model::messages::kNoTags));
  const auto touch = [&](AccessDetails& details) { AddRequestTags(request.Tags, details); };
  ARMATURE_CO_CHECK_OK(FindTaggedTable(context, *request.ResourceArn, "TagResource", touch));
  const TableTarget target = TargetOf(context, *request.ResourceArn);
  auto changed = co_await context.services.catalog.Update(
      target.scope, target.name, [&](model::TableDef& def) { return ApplyTags(request.Tags, def.tags); });
  ARMATURE_CO_CHECK_OK(changed);
  co_return model::ApiResult<void>{};
}

}  // namespace armature::api
