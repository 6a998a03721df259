// TextPattern: a text of a policy that may hold wildcards and variables, as in
// "arn:aws:dynamodb:*:*:table/${aws:username}-*".
//
// Taken apart when the policy is compiled. What a request puts in for a variable is literal: a `*` in somebody's name
// is no wildcard. `${*}`, `${?}` and `${$}` are those characters. A variable without a value has its default
// (`${aws:PrincipalTag/team, 'none'}`); without one the pattern matches nothing. Immutable, in the policy's arena.
// Internal to policy/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/memory/arena.h"
#include "policy/condition_key.h"
#include "policy/values/glob.h"

namespace armature::policy {

class Question;

enum class MatchResult : uint8_t { kNo, kYes, kUnresolved /* a variable has no value */ };

class TextPattern {
 public:
  // What in the text has a meaning of its own.
  enum class Form : uint8_t {
    kPlain,     // nothing but variables
    kGlob,      // wildcards
    kArn,       // wildcards, which before the sixth part of an ARN end at colons
    kResource,  // so do those that do not end their part; there are variables in the sixth part only
  };

  // `has_variables`: whether the policy's version knows them.
  static TextPattern Compile(std::string_view text, Form form, bool has_variables, Arena& arena);

  TextPattern() = default;

  MatchResult Match(std::string_view text, const Question& question) const;
  // Equal but for the case of ASCII letters. REQUIRES: of kPlain.
  MatchResult MatchIgnoringCase(std::string_view text, const Question& question) const;

  // Whether there are values for its variables with which it matches.
  bool CanMatch(std::string_view text) const;

  struct Variable {
    size_t piece = 0;  // that it fills in
    ConditionKey key;
    std::string_view name;  // as written
    std::optional<std::string_view> otherwise;
  };
  std::string_view source() const { return source_; }
  std::span<const Variable> variables() const { return variables_; }
  bool has_wildcards() const;

 private:
  friend class PatternCompiler;

  std::string_view source_;
  std::span<const GlobPiece> pieces_;
  std::span<const Variable> variables_;
  Form form_ = Form::kPlain;
  bool matches_all_ = false;  // "*"
};

}  // namespace armature::policy
