// Explain: a decision with its reasons, statement by statement.
//
// The same matching as evaluate.h, but every statement of every policy is told of, also where the decision was clear
// before. For people and simulations (`armature iam check`, SimulatePrincipalPolicy), not for requests. Views into the
// policies.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policy/evaluate.h"

namespace armature::policy {

// One statement, and whether it is about the request.
struct StatementReport {
  PolicyType type = PolicyType::kIdentity;
  size_t policy = 0;     // which of its type, as they were given
  size_t statement = 0;  // which of the document
  std::string_view sid{};
  Effect effect = Effect::kDeny;
  Mismatch mismatch = Mismatch::kNone;    // kNone: it matches
  std::string_view condition_operator{};  // of kCondition: the first that does not hold
  std::string_view condition_key{};

  bool matches() const { return mismatch == Mismatch::kNone; }
};

struct Explanation {
  Decision decision;
  std::vector<StatementReport> statements;
};

Explanation Explain(const Request& request, const ApplicablePolicies& policies);

// One line for people: `identity-based policy 1, statement 2 (OwnItems): would allow, but the condition
// ForAllValues:StringEquals on dynamodb:LeadingKeys does not hold`.
std::string Describe(const StatementReport& report);

// The condition keys that the policies ask for and the request does not have, as they are written, each once, sorted.
std::vector<std::string> MissingContextKeys(const Request& request, const ApplicablePolicies& policies);

// Conditions that let more through than they seem to, a line for people of each: an operator for one value, in an
// Allow, on a key that a request may have several values of. It holds if one of them fits, whatever the others are.
std::vector<std::string> LooseConditions(const ApplicablePolicies& policies);

}  // namespace armature::policy
