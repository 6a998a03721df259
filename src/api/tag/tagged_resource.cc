#include "api/tag/tagged_resource.h"

#include <fmt/format.h>

#include "model/messages/tables.h"

namespace armature::api {

namespace messages = model::messages;

model::ApiResult<std::shared_ptr<table::Table>> FindTaggedTable(const RequestContext& context, std::string_view arn,
                                                                std::string_view operation, const Touch& touch) {
  if (!arn.starts_with("arn:")) return model::ValidationException(fmt::format(messages::kNoArn, arn));
  const auto parsed = model::ParseTableArn(arn);
  if (!parsed) return model::ValidationException(fmt::format(messages::kInvalidResourceArn, arn));
  if (!IsReachable(context, parsed->account, parsed->region))
    return model::AccessDeniedException(
        fmt::format(messages::kTagAccessDenied, context.account, operation, arn, operation));
  ARMATURE_CHECK_OK(AuthorizeTable(context, arn, touch));
  const TableTarget target = TargetOf(context, arn);
  auto table = context.services.catalog.Find(target.scope, target.name);
  if (!table || table->def()->IsGoneAt(context.now_millis))
    return MissingTable(context, target,
                        model::ResourceNotFoundException(fmt::format(messages::kTagResourceNotFound, arn)));
  return table;
}

}  // namespace armature::api
