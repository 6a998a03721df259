#include "api/kinesis/destination.h"

#include <fmt/format.h>

#include "api/table_lookup.h"
#include "model/messages/tables.h"

namespace armature::api {

model::ApiResult<std::shared_ptr<table::Table>> FindKinesisTable(const RequestContext& context,
                                                                 std::string_view name_or_arn) {
  ARMATURE_TRY(auto table, FindAnyTable(context, name_or_arn));
  const auto def = table->def();
  if (def->StatusAt(context.now_millis) == model::ResourceStatus::kCreating)
    return model::ResourceNotFoundException(fmt::format(model::messages::kTableNotFound, def->name));
  return table;
}

void WriteDestinationReply(RequestContext& context, const table::Table& table, const DestinationReply& reply) {
  JsonWriter json(context.body);
  json.BeginObject();
  json.Member("DestinationStatus", model::KinesisStatusName(reply.status));
  if (!reply.configuration_member.empty()) {
    json.Key(reply.configuration_member);
    json.BeginObject();
    if (!reply.precision.empty()) json.Member("ApproximateCreationDateTimePrecision", reply.precision);
    json.EndObject();
  }
  json.Member("StreamArn", reply.stream_arn);
  json.Member("TableName", table.def()->name);
  json.EndObject();
}

}  // namespace armature::api
