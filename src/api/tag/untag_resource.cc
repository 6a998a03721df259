// UntagResource: removes tags from a table.
#include "api/handlers.h"
#include "api/tag/tagged_resource.h"
#include "model/messages/tables.h"

namespace armature::api {

// The body stays empty: AWS answers tag changes without one.
Task<model::ApiResult<void>> UntagResource(RequestContext& context, const wire::UntagResourceInput& request) {
  if (request.TagKeys.empty()) co_return model::ValidationException(std::string(model::messages::kNoTagKeys));
  const auto touch = [&](AccessDetails& details) {
    details.out.bare_tag_keys.assign(request.TagKeys.begin(), request.TagKeys.end());
  };
  ARMATURE_CO_CHECK_OK(FindTaggedTable(context, *request.ResourceArn, "UntagResource", touch));
  const TableTarget target = TargetOf(context, *request.ResourceArn);
  auto changed = co_await context.services.catalog.Update(target.scope, target.name,
                                                          [&](model::TableDef& def) -> model::ApiResult<void> {
                                                            for (std::string_view key : request.TagKeys)
                                                              def.tags.erase(std::string(key));
                                                            return {};
                                                          });
  ARMATURE_CO_CHECK_OK(changed);
  co_return model::ApiResult<void>{};
}

}  // namespace armature::api
