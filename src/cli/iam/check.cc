#include "cli/iam/check.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "auth/access.h"
#include "auth/identity.h"
#include "iam/access/authorize.h"
#include "iam/access/identities.h"
#include "iam/access/policy_set.h"
#include "iam/access/principal_conditions.h"
#include "iam/entities/names.h"
#include "policy/explain.h"
#include "policy/resource/resource_policy.h"

namespace armature::cli::iam_command {
namespace {

using policy::ConditionValues;

// What the question gives comes first, so that one can ask about another time or address, or about other tags.
class GivenConditions final : public policy::ConditionSource {
 public:
  GivenConditions(const Question& question, const Surroundings& surroundings, const policy::ConditionSource& others)
      : surroundings_(surroundings), others_(others) {
    for (const auto& [key, value] : question.context) {
      const std::string folded = iam::FoldCase(key);
      values_[std::string(Canonical(policy::ConditionKeyOf(folded)))].push_back(value);
    }
  }

  ConditionValues Find(const policy::ConditionKey& key) const override {
    const auto found = values_.find(Canonical(key));
    if (found != values_.end()) return ConditionValues::Many(std::span<const std::string>(found->second));
    if (key.known == policy::KnownKey::kResourceTag || key.known == policy::KnownKey::kIamResourceTag)
      for (const auto& [tag, value] : surroundings_.tags)
        if (iam::FoldCase(tag) == key.tag) return ConditionValues::One(value);
    return others_.Find(key);
  }

 private:
  // One key has two names.
  static std::string_view Canonical(const policy::ConditionKey& key) {
    return key.known == policy::KnownKey::kLeadingKeys ? "dynamodb:leadingkeys" : key.name;
  }

  const Surroundings& surroundings_;
  const policy::ConditionSource& others_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

using IdentityRef = std::shared_ptr<const auth::Identity>;

std::string_view AccountIn(std::string_view arn) {
  size_t begin = 0;
  for (int part = 0; part < 4; ++part) {
    begin = arn.find(':', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  return arn.substr(begin, arn.find(':', begin) - begin);
}

// A session of the role as AssumeRole would make it without anything added.
IdentityRef SessionOf(const iam::Snapshot& state, const iam::Role& role, int64_t now_millis) {
  iam::Session session;
  session.kind = iam::SessionKind::kRole;
  session.account = role.account;
  session.entity_id = role.id;
  session.name = "check";
  session.issued_millis = now_millis;
  session.expires_millis = now_millis + 3'600'000;
  return iam::IdentityOf(state, session);
}

IdentityRef FindIdentity(const iam::Snapshot& state, const std::string& arn, int64_t now_millis) {
  if (const auto user = state.FindUser(arn)) return iam::IdentityOf(state, *user);
  if (const auto role = state.FindRole(arn)) return SessionOf(state, *role, now_millis);
  const std::string_view account = AccountIn(arn);
  if (state.FindAccount(account) && arn == auth::RootIdentity(account).arn) return iam::RootIdentityOf(account);
  return nullptr;
}

const iam::IamPolicySet& PoliciesOf(const auth::Identity& identity) {
  return static_cast<const iam::IamPolicySet&>(*identity.policies);
}

std::string_view OutcomeText(policy::Decision::Outcome outcome) {
  switch (outcome) {
    case policy::Decision::Outcome::kAllowed: return "allowed";
    case policy::Decision::Outcome::kImplicitDeny: return "implicitly denied";
    case policy::Decision::Outcome::kExplicitDeny: return "explicitly denied";
  }
  return "";
}

std::string PolicyLines(const iam::IamPolicySet& policies, const Surroundings& surroundings) {
  std::string text;
  if (surroundings.resource_policy)
    text += fmt::format("policy     {} 1: {}\n",
                        policy::PolicyTypeName(surroundings.resource_policy->kind() == policy::PolicyKind::kTrust
                                                   ? policy::PolicyType::kTrust
                                                   : policy::PolicyType::kResource),
                        surroundings.resource_policy_name);
  for (size_t i = 0; i < policies.identity_names.size(); ++i)
    text += fmt::format("policy     identity-based policy {}: {}\n", i + 1, policies.identity_names[i]);
  for (size_t i = 0; i < surroundings.session_policies.size(); ++i)
    text += fmt::format("policy     session policy {}: {}\n", i + 1, surroundings.session_policies[i].second);
  for (const std::string& note : surroundings.notes) text += fmt::format("note       {}\n", note);
  if (policies.is_broken)
    text += "policy     one cannot be read any more, and may have been a denial: everything is denied\n";
  return text;
}

// The policy of the resource, if it has a say: what it cannot grant to other accounts is as if it did not.
const policy::Policy* ResourcePolicyFor(const auth::Identity& identity, const Question& question,
                                        const Surroundings& surroundings) {
  const policy::Policy* const policy = surroundings.resource_policy.get();
  if (!policy || policy->kind() == policy::PolicyKind::kTrust) return policy;
  const bool is_own = AccountIn(question.resource) == identity.account;
  return is_own || policy::WorksAcrossAccounts(question.action) ? policy : nullptr;
}

}  // namespace

Result<Answer> Check(const iam::Snapshot& state, const Question& question, const Surroundings& surroundings,
                     int64_t now_millis) {
  const IdentityRef identity = FindIdentity(state, question.principal, now_millis);
  if (!identity)
    return Status::NotFound(fmt::format("there is no user, role or root with the ARN {}", question.principal));
  if (!surroundings.session_policies.empty() && identity->kind != auth::PrincipalKind::kAssumedRole)
    return Status::InvalidArgument(
        fmt::format("session policies bind sessions of roles, and {} is none", question.principal));
  const iam::IamPolicySet& policies = PoliciesOf(*identity);
  auth::Circumstances circumstances;
  circumstances.now_millis = now_millis;
  const iam::PrincipalConditions of_principal(*identity, circumstances, nullptr);
  const GivenConditions conditions(question, surroundings, of_principal);
  const policy::Principal principal = iam::PolicyPrincipalOf(*identity);
  const std::string_view owner = AccountIn(question.resource);
  const policy::Request request{question.action, question.resource, owner, principal, conditions};
  std::vector<std::shared_ptr<const policy::Policy>> session;
  for (const auto& [policy, file] : surroundings.session_policies) session.push_back(policy);
  const policy::ApplicablePolicies applicable{.identity = policies.identity,
                                              .boundary = policies.boundary.get(),
                                              .session = session,
                                              .resource = ResourcePolicyFor(*identity, question, surroundings)};

  policy::Explanation explanation = policy::Explain(request, applicable);
  if (policies.is_broken)
    explanation.decision = {policy::Decision::Outcome::kExplicitDeny, policy::PolicyType::kIdentity};
  Answer answer{explanation.decision.allowed(), PolicyLines(policies, surroundings)};
  for (const policy::StatementReport& report : explanation.statements)
    answer.text += fmt::format("statement  {}\n", policy::Describe(report));
  for (const std::string& warning : policy::LooseConditions(applicable))
    answer.text += fmt::format("warning    {}\n", warning);
  for (const std::string& key : policy::MissingContextKeys(request, applicable))
    answer.text += fmt::format("absent     {}: give it with --context if requests have it\n", key);
  answer.text += fmt::format("decision   {}", OutcomeText(explanation.decision.outcome));
  if (!answer.is_allowed) answer.text += ": " + policy::DenialText(request, explanation.decision);
  else if (explanation.statements.empty()) answer.text += ": the root of an account may do everything in it";
  answer.text += "\n";
  return answer;
}

}  // namespace armature::cli::iam_command
