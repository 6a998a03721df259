#include "policy/document/operators.h"

#include <algorithm>
#include <iterator>

namespace armature::policy {

namespace {

using Family = OperatorFamily;

struct NamedOperator {
  std::string_view name;
  Family family;
  Relation relation = Relation::kEqual;
  bool is_negated = false;
};

constexpr NamedOperator kOperators[] = {
    {"StringEquals", Family::kString},
    {"StringNotEquals", Family::kString, Relation::kEqual, true},
    {"StringEqualsIgnoreCase", Family::kStringIgnoringCase},
    {"StringNotEqualsIgnoreCase", Family::kStringIgnoringCase, Relation::kEqual, true},
    {"StringLike", Family::kStringLike},
    {"StringNotLike", Family::kStringLike, Relation::kEqual, true},
    {"NumericEquals", Family::kNumeric},
    {"NumericNotEquals", Family::kNumeric, Relation::kEqual, true},
    {"NumericLessThan", Family::kNumeric, Relation::kLess},
    {"NumericLessThanEquals", Family::kNumeric, Relation::kLessOrEqual},
    {"NumericGreaterThan", Family::kNumeric, Relation::kGreater},
    {"NumericGreaterThanEquals", Family::kNumeric, Relation::kGreaterOrEqual},
    {"DateEquals", Family::kDate},
    {"DateNotEquals", Family::kDate, Relation::kEqual, true},
    {"DateLessThan", Family::kDate, Relation::kLess},
    {"DateLessThanEquals", Family::kDate, Relation::kLessOrEqual},
    {"DateGreaterThan", Family::kDate, Relation::kGreater},
    {"DateGreaterThanEquals", Family::kDate, Relation::kGreaterOrEqual},
    {"Bool", Family::kBool},
    {"BinaryEquals", Family::kBinary},
    {"IpAddress", Family::kIpAddress},
    {"NotIpAddress", Family::kIpAddress, Relation::kEqual, true},
    {"ArnEquals", Family::kArn},
    {"ArnNotEquals", Family::kArn, Relation::kEqual, true},
    {"ArnLike", Family::kArn},
    {"ArnNotLike", Family::kArn, Relation::kEqual, true},
    {"Null", Family::kNull},
};

bool TakePrefix(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

bool TakeSuffix(std::string_view& name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return true;
}

}  // namespace

std::optional<Operator> ParseOperator(std::string_view name) {
  Operator result;
  if (TakePrefix(name, "ForAllValues:")) result.set = SetPrefix::kForAllValues;
  else if (TakePrefix(name, "ForAnyValue:")) result.set = SetPrefix::kForAnyValue;
  result.if_exists = TakeSuffix(name, "IfExists");
  const auto* const found = std::ranges::find(kOperators, name, &NamedOperator::name);
  if (found == std::end(kOperators)) return std::nullopt;
  const bool has_affixes = result.if_exists || result.set != SetPrefix::kNone;
  if (found->family == Family::kNull && has_affixes) return std::nullopt;
  result.family = found->family;
  result.relation = found->relation;
  result.is_negated = found->is_negated;
  return result;
}

}  // namespace armature::policy
