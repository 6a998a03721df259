#include "api/resource_policy/policy_owner.h"

#include <fmt/format.h>

#include "model/messages/streams.h"
#include "model/messages/tables.h"
#include "model/names/arn.h"

namespace armature::api {

namespace messages = model::messages;
using auth::ResourceKind;

std::string OwnerName::Text() const {
  return is_stream() ? fmt::format("stream {}", arn) : fmt::format("table {}", table.name);
}

model::ApiResult<OwnerName> NameOwner(const RequestContext& context, std::string_view arn) {
  if (!arn.starts_with("arn:")) return model::ValidationException(fmt::format(messages::kNoArn, arn));
  OwnerName name{.table = {}, .stream_label = {}, .arn = arn, .resource = {}};
  if (const auto table = model::ParseTableArn(arn)) {
    name.resource = TableResource(context, arn);
  } else if (const auto stream = model::ParseStreamArn(arn)) {
    name.resource = {ResourceKind::kStream, stream->region, stream->account, stream->table, stream->label};
    name.stream_label = stream->label;
  } else {
    return model::ValidationException(fmt::format(messages::kInvalidResourceArn, arn));
  }
  ARMATURE_CHECK_OK(Authorize(context, name.resource));
  // Policies of tables cannot be handed to other accounts, so that the caller's is the only one.
  if (!context.services.shares_tables &&
      (name.resource.account != context.account || name.resource.region != context.region))
    return model::ValidationException(fmt::format(messages::kInvalidResourceArn, arn));
  name.table = {context.scope(), name.resource.name};
  return name;
}

model::ApiResult<std::shared_ptr<const model::TableDef>> FindOwner(const RequestContext& context,
                                                                   const OwnerName& name) {
  const auto table = context.services.catalog.Find(name.table.scope, name.table.name);
  if (!table || table->def()->IsGoneAt(context.now_millis))
    return MissingTable(context, name.table,
                        model::ResourceNotFoundException(fmt::format(messages::kTableNotFound, name.table.name)));
  const bool is_of_table =
      name.resource.account == name.table.scope.account && name.resource.region == name.table.scope.region;
  if (name.is_stream() && (!is_of_table || !context.services.journal.FindStream(name.arn)))
    return model::ResourceNotFoundException(fmt::format(messages::kStreamNotFound, name.arn));
  return table->def();
}

}  // namespace armature::api
