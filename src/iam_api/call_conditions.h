// CallConditions: the condition keys that only IAM's own calls have values for.
//
// Filled in by the operation before it asks whether the caller may. Refers to what it is given: lives for one call.
// Internal to iam_api/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "iam/entities/entities.h"
#include "policy/context.h"
#include "wire/query/iam.h"

namespace armature::iam_api {

class CallConditions final : public policy::ConditionSource {
 public:
  // What is empty is absent.
  std::string_view policy_arn{};    // iam:PolicyARN: that is attached or detached
  std::string_view boundary{};      // iam:PermissionsBoundary: that is set, else that of whom the call is about
  std::string_view service_name{};  // iam:AWSServiceName
  const iam::Tags* resource_tags = nullptr;

  // aws:RequestTag and aws:TagKeys.
  void SetRequestTags(const wire::List<wire::iam::TagInput>& tags);
  void SetRequestTagKeys(const wire::List<std::string_view>& keys);

  policy::ConditionValues Find(const policy::ConditionKey& key) const override;

 private:
  std::vector<std::string_view> tag_keys_;
  std::vector<std::string_view> tag_values_;  // of each of them, or of none
};

// As the entities have them.
iam::Tags TagsOf(const wire::List<wire::iam::TagInput>& tags);

}  // namespace armature::iam_api
