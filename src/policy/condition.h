// Condition: one key of a statement's Condition with its operator and the policy's values, read once.
//
// Values that can be read when the policy is compiled are (numbers, dates, addresses, booleans); one that cannot be
// read equals nothing. A policy's value whose variable has no value equals nothing either. Immutable, in the policy's
// arena. Internal to policy/.
#pragma once

#include <span>
#include <string_view>

#include "base/memory/arena.h"
#include "model/number.h"
#include "policy/condition_key.h"
#include "policy/context.h"
#include "policy/document/document.h"
#include "policy/document/operators.h"
#include "policy/text_pattern.h"
#include "policy/values/instant.h"
#include "policy/values/ip_range.h"

namespace armature::policy {

class Question;

class Condition {
 public:
  // REQUIRES: the operator is one (document.h).
  static Condition Compile(const ConditionEntry& entry, bool has_variables, Arena& arena);

  Condition() = default;

  bool Holds(const Question& question) const;

  // As written.
  std::string_view operation_name() const { return operation_name_; }
  std::string_view key_name() const { return key_name_; }

  const Operator& operation() const { return operation_; }
  const ConditionKey& key() const { return key_; }
  // Of strings, ARNs, booleans and binary; empty for the other families.
  std::span<const TextPattern> texts() const { return texts_; }

 private:
  bool HoldsForAbsentKey() const;
  // Whether one value of the request satisfies the operator: is one of the policy's values, or none of them.
  bool HoldsFor(std::string_view value, const Question& question) const;
  bool IsOneOf(std::string_view value, const Question& question) const;
  bool MatchesText(std::string_view value, const Question& question) const;

  std::string_view operation_name_;
  std::string_view key_name_;
  Operator operation_;
  ConditionKey key_;
  bool wants_absence_ = false;  // of Null: "true" is among its values
  bool wants_presence_ = false;
  // The policy's values: those of the operator's family.
  std::span<const TextPattern> texts_;
  std::span<const model::Number> numbers_;
  std::span<const Instant> instants_;
  std::span<const IpRange> ranges_;
};

}  // namespace armature::policy
