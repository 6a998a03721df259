#include "iam/changes/policies.h"

#include <algorithm>
#include <charconv>

#include "iam/changes/find.h"
#include "iam/entities/ids.h"

namespace armature::iam {

namespace {

IamResult<DocumentRef> MakeManagedDocument(std::string_view text) {
  ARMATURE_TRY(auto document, MakeDocument(text, policy::PolicyKind::kIdentity));
  if (document->counted_size > quotas::kManagedPolicySize)
    return LimitExceeded(fmt::format(messages::kQuota, "PolicySize", quotas::kManagedPolicySize));
  return document;
}

// Null: there is none, or it is not this account's to use.
IamResult<PolicyRef> Find(const Snapshot& state, std::string_view account, std::string_view arn) {
  ARMATURE_TRY(const EntityArn parts, ParseEntityArn(arn));
  if (parts.kind != "policy") return InvalidInput(fmt::format(messages::kArnInvalid, arn));
  PolicyRef policy = state.FindPolicy(arn);
  return policy && (policy->account == account || policy->account == "aws") ? policy : nullptr;
}

IamResult<std::shared_ptr<ManagedPolicy>> EditPolicy(const Draft& draft, std::string_view account,
                                                     std::string_view arn) {
  ARMATURE_TRY(const PolicyRef policy, Find(draft.state(), account, arn));
  if (!policy || policy->account != account) return NoSuchEntity(fmt::format(messages::kPolicyNotFound, arn));
  return std::make_shared<ManagedPolicy>(*policy);
}

}  // namespace

IamResult<PolicyRef> MustFindAttachable(const Snapshot& state, std::string_view account, std::string_view arn) {
  ARMATURE_TRY(PolicyRef policy, Find(state, account, arn));
  if (!policy) return NoSuchEntity(fmt::format(messages::kPolicyNotAttachable, arn));
  if (policy->path.starts_with("/aws-service-role/")) return PolicyNotAttachable(messages::kServicePolicy);
  return policy;
}

IamResult<PolicyRef> MustFindPolicy(const Snapshot& state, std::string_view account, std::string_view arn) {
  ARMATURE_TRY(PolicyRef policy, Find(state, account, arn));
  if (!policy) return NoSuchEntity(fmt::format(messages::kPolicyNotFound, arn));
  return policy;
}

IamResult<PolicyVersion> MustFindVersion(const ManagedPolicy& policy, std::string_view version) {
  int64_t number = 0;
  const char* const end = version.data() + version.size();
  if (version.starts_with('v') && std::from_chars(version.data() + 1, end, number).ptr == end)
    if (const PolicyVersion* const found = policy.FindVersion(number)) return *found;
  return NoSuchEntity(fmt::format(messages::kVersionNotFound, ArnOf(policy), version));
}

IamResult<PolicyRef> CreatePolicy(Draft& draft, std::string_view account, const NewPolicy& given) {
  ARMATURE_CHECK_OK(CheckAccount(account));
  ARMATURE_CHECK_OK(CheckName("policyName", given.name, quotas::kPolicyName));
  ARMATURE_CHECK_OK(CheckPath(given.path));
  ARMATURE_CHECK_OK(CheckTags(given.tags));
  ARMATURE_CHECK_OK(CheckDescription(given.description));
  const AccountState& state = draft.AccountOf(account);
  if (state.policies.Find(given.name))
    return EntityAlreadyExists(fmt::format(messages::kPolicyAlreadyExists, given.name));
  if (state.policies.size() >= quotas::kPolicies)
    return LimitExceeded(fmt::format(messages::kQuota, "PoliciesPerAccount", quotas::kPolicies));
  ARMATURE_TRY(auto document, MakeManagedDocument(given.document));
  auto policy = std::make_shared<ManagedPolicy>();
  policy->account = account;
  policy->id = MakeUniqueId(kPolicyPrefix, account, draft.random());
  policy->name = given.name;
  policy->path = given.path;
  policy->created_millis = policy->updated_millis = draft.now_millis();
  policy->tags = given.tags;
  policy->description = given.description;
  policy->versions.push_back({1, std::move(document), draft.now_millis()});
  PolicyRef made = std::move(policy);
  draft.Put(made);
  return made;
}

IamResult<void> DeletePolicy(Draft& draft, std::string_view account, std::string_view arn) {
  ARMATURE_TRY(const auto policy, EditPolicy(draft, account, arn));
  const PolicyUse use = CountUseOf(draft.AccountOf(account), arn);
  if (use.attachments + use.boundaries > 0) return DeleteConflict(messages::kPolicyInUse);
  if (policy->versions.size() > 1) return DeleteConflict(messages::kDeleteVersionsFirst);
  draft.Remove(*policy);
  return {};
}

IamResult<PolicyVersion> CreatePolicyVersion(Draft& draft, std::string_view account, std::string_view arn,
                                             std::string_view document, bool is_default) {
  ARMATURE_TRY(auto policy, EditPolicy(draft, account, arn));
  ARMATURE_TRY(auto made, MakeManagedDocument(document));
  if (policy->versions.size() >= quotas::kVersionsPerPolicy)
    return LimitExceeded(fmt::format(messages::kTooManyVersions, quotas::kVersionsPerPolicy));
  PolicyVersion version{policy->next_version++, std::move(made), draft.now_millis()};
  policy->versions.push_back(version);
  if (is_default) policy->default_version = version.number;
  policy->updated_millis = draft.now_millis();
  draft.Put(PolicyRef(std::move(policy)));
  return version;
}

IamResult<void> DeletePolicyVersion(Draft& draft, std::string_view account, std::string_view arn,
                                    std::string_view version) {
  ARMATURE_TRY(auto policy, EditPolicy(draft, account, arn));
  ARMATURE_TRY(const PolicyVersion found, MustFindVersion(*policy, version));
  if (found.number == policy->default_version) return DeleteConflict(messages::kDefaultVersion);
  std::erase_if(policy->versions, [&](const PolicyVersion& one) { return one.number == found.number; });
  draft.Put(PolicyRef(std::move(policy)));
  return {};
}

IamResult<void> SetDefaultPolicyVersion(Draft& draft, std::string_view account, std::string_view arn,
                                        std::string_view version) {
  ARMATURE_TRY(auto policy, EditPolicy(draft, account, arn));
  ARMATURE_TRY(const PolicyVersion found, MustFindVersion(*policy, version));
  policy->default_version = found.number;
  policy->updated_millis = draft.now_millis();
  draft.Put(PolicyRef(std::move(policy)));
  return {};
}

}  // namespace armature::iam
