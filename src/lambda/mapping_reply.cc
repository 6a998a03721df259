#include "lambda/mapping_reply.h"

namespace armature::lambda {

void WriteMapping(const triggers::Triggers& triggers, const triggers::Mapping& mapping, std::string_view state,
                  JsonWriter& json) {
  json.BeginObject();
  json.Member("UUID", mapping.uuid);
  json.Member("StartingPosition", triggers::StartingPositionName(mapping.starting_position));
  json.MemberInt("BatchSize", mapping.batch_size);
  json.MemberInt("MaximumBatchingWindowInSeconds", mapping.batching_window_seconds);
  json.MemberInt("ParallelizationFactor", mapping.parallelization_factor);
  if (!mapping.event_source_arn.empty()) json.Member("EventSourceArn", mapping.event_source_arn);
  if (!mapping.filters.empty()) {
    json.Key("FilterCriteria");
    json.BeginObject();
    json.Key("Filters");
    json.BeginArray();
    for (const std::string& filter : mapping.filters) {
      json.BeginObject();
      json.Member("Pattern", filter);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.Member("FunctionArn", mapping.function_arn());
  json.MemberTimestamp("LastModified", static_cast<double>(mapping.last_modified_millis) / 1000);
  json.Member("LastProcessingResult", triggers.LastResultOf(mapping));
  json.Member("State", state.empty() ? triggers.StateOf(mapping) : state);
  json.Member("StateTransitionReason", "User action");
  json.Key("DestinationConfig");
  json.BeginObject();
  json.Key("OnFailure");
  json.BeginObject();
  if (!mapping.on_failure.empty()) json.Member("Destination", mapping.on_failure);
  json.EndObject();
  json.EndObject();
  json.MemberInt("MaximumRecordAgeInSeconds", mapping.max_record_age_seconds);
  json.MemberBool("BisectBatchOnFunctionError", mapping.bisects_on_error);
  json.MemberInt("MaximumRetryAttempts", mapping.max_retry_attempts);
  json.MemberInt("TumblingWindowInSeconds", 0);
  json.Key("FunctionResponseTypes");
  json.BeginArray();
  if (mapping.reports_item_failures) json.String("ReportBatchItemFailures");
  json.EndArray();
  json.Member("EventSourceMappingArn", mapping.arn());
  json.EndObject();
}

}  // namespace armature::lambda
