// SimulateCustomPolicy and SimulatePrincipalPolicy: what policies would decide, and which statements of them.
#include <algorithm>

#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/page.h"
#include "iam_api/simulation/principal_policies.h"
#include "iam_api/simulation/simulation.h"
#include "model/names/arn.h"

namespace armature::iam_api {

namespace {

// Whom the simulated request comes from. Views into what it was made of.
struct SimulatedCaller {
  std::string arn;
  std::string account;
  std::string id;
  std::string name;

  policy::Principal AsPrincipal() const {
    policy::Principal principal;
    principal.kind = policy::PrincipalKind::kUser;
    principal.arn = arn;
    principal.account = account;
    principal.unique_id = principal.user_id = id;
    principal.user_name = name;
    return principal;
  }
};

model::ApiResult<SimulatedCaller> CallerNamed(const Call& call, std::string_view arn) {
  const auto parsed = model::ParseArn(arn);
  if (!parsed || parsed->service != "iam" || !parsed->resource.starts_with("user/"))
    return wire::iam::InvalidInput("CallerArn must be the ARN of an IAM user.");
  SimulatedCaller caller{std::string(arn), std::string(parsed->account), {}, {}};
  if (const iam::UserRef user = call.state().FindUser(arn)) caller.id = user->id;
  caller.name = parsed->resource.substr(parsed->resource.rfind('/') + 1);
  return caller;
}

// "111122223333" of itself, or of an ARN of that account.
std::string_view AccountIn(std::string_view owner) {
  const auto parsed = model::ParseArn(owner);
  return parsed ? parsed->account : owner;
}

template <class Input>
QueryResult AddGivenPolicies(const Input& input, Simulation& simulation) {
  size_t number = 0;
  for (const std::string_view text : input.PolicyInputList)
    ARMATURE_CHECK_OK(simulation.AddIdentityPolicy(text, fmt::format("PolicyInputList.{}", ++number)));
  if (input.PermissionsBoundaryPolicyInputList.size() > 1)
    return wire::iam::InvalidInput("PermissionsBoundaryPolicyInputList can have one policy.");
  for (const std::string_view text : input.PermissionsBoundaryPolicyInputList)
    ARMATURE_CHECK_OK(simulation.SetBoundary(text));
  if (input.ResourcePolicy) {
    if (!input.CallerArn) return wire::iam::InvalidInput("CallerArn is required when ResourcePolicy is given.");
    ARMATURE_CHECK_OK(simulation.SetResourcePolicy(*input.ResourcePolicy));
  }
  return {};
}

// Every action on every resource, as far as they are on the page.
template <class Input, class Output>
QueryResult RunAll(const Input& input, const Simulation& simulation, const SimulatedCaller& caller, Output& output) {
  for (const std::string_view action : input.ActionNames)
    if (const size_t colon = action.find(':'); colon == 0 || colon >= action.size() - 1)
      return wire::iam::InvalidInput(fmt::format("Invalid Action: {}", action));
  ARMATURE_TRY(Page page, Page::Of(input));
  std::vector<std::string_view> resources(input.ResourceArns.begin(), input.ResourceArns.end());
  if (resources.empty()) resources.emplace_back("*");
  const GivenConditions conditions(input.ContextEntries);
  const std::string_view owner = input.ResourceOwner ? AccountIn(*input.ResourceOwner) : std::string_view();
  output.EvaluationResults.emplace();
  size_t number = 0;
  for (const std::string_view action : input.ActionNames)
    for (const std::string_view resource : resources) {
      if (page.is_full()) break;
      if (page.Takes(fmt::format("{:010}", number++)))
        output.EvaluationResults->push_back(simulation.Run(action, resource, owner, caller.AsPrincipal(), conditions));
    }
  page.Finish(output);
  return {};
}

Task<QueryResult> SimulateCustomPolicy(IamService& service, QueryContext& context,
                                       const wire::iam::SimulateCustomPolicyInput& input,
                                       wire::iam::SimulateCustomPolicyOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  Simulation simulation;
  ARMATURE_CO_CHECK_OK(AddGivenPolicies(input, simulation));
  SimulatedCaller caller{{}, call.account(), {}, {}};
  if (input.CallerArn) { ARMATURE_CO_TRY(caller, CallerNamed(call, *input.CallerArn)); }
  co_return RunAll(input, simulation, caller, output);
}

// Whether the simulation is to go without it.
bool IsExcluded(const wire::List<wire::iam::PolicyIdentifierInput>& excluded, const SourcedPolicy& policy) {
  return std::any_of(excluded.begin(), excluded.end(), [&](const wire::iam::PolicyIdentifierInput& one) {
    if (one.PolicyArn && !policy.arn.empty()) return *one.PolicyArn == policy.arn;
    const auto* const inside = one.InlinePolicyIdentifier;
    return inside && policy.arn.empty() && inside->PolicyName.value_or({}) == policy.name &&
           inside->AttachmentName.value_or(policy.holder) == policy.holder &&
           inside->AttachmentType.value_or(policy.holder_kind) == policy.holder_kind;
  });
}

Task<QueryResult> SimulatePrincipalPolicy(IamService& service, QueryContext& context,
                                          const wire::iam::SimulatePrincipalPolicyInput& input,
                                          wire::iam::SimulatePrincipalPolicyOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay(*input.PolicySourceArn));
  ARMATURE_CO_TRY(const PrincipalPolicies principal, PoliciesOf(call, *input.PolicySourceArn));
  Simulation simulation;
  for (const SourcedPolicy& policy : principal.policies)
    if (!IsExcluded(input.PolicyExclusionList, policy))
      simulation.AddIdentityPolicy(policy.document, policy.SourceId());
  if (principal.boundary) simulation.SetBoundary(principal.boundary);
  ARMATURE_CO_CHECK_OK(AddGivenPolicies(input, simulation));
  SimulatedCaller caller{principal.user_arn, call.account(), principal.id, principal.user_name};
  if (input.CallerArn) { ARMATURE_CO_TRY(caller, CallerNamed(call, *input.CallerArn)); }
  co_return RunAll(input, simulation, caller, output);
}

}  // namespace

void AddSimulationOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<SimulateCustomPolicy>(service);
  operations.Add<SimulatePrincipalPolicy>(service);
}

}  // namespace armature::iam_api
