#include "table/throttle/throttle_error.h"

#include <string>

#include "base/text/json_writer.h"
#include "model/messages/capacity.h"

namespace armature::table {

namespace messages = model::messages;

namespace {

std::string ReasonOf(bool is_index, Use use, Limit limit) {
  std::string reason = is_index ? "Index" : "Table";
  reason += use == Use::kRead ? "Read" : "Write";
  switch (limit) {
    case Limit::kNone: break;
    case Limit::kProvisioned: return reason + "ProvisionedThroughputExceeded";
    case Limit::kOnDemandMaximum: return reason + "MaxOnDemandThroughputExceeded";
    case Limit::kKeyRange: return reason + "KeyRangeThroughputExceeded";
  }
  return reason;
}

// A single write that an index's maximum has stopped is told so as if the index were provisioned.
bool IsToldAsProvisioned(const model::TableDef& table, bool is_index_write, Limit limit, bool is_transaction) {
  if (table.billing_mode == model::BillingMode::kProvisioned) return true;
  return is_index_write && limit == Limit::kOnDemandMaximum && !is_transaction;
}

std::string_view TextOf(bool is_provisioned, bool is_index, Use use, Limit limit) {
  if (is_provisioned) return is_index ? messages::kIndexThroughputExceeded : messages::kTableThroughputExceeded;
  if (is_index && use == Use::kWrite) return messages::kIndexIsScaling;
  return limit == Limit::kOnDemandMaximum ? messages::kOnDemandMaximumExceeded : messages::kTableIsScaling;
}

}  // namespace

model::ApiError ThrottleError(const model::TableDef& table, const model::IndexDef* index, Use use, Limit limit,
                              bool is_transaction) {
  const bool is_index = index != nullptr;
  const bool is_provisioned = IsToldAsProvisioned(table, is_index && use == Use::kWrite, limit, is_transaction);
  std::string text(TextOf(is_provisioned, is_index, use, limit));
  model::ApiError error = is_provisioned ? model::ProvisionedThroughputExceededException(std::move(text))
                                         : model::ThrottlingException(std::move(text));
  // Each of the two has a case of its own.
  JsonWriter json(error.extra_json_members);
  AppendJsonString(error.extra_json_members, is_provisioned ? "ThrottlingReasons" : "throttlingReasons");
  error.extra_json_members.push_back(':');
  json.BeginArray();
  json.BeginObject();
  json.Member("reason", ReasonOf(is_index, use, limit));
  json.Member("resource", index ? table.Arn() + "/index/" + index->name : table.Arn());
  json.EndObject();
  json.EndArray();
  return error;
}

bool IsThrottleError(const model::ApiError& error) {
  return error.name == "ProvisionedThroughputExceededException" || error.name == "ThrottlingException";
}

}  // namespace armature::table
