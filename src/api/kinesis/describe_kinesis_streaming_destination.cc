// DescribeKinesisStreamingDestination: every Kinesis data stream a table sends, or has sent, its changes to.
#include "api/handlers.h"
#include "api/kinesis/destination.h"
#include "base/text/json_writer.h"

namespace armature::api {

Task<model::ApiResult<void>> DescribeKinesisStreamingDestination(
    RequestContext& context, const wire::DescribeKinesisStreamingDestinationInput& request) {
  ARMATURE_CO_TRY(const auto table, FindKinesisTable(context, *request.TableName));
  const auto def = table->def();
  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("KinesisDataStreamDestinations");
  json.BeginArray();
  for (const auto& destination : def->kinesis) {
    json.BeginObject();
    if (!destination.precision.empty()) json.Member("ApproximateCreationDateTimePrecision", destination.precision);
    json.Member("DestinationStatus", model::KinesisStatusName(destination.status));
    if (!destination.status_description.empty())
      json.Member("DestinationStatusDescription", destination.status_description);
    json.Member("StreamArn", destination.stream_arn);
    json.EndObject();
  }
  json.EndArray();
  json.Member("TableName", def->name);
  json.EndObject();
  co_return model::ApiResult<void>{};
}

}  // namespace armature::api
