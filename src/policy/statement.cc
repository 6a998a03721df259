#include "policy/statement.h"

#include <algorithm>

#include "policy/question.h"

namespace armature::policy {

bool Statement::MatchesAction(std::string_view lower_case_action) const {
  const auto matches = [&](const ActionPattern& pattern) { return pattern.Matches(lower_case_action); };
  return std::ranges::any_of(actions, matches) != except_actions;
}

bool Statement::MatchesResource(const Question& question) const {
  if (!has_resources) return true;
  bool is_unresolved = false;
  for (const TextPattern& pattern : resources) {
    const MatchResult result = pattern.Match(question.resource(), question);
    if (result == MatchResult::kYes) return !except_resources;
    is_unresolved |= result == MatchResult::kUnresolved;
  }
  if (!except_resources) return false;
  // What NotResource excepts is not known: such a statement grants nothing, and denies.
  return !is_unresolved || effect == Effect::kDeny;
}

bool Statement::MatchesPrincipal(const Principal& principal, PrincipalNamings& namings) const {
  if (!has_principals) return true;
  const PrincipalNamings listed = NamingsIn(principals, principal);
  if (!except_principals) {
    namings = listed;
    return listed != kNotNamed;
  }
  if (effect == Effect::kDeny) {
    const PrincipalNamings all = AllNamingsOf(principal);
    const bool is_spared = (listed & kNamedAsEveryone) != 0 || (listed & all) == all;
    return !is_spared;
  }
  // Whoever is not excepted is anybody.
  namings = kNamedAsEveryone;
  return listed == kNotNamed;
}

StatementMatch Statement::Match(const Question& question) const {
  StatementMatch match;
  if (!MatchesAction(question.action())) match.mismatch = Mismatch::kAction;
  else if (!MatchesResource(question)) match.mismatch = Mismatch::kResource;
  else if (!MatchesPrincipal(question.principal(), match.namings)) match.mismatch = Mismatch::kPrincipal;
  else
    for (const Condition& condition : conditions) {
      if (condition.Holds(question)) continue;
      match.mismatch = Mismatch::kCondition;
      match.condition = &condition;
      break;
    }
  return match;
}

}  // namespace armature::policy
