#include "policy/condition.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/codec/base64.h"
#include "policy/question.h"
#include "policy/values/letter_case.h"

namespace armature::policy {

namespace {

using Family = OperatorFamily;

std::optional<model::Number> ParseNumber(std::string_view text) {
  auto number = model::Number::Parse(text);
  if (!number) return std::nullopt;
  return *number;
}

bool IsBase64(std::string_view text) {
  std::string decoded(Base64DecodedCapacity(text.size()), '\0');
  return DecodeBase64To(text, decoded.data()).has_value();
}

TextPattern::Form FormOf(Family family) {
  switch (family) {
    case Family::kStringLike: return TextPattern::Form::kGlob;
    case Family::kArn: return TextPattern::Form::kArn;
    default: return TextPattern::Form::kPlain;
  }
}

template <class T>
bool Relates(const T& value, Relation relation, const T& to) {
  switch (relation) {
    case Relation::kEqual: return value == to;
    case Relation::kLess: return value < to;
    case Relation::kLessOrEqual: return value <= to;
    case Relation::kGreater: return value > to;
    case Relation::kGreaterOrEqual: return value >= to;
  }
  return false;
}

// Whether the value, if it can be read, relates to one of the policy's.
template <class T>
bool RelatesToOneOf(const std::optional<T>& value, Relation relation, std::span<const T> others) {
  return value && std::ranges::any_of(others, [&](const T& other) { return Relates(*value, relation, other); });
}

// Those of the texts that can be read.
template <class T>
std::span<const T> ReadAll(Texts texts, std::optional<T> (*read)(std::string_view), Arena& arena) {
  std::vector<T> values;
  for (const std::string_view text : texts)
    if (const auto value = read(text)) values.push_back(*value);
  return arena.Copy(values);
}

std::span<const TextPattern> CompileTexts(const ConditionEntry& entry, Family family, bool has_variables,
                                          Arena& arena) {
  std::vector<TextPattern> patterns;
  for (const std::string_view text : entry.values) {
    // Base64 has one text for each value, so that what is well-formed can be compared as it stands.
    if (family == Family::kBinary && !IsBase64(text)) continue;
    const bool knows_variables = has_variables && family != Family::kBinary;
    patterns.push_back(TextPattern::Compile(text, FormOf(family), knows_variables, arena));
  }
  return arena.Copy(patterns);
}

}  // namespace

Condition Condition::Compile(const ConditionEntry& entry, bool has_variables, Arena& arena) {
  Condition condition;
  condition.operation_name_ = arena.Copy(entry.operation);
  condition.key_name_ = arena.Copy(entry.key);
  condition.operation_ = ParseOperator(entry.operation).value_or(Operator());
  condition.key_ = ConditionKeyOf(arena.Copy(LowerCase(entry.key)));
  const Family family = condition.operation_.family;
  switch (family) {
    case Family::kNumeric: condition.numbers_ = ReadAll(entry.values, ParseNumber, arena); break;
    case Family::kDate: condition.instants_ = ReadAll(entry.values, ParseInstant, arena); break;
    case Family::kIpAddress: condition.ranges_ = ReadAll(entry.values, &IpRange::Parse, arena); break;
    case Family::kNull:
      for (const std::string_view value : entry.values) {
        if (EqualsIgnoringCase(value, "true")) condition.wants_absence_ = true;
        if (EqualsIgnoringCase(value, "false")) condition.wants_presence_ = true;
      }
      break;
    default: condition.texts_ = CompileTexts(entry, family, has_variables, arena);
  }
  return condition;
}

bool Condition::HoldsForAbsentKey() const {
  if (operation_.if_exists || operation_.set == SetPrefix::kForAllValues) return true;
  return operation_.is_negated && operation_.set != SetPrefix::kForAnyValue;
}

bool Condition::Holds(const Question& question) const {
  const ConditionValues values = question.Find(key_);
  if (operation_.family == Family::kNull) return values.empty() ? wants_absence_ : wants_presence_;
  if (values.empty()) return HoldsForAbsentKey();
  // A plain operator looks at several values as ForAnyValue does.
  const bool for_all = operation_.set == SetPrefix::kForAllValues;
  for (size_t i = 0; i < values.size(); ++i)
    if (HoldsFor(values[i], question) != for_all) return !for_all;
  return for_all;
}

bool Condition::HoldsFor(std::string_view value, const Question& question) const {
  return IsOneOf(value, question) != operation_.is_negated;
}

bool Condition::IsOneOf(std::string_view value, const Question& question) const {
  switch (operation_.family) {
    case Family::kNumeric: return RelatesToOneOf(ParseNumber(value), operation_.relation, numbers_);
    case Family::kDate: return RelatesToOneOf(ParseInstant(value), operation_.relation, instants_);
    case Family::kIpAddress: {
      const auto address = IpAddress::Parse(value);
      return address && std::ranges::any_of(ranges_, [&](const IpRange& range) { return range.Contains(*address); });
    }
    case Family::kBool:
      if (!EqualsIgnoringCase(value, "true") && !EqualsIgnoringCase(value, "false")) return false;
      return MatchesText(value, question);
    default: return MatchesText(value, question);
  }
}

bool Condition::MatchesText(std::string_view value, const Question& question) const {
  const bool ignores_case = operation_.family == Family::kStringIgnoringCase || operation_.family == Family::kBool;
  return std::ranges::any_of(texts_, [&](const TextPattern& text) {
    return (ignores_case ? text.MatchIgnoringCase(value, question) : text.Match(value, question)) == MatchResult::kYes;
  });
}

}  // namespace armature::policy
