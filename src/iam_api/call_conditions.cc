#include "iam_api/call_conditions.h"

#include <span>

#include "iam/entities/names.h"

namespace armature::iam_api {

using policy::ConditionValues;
using policy::KnownKey;

void CallConditions::SetRequestTags(const wire::List<wire::iam::TagInput>& tags) {
  for (const auto& tag : tags) {
    tag_keys_.push_back(*tag.Key);
    tag_values_.push_back(*tag.Value);
  }
}

void CallConditions::SetRequestTagKeys(const wire::List<std::string_view>& keys) {
  tag_keys_.assign(keys.begin(), keys.end());
}

ConditionValues CallConditions::Find(const policy::ConditionKey& key) const {
  const auto one_unless_empty = [](std::string_view value) {
    return value.empty() ? ConditionValues::None() : ConditionValues::One(value);
  };
  switch (key.known) {
    case KnownKey::kIamPolicyArn: return one_unless_empty(policy_arn);
    case KnownKey::kIamPermissionsBoundary: return one_unless_empty(boundary);
    case KnownKey::kIamAwsServiceName: return one_unless_empty(service_name);
    case KnownKey::kTagKeys: return ConditionValues::Many(std::span<const std::string_view>(tag_keys_));
    case KnownKey::kRequestTag:
      for (size_t i = 0; i < tag_values_.size(); ++i)
        if (iam::FoldCase(tag_keys_[i]) == key.tag) return ConditionValues::One(tag_values_[i]);
      return ConditionValues::None();
    case KnownKey::kResourceTag:
    case KnownKey::kIamResourceTag:
      if (resource_tags)
        for (const iam::Tag& tag : *resource_tags)
          if (iam::FoldCase(tag.key) == key.tag) return ConditionValues::One(tag.value);
      return ConditionValues::None();
    default: return ConditionValues::None();
  }
}

iam::Tags TagsOf(const wire::List<wire::iam::TagInput>& tags) {
  iam::Tags read;
  for (const auto& tag : tags) read.push_back({std::string(*tag.Key), std::string(*tag.Value)});
  return read;
}

}  // namespace armature::iam_api
