#include "iam/access/policy_authorizer.h"

#include <optional>
#include <string>
#include <vector>

#include "auth/access.h"
#include "iam/access/authorize.h"
#include "iam/entities/names.h"
#include "policy/resource/resource_policy.h"

namespace armature::iam {

namespace {

using policy::ConditionValues;
using policy::KnownKey;

// The keys that an operation of DynamoDB's or DAX's has values for.
class AccessSource final : public policy::ConditionSource {
 public:
  explicit AccessSource(const auth::Access& access) : access_(access) {}

  ConditionValues Find(const policy::ConditionKey& key) const override {
    switch (key.known) {
      case KnownKey::kLeadingKeys: return Many(made().partition_keys[0]);
      case KnownKey::kSecondPartitionKeyValues: return Many(made().partition_keys[1]);
      case KnownKey::kThirdPartitionKeyValues: return Many(made().partition_keys[2]);
      case KnownKey::kFourthPartitionKeyValues: return Many(made().partition_keys[3]);
      case KnownKey::kAttributes: return ConditionValues::Many(std::span<const std::string_view>(made().attributes));
      case KnownKey::kSelect: return OneUnlessEmpty(made().select);
      case KnownKey::kReturnValues: return OneUnlessEmpty(made().return_values);
      case KnownKey::kReturnConsumedCapacity: return OneUnlessEmpty(made().return_consumed_capacity);
      case KnownKey::kEnclosingOperation: return OneUnlessEmpty(made().enclosing_operation);
      case KnownKey::kFullTableScan:
        if (!made().full_table_scan) return ConditionValues::None();
        return ConditionValues::One(*made().full_table_scan ? "true" : "false");
      case KnownKey::kRequestTag: return FindTag(made().request_tags, key.tag);
      case KnownKey::kResourceTag: return FindTag(tags().tags, key.tag);
      case KnownKey::kTagKeys: return TagKeys();
      case KnownKey::kIamPassedToService: return OneUnlessEmpty(made().passed_to_service);
      default: return ConditionValues::None();
    }
  }

 private:
  static ConditionValues OneUnlessEmpty(std::string_view value) {
    return value.empty() ? ConditionValues::None() : ConditionValues::One(value);
  }
  static ConditionValues Many(const std::vector<std::string>& values) {
    return ConditionValues::Many(std::span<const std::string>(values));
  }
  static ConditionValues FindTag(const std::vector<auth::Tag>& tags, std::string_view folded_key) {
    for (const auth::Tag& tag : tags)
      if (FoldCase(tag.key) == folded_key) return ConditionValues::One(tag.value);
    return ConditionValues::None();
  }
  ConditionValues TagKeys() const {
    if (tag_keys_.empty()) {
      tag_keys_ = made().bare_tag_keys;
      for (const auth::Tag& tag : made().request_tags) tag_keys_.push_back(tag.key);
    }
    return ConditionValues::Many(std::span<const std::string_view>(tag_keys_));
  }
  const auth::AccessConditions& made() const {
    if (!made_) made_.emplace(access_.conditions());
    return *made_;
  }

  const auth::ResourceTags& tags() const {
    if (!tags_) tags_.emplace(access_.resource_tags());
    return *tags_;
  }

  const auth::Access& access_;
  mutable std::optional<auth::AccessConditions> made_;
  mutable std::optional<auth::ResourceTags> tags_;
  mutable std::vector<std::string_view> tag_keys_;
};

}  // namespace

std::shared_ptr<const policy::Policy> PolicyAuthorizer::FindPolicy(const auth::Principal& principal,
                                                                   const auth::Access& access) const {
  if (!resource_policies_ || access.future_policy()) return nullptr;
  const bool is_own = access.resource().account.empty() || access.resource().account == principal.identity->account;
  // What cannot be granted to other accounts is as if nothing were granted to them.
  if (!is_own && !policy::WorksAcrossAccounts(access.action())) return nullptr;
  return resource_policies_->Find(access.resource());
}

model::ApiResult<void> PolicyAuthorizer::Authorize(const auth::Principal& principal, const auth::Access& access) const {
  const auth::Resource& resource = access.resource();
  const std::string arn = resource.Arn();
  const auto stored = FindPolicy(principal, access);
  const policy::Policy* const of_resource = access.future_policy() ? access.future_policy() : stored.get();
  const AccessSource source(access);
  const Ask ask{.action = access.action(),
                .resource = arn,
                .resource_account = resource.account,
                .resource_policy = of_resource,
                .conditions = &source};
  const policy::Decision decision = Decide(*principal.identity, access.circumstances(), ask);
  if (decision.allowed()) [[likely]]
    return {};
  return model::AccessDeniedException(DenialText(*principal.identity, ask, decision));
}

}  // namespace armature::iam
