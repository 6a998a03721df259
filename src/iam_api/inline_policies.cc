// Policies inside users, groups and roles: Put…Policy, Get…Policy, Delete…Policy, List…Policies.
#include <algorithm>

#include "iam/changes/grants.h"
#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/page.h"

namespace armature::iam_api {

namespace {

template <class E, class Input>
Task<QueryResult> PutPolicy(IamService& service, QueryContext& context, const Input& input) {
  const Call call(service, context);
  const std::string_view name = NameIn<E>(input);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<E>(name));
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::PutInlinePolicy<E>(draft, call.account(), name, *input.PolicyName, *input.PolicyDocument);
  });
}

template <class E, class Input>
Task<QueryResult> DeletePolicy(IamService& service, QueryContext& context, const Input& input) {
  const Call call(service, context);
  const std::string_view name = NameIn<E>(input);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<E>(name));
  co_return co_await Apply(service, [&](iam::Draft& draft) {
    return iam::DeleteInlinePolicy<E>(draft, call.account(), name, *input.PolicyName);
  });
}

template <class E, class Input, class Output>
Task<QueryResult> GetPolicy(IamService& service, QueryContext& context, const Input& input, Output& output) {
  const Call call(service, context);
  const std::string_view name = NameIn<E>(input);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<E>(name));
  ARMATURE_CO_TRY(const auto holder, call.Find<E>(name));
  ARMATURE_CO_TRY(const iam::InlinePolicy policy,
                  iam::Told(iam::MustFindInlinePolicy<E>(call.state(), call.account(), name, *input.PolicyName)));
  if constexpr (std::is_same_v<E, iam::User>) output.UserName = holder->name;
  else if constexpr (std::is_same_v<E, iam::Group>) output.GroupName = holder->name;
  else output.RoleName = holder->name;
  output.PolicyName = policy.name;
  output.PolicyDocument = policy.document->text;
  co_return QueryResult();
}

template <class E, class Input, class Output>
Task<QueryResult> ListPolicies(IamService& service, QueryContext& context, const Input& input, Output& output) {
  const Call call(service, context);
  const std::string_view name = NameIn<E>(input);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<E>(name));
  ARMATURE_CO_TRY(const auto holder, call.Find<E>(name));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  std::vector<std::string_view> names;
  for (const iam::InlinePolicy& policy : holder->inline_policies) names.push_back(policy.name);
  std::ranges::sort(names);
  for (const std::string_view policy : names)
    if (page.Takes(policy)) output.PolicyNames.emplace_back(policy);
  page.Finish(output);
  co_return QueryResult();
}

}  // namespace

void AddInlinePolicyOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<PutPolicy<iam::User, wire::iam::PutUserPolicyInput>>(service);
  operations.Add<PutPolicy<iam::Group, wire::iam::PutGroupPolicyInput>>(service);
  operations.Add<PutPolicy<iam::Role, wire::iam::PutRolePolicyInput>>(service);
  operations.Add<DeletePolicy<iam::User, wire::iam::DeleteUserPolicyInput>>(service);
  operations.Add<DeletePolicy<iam::Group, wire::iam::DeleteGroupPolicyInput>>(service);
  operations.Add<DeletePolicy<iam::Role, wire::iam::DeleteRolePolicyInput>>(service);
  operations.Add<GetPolicy<iam::User, wire::iam::GetUserPolicyInput, wire::iam::GetUserPolicyOutput>>(service);
  operations.Add<GetPolicy<iam::Group, wire::iam::GetGroupPolicyInput, wire::iam::GetGroupPolicyOutput>>(service);
  operations.Add<GetPolicy<iam::Role, wire::iam::GetRolePolicyInput, wire::iam::GetRolePolicyOutput>>(service);
  operations.Add<ListPolicies<iam::User, wire::iam::ListUserPoliciesInput, wire::iam::ListUserPoliciesOutput>>(service);
  operations.Add<ListPolicies<iam::Group, wire::iam::ListGroupPoliciesInput, wire::iam::ListGroupPoliciesOutput>>(
      service);
  operations.Add<ListPolicies<iam::Role, wire::iam::ListRolePoliciesInput, wire::iam::ListRolePoliciesOutput>>(service);
}

}  // namespace armature::iam_api
