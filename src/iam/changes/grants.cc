#include "iam/changes/grants.h"

#include <algorithm>

#include "iam/changes/find.h"

namespace armature::iam {

namespace {

auto FindInline(const std::vector<InlinePolicy>& policies, std::string_view name) {
  return std::find_if(policies.begin(), policies.end(), [&](const auto& policy) { return policy.name == name; });
}

}  // namespace

template <class E>
IamResult<void> PutInlinePolicy(Draft& draft, std::string_view account, std::string_view name,
                                std::string_view policy_name, std::string_view document) {
  using Facts = KindFacts<E>;
  ARMATURE_CHECK_OK(CheckName("policyName", policy_name, quotas::kPolicyName));
  ARMATURE_TRY(auto entity, Edit<E>(draft, account, name));
  ARMATURE_CHECK_OK(CheckModifiable(*entity));
  ARMATURE_TRY(auto made, MakeDocument(document, policy::PolicyKind::kIdentity));
  auto& policies = entity->inline_policies;
  std::erase_if(policies, [&](const InlinePolicy& policy) { return policy.name == policy_name; });
  size_t size = made->counted_size;
  for (const InlinePolicy& policy : policies) size += policy.document->counted_size;
  if (size > Facts::kMostInline)
    return LimitExceeded(fmt::format(messages::kInlineTooLarge, Facts::kMostInline, Facts::kWord, name));
  const auto behind = std::find_if(policies.begin(), policies.end(),
                                   [&](const InlinePolicy& policy) { return policy.name.compare(policy_name) > 0; });
  policies.insert(behind, {std::string(policy_name), std::move(made)});
  draft.Put(std::shared_ptr<const E>(std::move(entity)));
  return {};
}

template <class E>
IamResult<void> DeleteInlinePolicy(Draft& draft, std::string_view account, std::string_view name,
                                   std::string_view policy_name) {
  ARMATURE_TRY(auto entity, Edit<E>(draft, account, name));
  ARMATURE_CHECK_OK(CheckModifiable(*entity));
  const auto policy = FindInline(entity->inline_policies, policy_name);
  if (policy == entity->inline_policies.end())
    return NoSuchEntity(fmt::format(messages::kInlineNotFound, KindFacts<E>::kWord, policy_name));
  entity->inline_policies.erase(policy);
  draft.Put(std::shared_ptr<const E>(std::move(entity)));
  return {};
}

template <class E>
IamResult<InlinePolicy> MustFindInlinePolicy(const Snapshot& state, std::string_view account, std::string_view name,
                                             std::string_view policy_name) {
  ARMATURE_TRY(const auto entity, MustFind<E>(state, account, name));
  const auto policy = FindInline(entity->inline_policies, policy_name);
  if (policy == entity->inline_policies.end())
    return NoSuchEntity(fmt::format(messages::kInlineNotFound, KindFacts<E>::kWord, policy_name));
  return *policy;
}

template <class E>
IamResult<void> AttachPolicy(Draft& draft, std::string_view account, std::string_view name,
                             std::string_view policy_arn) {
  using Facts = KindFacts<E>;
  ARMATURE_TRY(auto entity, Edit<E>(draft, account, name));
  ARMATURE_CHECK_OK(CheckModifiable(*entity));
  ARMATURE_CHECK_OK(MustFindAttachable(draft.state(), account, policy_arn));
  if (std::find(entity->attached.begin(), entity->attached.end(), policy_arn) != entity->attached.end()) return {};
  if (entity->attached.size() >= quotas::kAttachedPolicies)
    return LimitExceeded(fmt::format(messages::kQuota, Facts::kAttachedQuotaName, quotas::kAttachedPolicies));
  entity->attached.emplace_back(policy_arn);
  draft.Put(std::shared_ptr<const E>(std::move(entity)));
  return {};
}

template <class E>
IamResult<void> DetachPolicy(Draft& draft, std::string_view account, std::string_view name,
                             std::string_view policy_arn) {
  ARMATURE_TRY(auto entity, Edit<E>(draft, account, name));
  ARMATURE_CHECK_OK(CheckModifiable(*entity));
  ARMATURE_CHECK_OK(ParseEntityArn(policy_arn));
  // One whose policy cannot be read any more can be detached like any other.
  if (std::erase(entity->attached, policy_arn) == 0)
    return NoSuchEntity(fmt::format(messages::kPolicyNotFound, policy_arn));
  draft.Put(std::shared_ptr<const E>(std::move(entity)));
  return {};
}

template <class E>
IamResult<void> PutPermissionsBoundary(Draft& draft, std::string_view account, std::string_view name,
                                       std::string_view policy_arn) {
  ARMATURE_TRY(auto entity, Edit<E>(draft, account, name));
  ARMATURE_CHECK_OK(CheckModifiable(*entity));
  ARMATURE_CHECK_OK(MustFindAttachable(draft.state(), account, policy_arn));
  entity->boundary = policy_arn;
  draft.Put(std::shared_ptr<const E>(std::move(entity)));
  return {};
}

template <class E>
IamResult<void> DeletePermissionsBoundary(Draft& draft, std::string_view account, std::string_view name) {
  ARMATURE_TRY(auto entity, Edit<E>(draft, account, name));
  ARMATURE_CHECK_OK(CheckModifiable(*entity));
  if (entity->boundary.empty()) return NoSuchEntity(fmt::format(messages::kNoBoundary, KindFacts<E>::kWord, name));
  entity->boundary.clear();
  draft.Put(std::shared_ptr<const E>(std::move(entity)));
  return {};
}

#define ARMATURE_GRANTS_OF(E)                                                                                   \
  template IamResult<void> PutInlinePolicy<E>(Draft&, std::string_view, std::string_view, std::string_view,     \
                                              std::string_view);                                                \
  template IamResult<void> DeleteInlinePolicy<E>(Draft&, std::string_view, std::string_view, std::string_view); \
  template IamResult<InlinePolicy> MustFindInlinePolicy<E>(const Snapshot&, std::string_view, std::string_view, \
                                                           std::string_view);                                   \
  template IamResult<void> AttachPolicy<E>(Draft&, std::string_view, std::string_view, std::string_view);       \
  template IamResult<void> DetachPolicy<E>(Draft&, std::string_view, std::string_view, std::string_view)
ARMATURE_GRANTS_OF(User);
ARMATURE_GRANTS_OF(Group);
ARMATURE_GRANTS_OF(Role);
#undef ARMATURE_GRANTS_OF

template IamResult<void> PutPermissionsBoundary<User>(Draft&, std::string_view, std::string_view, std::string_view);
template IamResult<void> PutPermissionsBoundary<Role>(Draft&, std::string_view, std::string_view, std::string_view);
template IamResult<void> DeletePermissionsBoundary<User>(Draft&, std::string_view, std::string_view);
template IamResult<void> DeletePermissionsBoundary<Role>(Draft&, std::string_view, std::string_view);

}  // namespace armature::iam
