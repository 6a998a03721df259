// UpdateKinesisStreamingDestination: changes how finely the times in Kinesis records are told.
#include <fmt/format.h>

#include "api/handlers.h"
#include "api/kinesis/destination.h"
#include "model/messages/streams.h"

namespace armature::api {

using model::ApiResult;
using model::KinesisStatus;
using model::TableDef;
using model::ValidationException;
namespace messages = model::messages;

namespace {

// The new precision holds, and is described, from the moment the destination is UPDATING.
ApiResult<void> Apply(std::string_view stream_arn, std::string_view precision, int64_t now_millis, TableDef& table) {
  model::KinesisDestinationDef* destination = table.FindKinesisDestination(stream_arn);
  if (!destination) return ValidationException(fmt::format(messages::kKinesisNoDestination, stream_arn, table.name));
  if (destination->status != KinesisStatus::kActive)
    return ValidationException(fmt::format(messages::kKinesisNotActive, table.name, stream_arn));
  const bool is_same =
      destination->precision.empty() ? precision == "MILLISECOND" : precision == destination->precision;
  if (is_same)
    return ValidationException(fmt::format(messages::kKinesisSamePrecision, precision, table.uuid, stream_arn));
  destination->precision = precision;
  destination->status = KinesisStatus::kUpdating;
  destination->since_millis = now_millis;
  return {};
}

}  // namespace

Task<ApiResult<void>> UpdateKinesisStreamingDestination(RequestContext& context,
                                                        const wire::UpdateKinesisStreamingDestinationInput& request) {
  ARMATURE_CO_TRY(const auto table, FindKinesisTable(context, *request.TableName));
  const auto* configuration = request.UpdateKinesisStreamingConfiguration;
  if (!configuration || !configuration->ApproximateCreationDateTimePrecision)
    co_return ValidationException(std::string(messages::kKinesisNothingToUpdate));
  const std::string_view precision = *configuration->ApproximateCreationDateTimePrecision;
  const std::string name = table->def()->name;
  auto changed = co_await context.services.catalog.Update(context.scope(), name, [&](TableDef& current) {
    return Apply(*request.StreamArn, precision, context.now_millis, current);
  });
  ARMATURE_CO_CHECK_OK(changed);
  WriteDestinationReply(context, *table,
                        {.stream_arn = *request.StreamArn,
                         .status = KinesisStatus::kUpdating,
                         .configuration_member = "UpdateKinesisStreamingConfiguration",
                         .precision = precision});
  co_return ApiResult<void>{};
}

}  // namespace armature::api
