#include "expr/bind/legacy.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include "expr/compare.h"
#include "model/messages/expressions.h"
#include "model/messages/requests.h"

namespace armature::expr {
namespace {

namespace messages = model::messages;
using model::ApiResult;
using model::Type;
using model::ValidationException;
using model::Value;

template <class... Args>
model::ApiError Invalid(std::string_view text, const Args&... args) {
  return ValidationException(fmt::format(fmt::runtime(text), args...));
}

// What a ComparisonOperator takes.
struct OperatorRule {
  std::string_view name;
  ConditionOp op;
  size_t min_arguments;
  size_t max_arguments;
  enum class Types : uint8_t { kAny, kScalar, kPrefix } types;
};

constexpr size_t kUnbounded = SIZE_MAX;
using Types = OperatorRule::Types;

constexpr OperatorRule kOperators[] = {
    {"EQ", ConditionOp::kEqual, 1, 1, Types::kAny},
    {"NE", ConditionOp::kNotEqual, 1, 1, Types::kAny},
    {"LE", ConditionOp::kLessEqual, 1, 1, Types::kScalar},
    {"LT", ConditionOp::kLess, 1, 1, Types::kScalar},
    {"GE", ConditionOp::kGreaterEqual, 1, 1, Types::kScalar},
    {"GT", ConditionOp::kGreater, 1, 1, Types::kScalar},
    {"NOT_NULL", ConditionOp::kAttributeExists, 0, 0, Types::kAny},
    {"NULL", ConditionOp::kAttributeNotExists, 0, 0, Types::kAny},
    {"CONTAINS", ConditionOp::kContains, 1, 1, Types::kScalar},
    {"NOT_CONTAINS", ConditionOp::kNot, 1, 1, Types::kScalar},  // lowered to more than one node
    {"BEGINS_WITH", ConditionOp::kBeginsWith, 1, 1, Types::kPrefix},
    {"IN", ConditionOp::kIn, 1, kUnbounded, Types::kScalar},
    {"BETWEEN", ConditionOp::kBetween, 2, 2, Types::kScalar},
};

bool Takes(const OperatorRule& rule, Type type) {
  if (rule.types == Types::kAny) return true;
  return IsOrdered(type) && !(rule.types == Types::kPrefix && type == Type::kN);
}

ApiResult<const OperatorRule*> CheckArguments(std::string_view name, std::span<const Value> arguments) {
  const auto* rule = std::ranges::find(kOperators, name, &OperatorRule::name);
  // wire/ has checked the name against the enum; a stranger would have no number of arguments that fits.
  if (rule == std::end(kOperators) || arguments.size() < rule->min_arguments || arguments.size() > rule->max_arguments)
    return Invalid(messages::kLegacyArgumentCount, name);
  for (const Value& argument : arguments)
    if (argument.type() != arguments[0].type()) return Invalid(messages::kLegacyArgumentsOfOneType);
  if (!arguments.empty() && !Takes(*rule, arguments[0].type()))
    return Invalid(messages::kLegacyArgumentType, name, model::TypeName(arguments[0].type()));
  if (rule->op == ConditionOp::kBetween && CompareOrdered(arguments[0], arguments[1]) > 0)
    return Invalid(messages::kLegacyBetweenOrder);
  return rule;
}

Path TopLevelPath(std::string_view attribute, Arena& arena) {
  std::span<PathElement> path = arena.NewArray<PathElement>(1);
  path[0].name = attribute;
  return path;
}

class ConditionLowering {
 public:
  ConditionLowering(size_t count, Arena& arena)
      : arena_(arena), nodes_(arena.NewArray<const ConditionNode*>(count)), paths_(arena.NewArray<Path>(count)) {}

  void Add(ConditionOp op, std::string_view attribute, std::span<const Value> arguments) {
    const Path path = paths_[count_] = TopLevelPath(attribute, arena_);
    if (op != ConditionOp::kNot) {
      nodes_[count_++] = Compare(op, path, arguments);
      return;
    }
    // NOT_CONTAINS does not hold for an attribute that is missing, other than NOT contains(…).
    const ConditionNode* contains = Compare(ConditionOp::kContains, path, arguments);
    const ConditionNode* both[] = {Compare(ConditionOp::kAttributeExists, path, {}),
                                   Logic(ConditionOp::kNot, {&contains, 1})};
    nodes_[count_++] = Logic(ConditionOp::kAnd, both);
  }

