// DisableKinesisStreamingDestination: stops sending a table's changes to a Kinesis data stream.
#include "api/handlers.h"
#include "api/kinesis/destination.h"
#include "model/messages/streams.h"

namespace armature::api {

using model::ApiResult;
using model::KinesisStatus;
using model::TableDef;

namespace {

// Asking again while it is DISABLING is fine; a stream the table never had is refused like one that is not ACTIVE.
ApiResult<void> Apply(std::string_view stream_arn, int64_t now_millis, TableDef& table) {
  model::KinesisDestinationDef* destination = table.FindKinesisDestination(stream_arn);
  if (destination && destination->status == KinesisStatus::kDisabling) return {};
  if (!destination || destination->status != KinesisStatus::kActive)
    return model::ValidationException(std::string(model::messages::kKinesisCannotDisable));
  destination->status = KinesisStatus::kDisabling;
  destination->since_millis = now_millis;
  return {};
}

}  // namespace

Task<ApiResult<void>> DisableKinesisStreamingDestination(RequestContext& context,
                                                         const wire::DisableKinesisStreamingDestinationInput& request) {
  ARMATURE_CO_TRY(const auto table, FindKinesisTable(context, *request.TableName));
  const auto* configuration = request.EnableKinesisStreamingConfiguration;
  if (configuration && configuration->ApproximateCreationDateTimePrecision)
    co_return model::ValidationException(std::string(model::messages::kKinesisDisabledWithConfiguration));
  const std::string name = table->def()->name;
  auto changed = co_await context.services.catalog.Update(
      context.scope(), name, [&](TableDef& current) { return Apply(*request.StreamArn, context.now_millis, current); });
  ARMATURE_CO_CHECK_OK(changed);
  WriteDestinationReply(context, *table,
                        {.stream_arn = *request.StreamArn,
                         .status = KinesisStatus::kDisabling,
                         .configuration_member = {},
                         .precision = {}});
  co_return ApiResult<void>{};
}

}  // namespace armature::api
