#include "api/table/throughput_checks.h"

#include <fmt/format.h>

#include "api/table/key_schema_checks.h"
#include "api/table/table_description.h"
#include "api/table/table_settings.h"
#include "model/messages/tables.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;
namespace messages = model::messages;

namespace {

constexpr int64_t kMaxUnits = 1'000'000'000'000;
constexpr int64_t kMillisPerHour = 3'600'000;
constexpr int64_t kMillisPerDay = 24 * kMillisPerHour;
constexpr int64_t kFreeDecreasesPerDay = 4;

ApiResult<void> ApplyMaximum(std::string_view member, const wire::Opt<int64_t>& requested, bool may_remove,
                             std::optional<int64_t>& current) {
  if (!requested) return {};
  if (*requested == -1) {
    // CreateTable takes -1 for "no maximum", which is what it starts from.
    if (may_remove) current.reset();
    return {};
  }
  if (*requested < 1) return InvalidParameter(fmt::format(messages::kOnDemandBelowOne, member));
  current = *requested;
  return {};
}

}  // namespace

ApiResult<model::ProvisionedThroughput> MakeProvisionedThroughput(const wire::ProvisionedThroughput& requested) {
  if (*requested.ReadCapacityUnits > kMaxUnits)
    return ValidationException(
        fmt::format(messages::kUnitsOutOfBounds, *requested.ReadCapacityUnits, "ReadCapacityUnits"));
  if (*requested.WriteCapacityUnits > kMaxUnits)
    return ValidationException(
        fmt::format(messages::kUnitsOutOfBounds, *requested.WriteCapacityUnits, "WriteCapacityUnits"));
  model::ProvisionedThroughput throughput;
  throughput.read_units = *requested.ReadCapacityUnits;
  throughput.write_units = *requested.WriteCapacityUnits;
  return throughput;
}

ApiResult<void> ChangeThroughput(const model::ProvisionedThroughput& requested, int64_t now_millis,
                                 model::ProvisionedThroughput& current) {
  const bool is_decrease = requested.read_units < current.read_units || requested.write_units < current.write_units;
  const bool is_increase = requested.read_units > current.read_units || requested.write_units > current.write_units;
  if (is_decrease) {
    const bool is_same_day = current.last_decrease_millis / kMillisPerDay == now_millis / kMillisPerDay;
    const int64_t decreases_today = is_same_day ? current.decreases_today : 0;
    const bool is_recent = now_millis - current.last_decrease_millis < kMillisPerHour;
    if (decreases_today >= kFreeDecreasesPerDay && is_recent)
      return model::LimitExceededException(
          fmt::format(messages::kTooManyDecreases, decreases_today, StreamLabel(current.last_decrease_millis) + "Z"));
    current.decreases_today = decreases_today + 1;
    current.last_decrease_millis = now_millis;
  }
  if (is_increase) current.last_increase_millis = now_millis;
  current.read_units = requested.read_units;
  current.write_units = requested.write_units;
  return {};
}

ApiResult<void> ApplyOnDemandThroughput(const wire::OnDemandThroughput& requested, model::BillingMode mode,
                                        bool may_remove, model::OnDemandThroughput& current) {
  if (mode == model::BillingMode::kProvisioned) {
    const std::string_view member = requested.MaxReadRequestUnits ? "MaxReadRequestUnits" : "MaxWriteRequestUnits";
    return InvalidParameter(fmt::format(messages::kOnDemandWithProvisioned, member));
  }
  ARMATURE_CHECK_OK(
      ApplyMaximum("MaxReadRequestUnits", requested.MaxReadRequestUnits, may_remove, current.max_read_units));
  return ApplyMaximum("MaxWriteRequestUnits", requested.MaxWriteRequestUnits, may_remove, current.max_write_units);
}

ApiResult<void> ApplyWarmThroughput(const wire::WarmThroughput& requested,
                                    const model::ProvisionedThroughput& throughput, model::WarmThroughput& current) {
  if (requested.ReadUnitsPerSecond) {
    if (*requested.ReadUnitsPerSecond < WarmReadUnits(current, throughput))
      return InvalidParameter(fmt::format(messages::kWarmThroughputLowered, "ReadUnitsPerSecond"));
    current.read_units = *requested.ReadUnitsPerSecond;
  }
  if (requested.WriteUnitsPerSecond) {
    if (*requested.WriteUnitsPerSecond < WarmWriteUnits(current, throughput))
      return InvalidParameter(fmt::format(messages::kWarmThroughputLowered, "WriteUnitsPerSecond"));
    current.write_units = *requested.WriteUnitsPerSecond;
  }
  return {};
}

}  // namespace armature::api