  const BoundCondition* Finish(std::optional<std::string_view> conditional_operator) {
    const ConditionNode* root = nodes_[0];
    if (count_ > 1) root = Logic(conditional_operator == "OR" ? ConditionOp::kOr : ConditionOp::kAnd, nodes_);
    return arena_.New<BoundCondition>(root, paths_);
  }

 private:
  const ConditionNode* Compare(ConditionOp op, Path path, std::span<const Value> arguments) {
    std::span<Operand> operands = arena_.NewArray<Operand>(1 + arguments.size());
    operands[0] = {.kind = Operand::Kind::kPath, .path = path};
    for (size_t i = 0; i < arguments.size(); ++i) operands[i + 1].value = &arguments[i];
    ConditionNode* node = arena_.New<ConditionNode>();
    node->op = op;
    node->operands = operands;
    return node;
  }

  const ConditionNode* Logic(ConditionOp op, std::span<const ConditionNode* const> children) {
    std::span<const ConditionNode*> copy = arena_.NewArray<const ConditionNode*>(children.size());
    std::ranges::copy(children, copy.begin());
    ConditionNode* node = arena_.New<ConditionNode>();
    node->op = op;
    node->children = copy;
    return node;
  }

  Arena& arena_;
  std::span<const ConditionNode*> nodes_;
  std::span<Path> paths_;
  size_t count_ = 0;
};

ApiResult<void> CheckConditionalOperator(size_t conditions, std::optional<std::string_view> conditional_operator) {
  if (!conditional_operator || conditions > 1) return {};
  if (conditions == 0) return Invalid(messages::kLegacyConditionalOperatorAlone);
  return Invalid(messages::kLegacyConditionalOperatorOfOne);
}

// The values an entry of Expected compares with; `Value` is a list of one.
std::span<const Value> ArgumentsOf(const LegacyCondition& condition) {
  if (condition.attribute_value_list) return *condition.attribute_value_list;
  if (condition.value != nullptr) return {condition.value, 1};
  return {};
}

ApiResult<void> CheckName(std::string_view attribute) {
  if (attribute.empty()) return Invalid(messages::kEmptyNameInItem);
  return {};
}

ApiResult<void> LowerExpectedEntry(const LegacyCondition& entry, ConditionLowering& lowering) {
  ARMATURE_CHECK_OK(CheckName(entry.attribute));
  if (entry.value != nullptr && entry.attribute_value_list)
    return Invalid(messages::kExpectedValueAndList, entry.attribute);
  if (entry.comparison_operator) {
    if (entry.exists) return Invalid(messages::kExpectedExistsAndOperator, entry.attribute);
    const bool takes_none = entry.comparison_operator == "NULL" || entry.comparison_operator == "NOT_NULL";
    if (!takes_none && entry.value == nullptr && !entry.attribute_value_list)
      return Invalid(messages::kExpectedOperatorWithoutValue, *entry.comparison_operator, entry.attribute);
    ARMATURE_TRY(const OperatorRule* rule, CheckArguments(*entry.comparison_operator, ArgumentsOf(entry)));
    lowering.Add(rule->op, entry.attribute, ArgumentsOf(entry));
    return {};
  }
  if (entry.attribute_value_list) return Invalid(messages::kExpectedListWithoutOperator, entry.attribute);
  if (entry.exists.value_or(true)) {
    if (entry.value == nullptr)
      return Invalid(messages::kExpectedValueMissing, entry.exists ? "true" : "null", entry.attribute);
    lowering.Add(ConditionOp::kEqual, entry.attribute, {entry.value, 1});
    return {};
  }
  if (entry.value != nullptr) return Invalid(messages::kExpectedValueWithoutExists, entry.attribute);
  lowering.Add(ConditionOp::kAttributeNotExists, entry.attribute, {});
  return {};
}

ApiResult<void> CheckAttributeUpdate(const LegacyUpdate& update, std::string_view action) {
  ARMATURE_CHECK_OK(CheckName(update.attribute));
  if (update.value == nullptr) {
    if (action != "DELETE") return Invalid(messages::kAttributeUpdateWithoutValue);
    return {};
  }
  const Type type = update.value->type();
  if (action == "DELETE" && !update.value->is_set())
    return Invalid(messages::kAttributeUpdateDeleteType, model::TypeName(type));
  if (action == "ADD" && !update.value->is_set() && type != Type::kN && type != Type::kL)
    return Invalid(messages::kAttributeUpdateAddType, model::TypeName(type));
  return {};
}

}  // namespace

ApiResult<const BoundCondition*> LowerExpected(std::span<const LegacyCondition> expected,
                                               std::optional<std::string_view> conditional_operator, Arena& arena) {
  ConditionLowering lowering(expected.size(), arena);
  for (const LegacyCondition& entry : expected) ARMATURE_CHECK_OK(LowerExpectedEntry(entry, lowering));
  ARMATURE_CHECK_OK(CheckConditionalOperator(expected.size(), conditional_operator));
  if (expected.empty()) return static_cast<const BoundCondition*>(nullptr);
  return lowering.Finish(conditional_operator);
}

ApiResult<const BoundCondition*> LowerConditions(std::span<const LegacyCondition> conditions,
                                                 std::optional<std::string_view> conditional_operator, Arena& arena) {
  ConditionLowering lowering(conditions.size(), arena);
  for (const LegacyCondition& entry : conditions) {
    ARMATURE_CHECK_OK(CheckName(entry.attribute));
    ARMATURE_TRY(const OperatorRule* rule, CheckArguments(entry.comparison_operator.value_or(""), ArgumentsOf(entry)));
    lowering.Add(rule->op, entry.attribute, ArgumentsOf(entry));
  }
  ARMATURE_CHECK_OK(CheckConditionalOperator(conditions.size(), conditional_operator));
  if (conditions.empty()) return static_cast<const BoundCondition*>(nullptr);
  return lowering.Finish(conditional_operator);
}

ApiResult<const BoundUpdate*> LowerAttributeUpdates(std::span<const LegacyUpdate> updates, Arena& arena) {
  std::span<UpdateAction> actions = arena.NewArray<UpdateAction>(updates.size());
  std::span<Path> paths = arena.NewArray<Path>(updates.size());
  BoundUpdate bound{.actions = actions, .paths = paths, .creates_item = updates.empty(), .is_legacy = true};
  for (size_t i = 0; i < updates.size(); ++i) {
    const LegacyUpdate& update = updates[i];
    const std::string_view action = update.action.value_or("PUT");
    ARMATURE_CHECK_OK(CheckAttributeUpdate(update, action));
    actions[i].path = paths[i] = TopLevelPath(update.attribute, arena);
    if (update.value == nullptr) {
      actions[i].kind = UpdateActionKind::kRemove;
      continue;
    }
    actions[i].kind = action == "ADD"      ? UpdateActionKind::kAdd
                      : action == "DELETE" ? UpdateActionKind::kDelete
                                           : UpdateActionKind::kSet;
    UpdateValue* value = arena.New<UpdateValue>();
    value->value = update.value;
    actions[i].value = value;
    bound.creates_item |= actions[i].kind != UpdateActionKind::kDelete;
  }
  std::ranges::sort(actions, PathLess, &UpdateAction::path);
  return arena.New<BoundUpdate>(bound);
}

ApiResult<const BoundProjection*> LowerAttributesToGet(std::span<const std::string_view> attributes, Arena& arena) {
  std::unordered_set<std::string_view> seen;
  std::span<Path> paths = arena.NewArray<Path>(attributes.size());
  for (size_t i = 0; i < attributes.size(); ++i) {
    ARMATURE_CHECK_OK(CheckName(attributes[i]));
    if (!seen.insert(attributes[i]).second) return Invalid(messages::kDuplicateAttributeName, attributes[i]);
    paths[i] = TopLevelPath(attributes[i], arena);
  }
  std::ranges::sort(paths, PathLess);
  return arena.New<BoundProjection>(paths);
}

}  // namespace armature::expr
