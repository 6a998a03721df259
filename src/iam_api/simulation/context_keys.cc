// GetContextKeysForCustomPolicy and GetContextKeysForPrincipalPolicy: what policies ask of a request.
#include <set>

#include "iam_api/call.h"
#include "iam_api/iam_operations.h"
#include "iam_api/simulation/principal_policies.h"
#include "iam_api/simulation/simulation.h"

namespace armature::iam_api {

namespace {

using Names = std::set<std::string>;

void AddKeys(const policy::Policy& policy, Names& names) {
  for (std::string& key : policy::ContextKeys(policy)) names.insert(std::move(key));
}

QueryResult AddKeysOf(const wire::List<std::string_view>& texts, Names& names) {
  size_t bytes = 0;
  ARMATURE_CHECK_OK(CountGivenPolicies(texts, bytes));
  for (const std::string_view text : texts) {
    const auto document = iam::MakeDocument(text, policy::PolicyKind::kIdentity);
    if (!document) return wire::iam::InvalidInput(document.error().message);
    AddKeys(*(*document)->compiled, names);
  }
  return {};
}

Task<QueryResult> GetContextKeysForCustomPolicy(IamService& service, QueryContext& context,
                                                const wire::iam::GetContextKeysForCustomPolicyInput& input,
                                                wire::iam::GetContextKeysForCustomPolicyOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay("*"));
  Names names;
  ARMATURE_CO_CHECK_OK(AddKeysOf(input.PolicyInputList, names));
  output.ContextKeyNames.emplace(names.begin(), names.end());
  co_return QueryResult();
}

Task<QueryResult> GetContextKeysForPrincipalPolicy(IamService& service, QueryContext& context,
                                                   const wire::iam::GetContextKeysForPrincipalPolicyInput& input,
                                                   wire::iam::GetContextKeysForPrincipalPolicyOutput& output) {
  const Call call(service, context);
  ARMATURE_CO_CHECK_OK(call.CheckMay(*input.PolicySourceArn));
  ARMATURE_CO_TRY(const PrincipalPolicies principal, PoliciesOf(call, *input.PolicySourceArn));
  Names names;
  for (const SourcedPolicy& policy : principal.policies) AddKeys(*policy.document->compiled, names);
  if (principal.boundary) AddKeys(*principal.boundary->compiled, names);
  ARMATURE_CO_CHECK_OK(AddKeysOf(input.PolicyInputList, names));
  output.ContextKeyNames.emplace(names.begin(), names.end());
  co_return QueryResult();
}

}  // namespace

void AddContextKeyOperations(query::QueryOperations& operations, IamService& service) {
  operations.Add<GetContextKeysForCustomPolicy>(service);
  operations.Add<GetContextKeysForPrincipalPolicy>(service);
}

}  // namespace armature::iam_api
