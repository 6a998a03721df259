// SimulateCustomPolicy and SimulatePrincipalPolicy: what policies would decide, and which statements of them.
#include <algorithm>

#include "base/tasks/heavy_lane.h"
#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/simulation/numbered_page.h"
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
  size_t number = 0, bytes = input.ResourcePolicy.value_or({}).size();
  ARMATURE_CHECK_OK(CountGivenPolicies(input.PermissionsBoundaryPolicyInputList, bytes));
  ARMATURE_CHECK_OK(CountGivenPolicies(input.PolicyInputList, bytes));
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

// How much of a list one page goes over: it ends early when it has had so much, and always has one result.
class PageBudget {
 public:
  explicit PageBudget(size_t policy_bytes) : policy_bytes_(policy_bytes) {}

  void Take(const wire::iam::EvaluationResult& result) {
    gone_over_ += policy_bytes_;
    reply_bytes_ += kBytesOfResult + result.EvalResourceName->size();
    for (const auto& statement : *result.MatchedStatements)
      reply_bytes_ += kBytesOfStatement + statement.SourcePolicyId->size();
    for (const std::string& key : *result.MissingContextValues) reply_bytes_ += kBytesOfKey + key.size();
  }
  bool is_spent() const { return gone_over_ >= kMostGoneOver || reply_bytes_ >= kMostReplyBytes; }

 private:
  static constexpr size_t kMostGoneOver = size_t{64} << 20;
  static constexpr size_t kMostReplyBytes = size_t{1} << 20;
  // What the reply has around texts, roughly.
  static constexpr size_t kBytesOfResult = 500;
  static constexpr size_t kBytesOfStatement = 300;
  static constexpr size_t kBytesOfKey = 20;

  const size_t policy_bytes_;
  size_t gone_over_ = 0;
  size_t reply_bytes_ = 0;
};

// Every action on every resource, as far as they are on the page. Others go first after each: a decision by long
// policies takes a while.
template <class Input, class Output>
Task<QueryResult> RunAll(const Input& input, const Simulation& simulation, const SimulatedCaller& caller,
                         Output& output) {
  for (const std::string_view action : input.ActionNames)
    if (const size_t colon = action.find(':'); colon == 0 || colon >= action.size() - 1)
      co_return wire::iam::InvalidInput(fmt::format("Invalid Action: {}", action));
  ARMATURE_CO_CHECK_OK(CheckContextSize(input.ContextEntries));
  const size_t resources = std::max<size_t>(input.ResourceArns.size(), 1);
  ARMATURE_CO_TRY(NumberedPage page,
                  NumberedPage::Begin(input.Marker, input.MaxItems, input.ActionNames.size() * resources));
  const GivenConditions conditions(input.ContextEntries);
  const std::string_view owner = input.ResourceOwner ? AccountIn(*input.ResourceOwner) : std::string_view();
  output.EvaluationResults.emplace();
  for (PageBudget budget(simulation.policy_bytes()); !page.is_complete() && !budget.is_spent(); page.Advance()) {
    const std::string_view action = input.ActionNames[page.next() / resources];
    const std::string_view resource =
        input.ResourceArns.empty() ? std::string_view("*") : input.ResourceArns[page.next() % resources];
    output.EvaluationResults->push_back(simulation.Run(action, resource, owner, caller.AsPrincipal(), conditions));
    budget.Take(output.EvaluationResults->back());
    co_await HeavyLane::Yield();
  }
  page.Finish(output);
  co_return QueryResult();
}

Task<QueryResult> SimulateCustomPolicy(IamService& service, QueryContext& context,
                                       const wire::iam::SimulateCustomPolicyInput& input,
                                       wire::iam::SimulateCustomPolicyOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  HeavyLane::Pass pass;
  co_await pass.Take();
  Simulation simulation;
  ARMATURE_CO_CHECK_OK(AddGivenPolicies(input, simulation));
  SimulatedCaller caller{{}, call.account(), {}, {}};
  if (input.CallerArn) { ARMATURE_CO_TRY(caller, CallerNamed(call, *input.CallerArn)); }
  co_return co_await RunAll(input, simulation, caller, output);
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
  HeavyLane::Pass pass;
  co_await pass.Take();
  ARMATURE_CO_TRY(const PrincipalPolicies principal, PoliciesOf(call, *input.PolicySourceArn));
  Simulation simulation;
  for (const SourcedPolicy& policy : principal.policies)
    if (!IsExcluded(input.PolicyExclusionList, policy))
      simulation.AddIdentityPolicy(policy.document, policy.SourceId());
  if (principal.boundary) simulation.SetBoundary(principal.boundary);
  ARMATURE_CO_CHECK_OK(AddGivenPolicies(input, simulation));
  SimulatedCaller caller{principal.user_arn, call.account(), principal.id, principal.user_name};
  if (input.CallerArn) { ARMATURE_CO_TRY(caller, CallerNamed(call, *input.CallerArn)); }
  co_return co_await RunAll(input, simulation, caller, output);
}

}  // namespace

void AddSimulationOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<SimulateCustomPolicy>(service);
  operations.Add<SimulatePrincipalPolicy>(service);
}

}  // namespace armature::iam_api
