// Statement: one statement of a policy, compiled, and whether it is about a request.
//
// It is when principal, action, resource and every condition are. Cheap tests come first, and conditions last: what
// they ask for is made only for statements that otherwise match. Immutable, in the policy's arena. Used by evaluate.h
// and explain.h; made by policy.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/condition.h"
#include "policy/principal_pattern.h"
#include "policy/text_pattern.h"
#include "policy/values/action_pattern.h"

namespace armature::policy {

class Question;

enum class Effect : uint8_t { kAllow, kDeny };

// Why a statement is not about a request: the first of its parts that is not.
enum class Mismatch : uint8_t { kNone, kAction, kResource, kPrincipal, kCondition };

struct StatementMatch {
  Mismatch mismatch = Mismatch::kNone;
  PrincipalNamings namings = kNotNamed;  // of a statement that matches and has a Principal
  const Condition* condition = nullptr;  // of kCondition: the first that does not hold
};

struct Statement {
  std::string_view sid;
  Effect effect = Effect::kDeny;
  bool except_actions = false;  // NotAction
  bool has_resources = false;   // trust policies have none
  bool except_resources = false;
  bool has_principals = false;  // identity policies have none
  bool except_principals = false;
  std::span<const ActionPattern> actions;
  std::span<const TextPattern> resources;
  std::span<const PrincipalPattern> principals;
  std::span<const Condition> conditions;

  StatementMatch Match(const Question& question) const;
  bool MatchesAction(std::string_view lower_case_action) const;

 private:
  bool MatchesResource(const Question& question) const;
  // False: it is not about this principal.
  bool MatchesPrincipal(const Principal& principal, PrincipalNamings& namings) const;
};

}  // namespace armature::policy
