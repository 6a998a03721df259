#include "model/table_def.h"

#include <algorithm>
#include <cassert>

#include "model/names/arn.h"

namespace armature::model {

const KeyAttribute* KeySchema::Find(std::string_view name) const {
  for (const auto& attribute : hash)
    if (attribute.name == name) return &attribute;
  for (const auto& attribute : range)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

std::string TableDef::Arn() const { return MakeTableArn(region, account, name); }

std::string TableDef::StreamArn() const {
  assert(!stream.label.empty());
  return MakeStreamArn(Arn(), stream.label);
}

const IndexDef* TableDef::FindIndex(std::string_view index_name) const {
  auto it =
      std::find_if(indexes.begin(), indexes.end(), [&](const IndexDef& index) { return index.name == index_name; });
  return it == indexes.end() ? nullptr : &*it;
}

IndexDef* TableDef::FindIndex(uint32_t index_id) {
  auto it = std::find_if(indexes.begin(), indexes.end(), [&](const IndexDef& index) { return index.id == index_id; });
  return it == indexes.end() ? nullptr : &*it;
}

KinesisDestinationDef* TableDef::FindKinesisDestination(std::string_view stream_arn) {
  auto it = std::find_if(kinesis.begin(), kinesis.end(), [&](const KinesisDestinationDef& destination) {
    return destination.stream_arn == stream_arn;
  });
  return it == kinesis.end() ? nullptr : &*it;
}

const KinesisDestinationDef* TableDef::LiveKinesisDestination() const {
  auto it = std::find_if(kinesis.begin(), kinesis.end(), [](const auto& destination) { return destination.is_live(); });
  return it == kinesis.end() ? nullptr : &*it;
}

const ResourcePolicyDef* TableDef::FindPolicy(std::string_view stream_label) const {
  if (stream_label.empty()) return policy.revision ? &policy : nullptr;
  const auto it = std::find_if(stream_policies.begin(), stream_policies.end(),
                               [&](const StreamPolicyDef& of) { return of.label == stream_label; });
  return it == stream_policies.end() ? nullptr : &it->policy;
}

bool TableDef::HasPolicies() const {
  return policy.is_set() ||
         std::ranges::any_of(stream_policies, [](const StreamPolicyDef& of) { return of.policy.is_set(); });
}

ResourcePolicyDef& TableDef::PolicyOf(std::string_view stream_label) {
  if (stream_label.empty()) return policy;
  const auto it = std::find_if(stream_policies.begin(), stream_policies.end(),
                               [&](const StreamPolicyDef& of) { return of.label == stream_label; });
  if (it != stream_policies.end()) return it->policy;
  return stream_policies.emplace_back(StreamPolicyDef{std::string(stream_label), {}}).policy;
}

void TableDef::PruneAttributeDefinitions() {
  std::erase_if(attribute_definitions, [&](const KeyAttribute& definition) {
    return !key_schema.Find(definition.name) &&
           std::none_of(indexes.begin(), indexes.end(),
                        [&](const IndexDef& index) { return index.key_schema.Find(definition.name); });
  });
}

ResourceStatus TableDef::StatusAt(int64_t now_millis) const {
  const bool is_settling = status == ResourceStatus::kCreating || status == ResourceStatus::kUpdating;
  // One that was to be there at once is, even if the clock has been set back since.
  const bool is_instant = status == ResourceStatus::kCreating && transition_due_millis <= created_millis;
  return is_settling && (is_instant || now_millis >= transition_due_millis) ? ResourceStatus::kActive : status;
}

bool TableDef::IsGoneAt(int64_t now_millis) const {
  return status == ResourceStatus::kDeleting && now_millis >= transition_due_millis;
}

std::string_view ResourceStatusName(ResourceStatus status) {
  switch (status) {
    case ResourceStatus::kCreating: return "CREATING";
    case ResourceStatus::kUpdating: return "UPDATING";
    case ResourceStatus::kDeleting: return "DELETING";
    case ResourceStatus::kActive: return "ACTIVE";
  }
  return "";
}

std::string_view ProjectionTypeName(ProjectionType type) {
  switch (type) {
    case ProjectionType::kAll: return "ALL";
    case ProjectionType::kKeysOnly: return "KEYS_ONLY";
    case ProjectionType::kInclude: return "INCLUDE";
  }
  return "";
}

std::string_view TtlStatusName(TtlStatus status) {
  switch (status) {
    case TtlStatus::kDisabled: return "DISABLED";
    case TtlStatus::kEnabling: return "ENABLING";
    case TtlStatus::kEnabled: return "ENABLED";
    case TtlStatus::kDisabling: return "DISABLING";
  }
  return "";
}

std::string_view KinesisStatusName(KinesisStatus status) {
  switch (status) {
    case KinesisStatus::kEnabling: return "ENABLING";
    case KinesisStatus::kActive: return "ACTIVE";
    case KinesisStatus::kDisabling: return "DISABLING";
    case KinesisStatus::kDisabled: return "DISABLED";
    case KinesisStatus::kEnableFailed: return "ENABLE_FAILED";
    case KinesisStatus::kUpdating: return "UPDATING";
  }
  return "";
}

std::string_view BillingModeName(BillingMode mode) {
  return mode == BillingMode::kProvisioned ? "PROVISIONED" : "PAY_PER_REQUEST";
}

}  // namespace armature::model
