#include "lambda/mapping_settings.h"

#include <fmt/format.h>

#include "model/messages/triggers.h"

namespace armature::lambda {

namespace {

namespace messages = model::messages;
using model::ApiResult;
using triggers::InvalidParameterValue;

// Of other event sources: queues, Kafka, databases. What this server cannot do is refused, not forgotten.
constexpr std::string_view kOfOtherSources[] = {
    "Topics",
    "Queues",
    "SourceAccessConfigurations",
    "SelfManagedEventSource",
    "AmazonManagedKafkaEventSourceConfig",
    "SelfManagedKafkaEventSourceConfig",
    "ScalingConfig",
    "DocumentDBEventSourceConfig",
    "ProvisionedPollerConfig",
    "KMSKeyArn",
};

template <class T, class U>
void Set(const std::optional<T>& value, U& member) {
  if (value) member = *value;
}

ApiResult<void> ReadFunction(Members& body, triggers::Mapping& mapping) {
  const auto name = body.Text("FunctionName");
  if (name && !triggers::ParseFunctionName(*name, mapping.function_name, mapping.function_qualifier))
    return InvalidParameterValue(fmt::format(messages::kTriggerBadFunctionName, *name));
  return {};
}

ApiResult<void> ReadFilters(Members& body, triggers::Mapping& mapping) {
  auto criteria = body.Object("FilterCriteria");
  if (!criteria) return {};
  mapping.filters.clear();
  auto filters = criteria->Objects("Filters");
  ARMATURE_CHECK_OK(criteria->status());
  if (!filters) return {};
  for (Members& filter : *filters) {
    const auto pattern = filter.Text("Pattern");
    ARMATURE_CHECK_OK(filter.status());
    mapping.filters.push_back(pattern.value_or("{}"));
  }
  return {};
}

ApiResult<void> ReadDestination(Members& body, triggers::Mapping& mapping) {
  auto config = body.Object("DestinationConfig");
  if (!config) return {};
  mapping.on_failure.clear();
  if (auto on_success = config->Object("OnSuccess"); on_success && on_success->Has("Destination"))
    return InvalidParameterValue(fmt::format(messages::kTriggerNotSupported, "DestinationConfig.OnSuccess"));
  if (auto on_failure = config->Object("OnFailure")) {
    Set(on_failure->Text("Destination"), mapping.on_failure);
    ARMATURE_CHECK_OK(on_failure->status());
  }
  return config->status();
}

ApiResult<void> ReadResponseTypes(Members& body, triggers::Mapping& mapping) {
  const auto types = body.Texts("FunctionResponseTypes");
  if (!types) return {};
  mapping.reports_item_failures = false;
  for (const std::string& type : *types) {
    if (type != "ReportBatchItemFailures")
      return InvalidParameterValue(
          fmt::format(messages::kTriggerEnum, type, "functionResponseTypes", "ReportBatchItemFailures"));
    mapping.reports_item_failures = true;
  }
  return {};
}

// Windows that keep state between invocations are not done; a window of 0 is none.
ApiResult<void> CheckTumblingWindow(Members& body) {
  const int64_t seconds = body.Int("TumblingWindowInSeconds").value_or(0);
  constexpr std::string_view kMember = "tumblingWindowInSeconds";
  if (seconds < 0) return InvalidParameterValue(fmt::format(messages::kTriggerBelowMinimum, seconds, kMember, 0));
  if (seconds > 900) return InvalidParameterValue(fmt::format(messages::kTriggerAboveMaximum, seconds, kMember, 900));
  if (seconds > 0) return InvalidParameterValue(std::string(messages::kTriggerTumblingWindow));
  return {};
}

}  // namespace

ApiResult<void> ReadSettings(Members& body, triggers::Mapping& mapping) {
  Set(body.Bool("Enabled"), mapping.is_enabled);
  Set(body.Int("BatchSize"), mapping.batch_size);
  Set(body.Int("MaximumBatchingWindowInSeconds"), mapping.batching_window_seconds);
  Set(body.Int("ParallelizationFactor"), mapping.parallelization_factor);
  Set(body.Int("MaximumRecordAgeInSeconds"), mapping.max_record_age_seconds);
  Set(body.Int("MaximumRetryAttempts"), mapping.max_retry_attempts);
  Set(body.Bool("BisectBatchOnFunctionError"), mapping.bisects_on_error);
  ARMATURE_CHECK_OK(ReadFunction(body, mapping));
  ARMATURE_CHECK_OK(ReadFilters(body, mapping));
  ARMATURE_CHECK_OK(ReadDestination(body, mapping));
  ARMATURE_CHECK_OK(ReadResponseTypes(body, mapping));
  ARMATURE_CHECK_OK(CheckTumblingWindow(body));
  ARMATURE_CHECK_OK(body.status());
  for (const std::string_view member : kOfOtherSources)
    if (body.Has(member)) return InvalidParameterValue(fmt::format(messages::kTriggerNotSupported, member));
  return {};
}

ApiResult<void> CheckSettings(const triggers::Triggers& triggers, const triggers::Mapping& mapping) {
  if (std::string wrong = triggers::WhatIsWrong(mapping); !wrong.empty())
    return InvalidParameterValue(std::move(wrong));
  if (!triggers.HasFunction(mapping.function_name))
    return triggers::LambdaError("ResourceNotFoundException", 404,
                                 fmt::format(messages::kTriggerFunctionNotFound, mapping.function_arn()));
  if (!mapping.on_failure.empty() && !triggers.HasDestination(mapping.on_failure))
    return InvalidParameterValue(fmt::format(messages::kTriggerNoDestination, mapping.on_failure));
  return {};
}

}  // namespace armature::lambda
