#include "expr/bind/key_condition.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "model/messages/expressions.h"

namespace armature::expr {

ConditionOp Flip(ConditionOp op) {
  switch (op) {
    case ConditionOp::kLess: return ConditionOp::kGreater;
    case ConditionOp::kLessEqual: return ConditionOp::kGreaterEqual;
    case ConditionOp::kGreater: return ConditionOp::kLess;
    case ConditionOp::kGreaterEqual: return ConditionOp::kLessEqual;
    default: return op;
  }
}

namespace {

namespace messages = model::messages;
using model::ApiResult;
using model::ValidationException;

template <class... Args>
model::ApiError Invalid(std::string_view text, const Args&... args) {
  return ValidationException(fmt::format(fmt::runtime(text), args...));
}

bool IsIndexable(ConditionOp op) {
  switch (op) {
    case ConditionOp::kEqual:
    case ConditionOp::kLess:
    case ConditionOp::kLessEqual:
    case ConditionOp::kGreater:
    case ConditionOp::kGreaterEqual:
    case ConditionOp::kBetween:
    case ConditionOp::kBeginsWith: return true;
    default: return false;
  }
}

class Converter {
 public:
  // Every predicate has a path, so there are no more of them.
  Converter(size_t paths, KeyConditionForm form, Arena& arena)
      : form_(form), predicates_(arena.NewArray<KeyPredicate>(paths)) {}

  ApiResult<void> Convert(const ConditionNode& node) {
    if (node.op == ConditionOp::kAnd) {
      for (const ConditionNode* child : node.children) ARMATURE_CHECK_OK(Convert(*child));
      return {};
    }
    if (!IsIndexable(node.op)) {
      if (form_ == KeyConditionForm::kLegacy) return Invalid(messages::kKeyConditionNotIndexable);
      return Invalid(messages::kKeyConditionOperator, ConditionOpName(node.op));
    }
    ARMATURE_CHECK_OK(CheckOperands(node));
    return Add(node);
  }

  std::span<const KeyPredicate> predicates() const { return predicates_.first(count_); }

 private:
  ApiResult<void> CheckOperands(const ConditionNode& node) const {
    size_t paths = 0;
    for (const Operand& operand : node.operands) {
      if (operand.kind == Operand::Kind::kSize) return Invalid(messages::kKeyConditionNestedOperation);
      if (operand.kind != Operand::Kind::kPath) continue;
      if (operand.path.size() > 1) return Invalid(messages::kKeyConditionNestedPath);
      ++paths;
    }
    if (paths > 1) return Invalid(messages::kKeyConditionTwoAttributes);
    if (paths == 0) return Invalid(messages::kKeyConditionNoAttribute);
    return {};
  }

  ApiResult<void> Add(const ConditionNode& node) {
    const bool flipped = node.operands[0].kind != Operand::Kind::kPath;
    // The attribute may stand on either side of a comparison, but not be a bound or a prefix.
    if (flipped && (node.op == ConditionOp::kBetween || node.op == ConditionOp::kBeginsWith))
      return Invalid(messages::kKeyConditionOperator, ConditionOpName(node.op));
    KeyPredicate predicate{.attribute = node.operands[flipped ? 1 : 0].path[0].name,
                           .op = flipped ? Flip(node.op) : node.op,
                           .value = node.operands[flipped ? 0 : 1].value};
    if (node.op == ConditionOp::kBetween) predicate.upper = node.operands[2].value;
    if (std::ranges::find(predicates(), predicate.attribute, &KeyPredicate::attribute) != predicates().end())
      return Invalid(messages::kKeyConditionTwicePerKey);
    predicates_[count_++] = predicate;
    return {};
  }

  const KeyConditionForm form_;
  std::span<KeyPredicate> predicates_;
  size_t count_ = 0;
};

ApiResult<void> CheckType(const KeyPredicate& predicate, const model::KeyAttribute& attribute) {
  const bool matches = predicate.value->type() == attribute.type &&
                       (predicate.upper == nullptr || predicate.upper->type() == attribute.type);
  if (!matches) return Invalid(messages::kKeyConditionType);
  return {};
}

}  // namespace

ApiResult<std::span<const KeyPredicate>> ConvertKeyCondition(const BoundCondition& condition, KeyConditionForm form,
                                                             Arena& arena) {
  Converter converter(condition.paths.size(), form, arena);
  ARMATURE_CHECK_OK(converter.Convert(*condition.root));
  return converter.predicates();
}

namespace {

// Conditions lead from the first range attribute on without a gap, and all but the last are equalities.
ApiResult<void> CheckNoGap(std::span<const KeyPredicate* const> range, const model::KeySchema& schema) {
  size_t last = range.size();
  while (last > 0 && range[last - 1] == nullptr) --last;
  std::string missing;
  for (size_t i = 0; i + 1 < last; ++i) {
    if (range[i] != nullptr && range[i]->op == ConditionOp::kEqual) continue;
    if (!missing.empty()) missing += ", ";
    missing += schema.range[i].name;
  }
  if (missing.empty()) return {};
  return Invalid(messages::kKeyConditionGap, missing, schema.range[last - 1].name);
}

}  // namespace

ApiResult<KeyQuery> MatchKeySchema(std::span<const KeyPredicate> predicates, const model::KeySchema& schema,
                                   KeyConditionForm form, Arena& arena) {
  const size_t key_attributes = schema.hash.size() + schema.range.size();
  if (form == KeyConditionForm::kLegacy && schema.hash.size() == 1 && schema.range.size() <= 1 && predicates.size() > 2)
    return Invalid(messages::kKeyConditionCount);
  if (form == KeyConditionForm::kExpression && predicates.size() > key_attributes)
    return Invalid(messages::kKeyConditionTooMany, predicates.size(), key_attributes);
  const auto find = [&](std::string_view name) {
    const auto it = std::ranges::find(predicates, name, &KeyPredicate::attribute);
    return it == predicates.end() ? nullptr : &*it;
  };
  std::span<KeyPredicate> hash = arena.NewArray<KeyPredicate>(schema.hash.size());
  for (size_t i = 0; i < schema.hash.size(); ++i) {
    const KeyPredicate* predicate = find(schema.hash[i].name);
    if (predicate == nullptr) return Invalid(messages::kKeyConditionMissedKey, schema.hash[i].name);
    if (predicate->op != ConditionOp::kEqual) return Invalid(messages::kKeyConditionNotSupported);
    ARMATURE_CHECK_OK(CheckType(*predicate, schema.hash[i]));
    hash[i] = *predicate;
  }
  const size_t wanted = predicates.size() - hash.size();
  if (wanted > schema.range.size()) return Invalid(messages::kKeyConditionNotSupported);
  std::span<const KeyPredicate*> found = arena.NewArray<const KeyPredicate*>(schema.range.size());
  for (size_t i = 0; i < found.size(); ++i) found[i] = find(schema.range[i].name);
  ARMATURE_CHECK_OK(CheckNoGap(found, schema));
  std::span<KeyPredicate> range = arena.NewArray<KeyPredicate>(wanted);
  for (size_t i = 0; i < wanted; ++i) {
    if (found[i] == nullptr) return Invalid(messages::kKeyConditionMissedKey, schema.range[i].name);
    ARMATURE_CHECK_OK(CheckType(*found[i], schema.range[i]));
    range[i] = *found[i];
  }
  return KeyQuery{.hash = hash, .range = range};
}

}  // namespace armature::expr
