// Managed policies of users, groups and roles: Attach…Policy, Detach…Policy, ListAttached…Policies.
#include "iam/changes/grants.h"
#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/page.h"
#include "iam_api/replies.h"

namespace armature::iam_api {

namespace {

template <class E, class Input>
Task<QueryResult> Attach(IamService& service, QueryContext& context, const Input& input) {
  const Call call(service, context);
  const std::string_view name = NameIn<E>(input);
  CallConditions conditions;
  conditions.policy_arn = *input.PolicyArn;
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<E>(name, conditions));
  co_return co_await Apply(
      service, [&](iam::Draft& draft) { return iam::AttachPolicy<E>(draft, call.account(), name, *input.PolicyArn); });
}

template <class E, class Input>
Task<QueryResult> Detach(IamService& service, QueryContext& context, const Input& input) {
  const Call call(service, context);
  const std::string_view name = NameIn<E>(input);
  CallConditions conditions;
  conditions.policy_arn = *input.PolicyArn;
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<E>(name, conditions));
  co_return co_await Apply(
      service, [&](iam::Draft& draft) { return iam::DetachPolicy<E>(draft, call.account(), name, *input.PolicyArn); });
}

template <class E, class Input, class Output>
Task<QueryResult> ListAttached(IamService& service, QueryContext& context, const Input& input, Output& output) {
  const Call call(service, context);
  const std::string_view name = NameIn<E>(input);
  ARMATURE_CO_CHECK_OK(call.CheckMayWith<E>(name));
  ARMATURE_CO_TRY(const auto holder, call.Find<E>(name));
  ARMATURE_CO_TRY(Page page, Page::Of(input));
  output.AttachedPolicies.emplace();
  for (auto& attached : AttachedTo(call.state(), *holder, input.PathPrefix.value_or("/")))
    if (page.Takes(*attached.PolicyArn)) output.AttachedPolicies->push_back(std::move(attached));
  page.Finish(output);
  co_return QueryResult();
}

}  // namespace

void AddAttachedPolicyOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<Attach<iam::User, wire::iam::AttachUserPolicyInput>>(service);
  operations.Add<Attach<iam::Group, wire::iam::AttachGroupPolicyInput>>(service);
  operations.Add<Attach<iam::Role, wire::iam::AttachRolePolicyInput>>(service);
  operations.Add<Detach<iam::User, wire::iam::DetachUserPolicyInput>>(service);
  operations.Add<Detach<iam::Group, wire::iam::DetachGroupPolicyInput>>(service);
  operations.Add<Detach<iam::Role, wire::iam::DetachRolePolicyInput>>(service);
  operations.Add<
      ListAttached<iam::User, wire::iam::ListAttachedUserPoliciesInput, wire::iam::ListAttachedUserPoliciesOutput>>(
      service);
  operations.Add<
      ListAttached<iam::Group, wire::iam::ListAttachedGroupPoliciesInput, wire::iam::ListAttachedGroupPoliciesOutput>>(
      service);
  operations.Add<
      ListAttached<iam::Role, wire::iam::ListAttachedRolePoliciesInput, wire::iam::ListAttachedRolePoliciesOutput>>(
      service);
}

}  // namespace armature::iam_api
