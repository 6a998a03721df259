#include "api/table/throughput_checks.h"

#include <fmt/format.h>

#include "api/table/key_schema_checks.h"
#include "api/table/table_description.h"
#include "model/messages/tables.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;
namespace messages = model::messages;

namespace {

constexpr int64_t kMaxUnits = 1'000'000'000'000;

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
