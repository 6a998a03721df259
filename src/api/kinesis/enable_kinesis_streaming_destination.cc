// EnableKinesisStreamingDestination: starts sending a table's changes to a Kinesis data stream.
#include <algorithm>

#include "api/access.h"
#include "api/handlers.h"
#include "api/kinesis/destination.h"
#include "model/messages/streams.h"
#include "model/names/arn.h"

namespace armature::api {

using model::ApiResult;
using model::KinesisDestinationDef;
using model::TableDef;

namespace {

// The stream itself is not looked at here: AWS accepts any ARN, and a bad one becomes ENABLE_FAILED a little later.
ApiResult<void> Apply(std::string_view stream_arn, std::string_view precision, int64_t now_millis, TableDef& table) {
  if (table.LiveKinesisDestination())
    return model::ValidationException(std::string(model::messages::kKinesisCannotEnable));
  uint64_t generation = 1;
  for (const auto& known : table.kinesis) generation = std::max(generation, known.generation + 1);
  KinesisDestinationDef* destination = table.FindKinesisDestination(stream_arn);
  if (!destination) destination = &*table.kinesis.insert(table.kinesis.begin(), KinesisDestinationDef{});
  *destination = {.stream_arn = std::string(stream_arn),
                  .status = model::KinesisStatus::kEnabling,
                  .status_description = {},
                  .precision = std::string(precision),
                  .generation = generation,
                  .since_millis = now_millis};
  return {};
}

// The server delivers with credentials of its own: what it does for the caller he must be allowed to do himself.
ApiResult<void> AuthorizeDelivery(const RequestContext& context, std::string_view stream_arn) {
  if (!IsWatched(context)) return {};
  const auto stream = model::ParseKinesisStreamArn(stream_arn);
  // What is no such ARN will fail, and whoever may do it to all streams may try it.
  const auth::Resource resource =
      stream ? auth::Resource{auth::ResourceKind::kKinesisStream, stream->region, stream->account, stream->name}
             : auth::Resource{};
  for (const std::string_view action : {"kinesis:DescribeStream", "kinesis:PutRecord", "kinesis:PutRecords"})
    ARMATURE_CHECK_OK(Authorize(context, resource, {}, nullptr, action));
  return {};
}

}  // namespace

Task<ApiResult<void>> EnableKinesisStreamingDestination(RequestContext& context,
                                                        const wire::EnableKinesisStreamingDestinationInput& request) {
  ARMATURE_CO_TRY(const auto table, FindKinesisTable(context, *request.TableName));
  ARMATURE_CO_CHECK_OK(AuthorizeDelivery(context, *request.StreamArn));
  std::string_view precision;
  if (const auto* configuration = request.EnableKinesisStreamingConfiguration)
    precision = configuration->ApproximateCreationDateTimePrecision.value_or({});
  const std::string name = table->def()->name;
  auto changed = co_await context.services.catalog.Update(context.scope(), name, [&](TableDef& current) {
    return Apply(*request.StreamArn, precision, context.now_millis, current);
  });
  ARMATURE_CO_CHECK_OK(changed);
  WriteDestinationReply(context, *table,
                        {.stream_arn = *request.StreamArn,
                         .status = model::KinesisStatus::kEnabling,
                         .configuration_member = "EnableKinesisStreamingConfiguration",
                         .precision = precision});
  co_return ApiResult<void>{};
}

}  // namespace armature::api
