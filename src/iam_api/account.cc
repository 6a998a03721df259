// The account: CreateAccountAlias, DeleteAccountAlias, ListAccountAliases, GetAccountSummary.
#include <map>

#include "iam/changes/accounts.h"
#include "iam/entities/quotas.h"
#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/page.h"

namespace armature::iam_api {

namespace {

namespace quotas = iam::quotas;

Task<QueryResult> CreateAccountAlias(IamService& service, QueryContext& context,
                                     const wire::iam::CreateAccountAliasInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  co_return co_await Apply(
      service, [&](iam::Draft& draft) { return iam::CreateAccountAlias(draft, call.account(), *input.AccountAlias); });
}

Task<QueryResult> DeleteAccountAlias(IamService& service, QueryContext& context,
                                     const wire::iam::DeleteAccountAliasInput& input) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  co_return co_await Apply(
      service, [&](iam::Draft& draft) { return iam::DeleteAccountAlias(draft, call.account(), *input.AccountAlias); });
}

Task<QueryResult> ListAccountAliases(IamService& service, QueryContext& context,
                                     const wire::iam::ListAccountAliasesInput& input,
                                     wire::iam::ListAccountAliasesOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  const std::string& alias = call.account_state().info.alias;
  if (!alias.empty() && page.Takes(alias)) output.AccountAliases.push_back(alias);
  page.Finish(output);
  co_return QueryResult();
}

int64_t VersionsIn(const iam::AccountState& account) {
  size_t versions = 0;
  account.policies.by_name().ForEach(
      [&](std::string_view, const iam::PolicyRef& policy) { versions += policy->versions.size(); });
  return static_cast<int64_t>(versions);
}

Task<QueryResult> GetAccountSummary(IamService& service, QueryContext& context,
                                    const wire::iam::GetAccountSummaryInput&,
                                    wire::iam::GetAccountSummaryOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  const iam::AccountState& account = call.account_state();
  const auto count = [](size_t size) { return static_cast<int64_t>(size); };
  std::map<std::string, int64_t> summary = {
      {"AccessKeysPerUserQuota", count(quotas::kAccessKeysPerUser)},
      {"AccountAccessKeysPresent", account.info.root_keys.empty() ? 0 : 1},
      {"AccountMFAEnabled", 0},
      {"AssumeRolePolicySizeQuota", count(quotas::kTrustPolicySize)},
      {"AttachedPoliciesPerGroupQuota", count(quotas::kAttachedPolicies)},
      {"AttachedPoliciesPerRoleQuota", count(quotas::kAttachedPolicies)},
      {"AttachedPoliciesPerUserQuota", count(quotas::kAttachedPolicies)},
      {"GroupPolicySizeQuota", count(quotas::kGroupInlineSize)},
      {"Groups", count(account.groups.size())},
      {"GroupsPerUserQuota", count(quotas::kGroupsPerUser)},
      {"GroupsQuota", count(quotas::kGroups)},
      {"InstanceProfiles", 0},
      {"MFADevices", 0},
      {"MFADevicesInUse", 0},
      {"Policies", count(account.policies.size())},
      {"PoliciesQuota", count(quotas::kPolicies)},
      {"PolicySizeQuota", count(quotas::kManagedPolicySize)},
      {"PolicyVersionsInUse", VersionsIn(account)},
      {"Providers", count(account.providers.size())},
      {"RolePolicySizeQuota", count(quotas::kRoleInlineSize)},
      {"Roles", count(account.roles.size())},
      {"RolesQuota", count(quotas::kRoles)},
      {"UserPolicySizeQuota", count(quotas::kUserInlineSize)},
      {"Users", count(account.users.size())},
      {"UsersQuota", count(quotas::kUsers)},
      {"VersionsPerPolicyQuota", count(quotas::kVersionsPerPolicy)},
  };
  output.SummaryMap = std::move(summary);
  co_return QueryResult();
}

}  // namespace

void AddAccountOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<CreateAccountAlias>(service);
  operations.Add<DeleteAccountAlias>(service);
  operations.Add<ListAccountAliases>(service);
  operations.Add<GetAccountSummary>(service);
}

}  // namespace armature::iam_api
