#include "partiql/lower.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "expr/bind/check_operands.h"
#include "expr/compare.h"
#include "model/messages/expressions.h"
#include "model/messages/partiql.h"

namespace armature::partiql {
namespace {

namespace messages = model::messages;
using expr::ConditionNode;
using expr::ConditionOp;
using expr::Operand;
using model::Type;
using model::ValidationException;

// IN takes this many values.
constexpr size_t kMaxInValues = 100;

ConditionOp OpOf(Operator op) {
  switch (op) {
    case Operator::kEqual: return ConditionOp::kEqual;
    case Operator::kNotEqual: return ConditionOp::kNotEqual;
    case Operator::kLess: return ConditionOp::kLess;
    case Operator::kLessEqual: return ConditionOp::kLessEqual;
    case Operator::kGreater: return ConditionOp::kGreater;
    default: return ConditionOp::kGreaterEqual;
  }
}

std::optional<ConditionOp> FunctionOp(std::string_view name) {
  if (name == "attribute_exists") return ConditionOp::kAttributeExists;
  if (name == "attribute_not_exists") return ConditionOp::kAttributeNotExists;
  if (name == "attribute_type") return ConditionOp::kAttributeType;
  if (name == "begins_with") return ConditionOp::kBeginsWith;
  if (name == "contains") return ConditionOp::kContains;
  return std::nullopt;
}

// The type that `IS name` tests for.
std::optional<Type> TypeOf(std::string_view name) {
  if (name == "null") return Type::kNull;
  if (name == "boolean" || name == "bool") return Type::kBool;
  if (name == "blob") return Type::kB;
  if (name == "string") return Type::kS;
  if (name == "numeric") return Type::kN;
  if (name == "struct" || name == "tuple") return Type::kM;
  if (name == "list") return Type::kL;
  return std::nullopt;
}

class ConditionLowering {
 public:
  ConditionLowering(Parameters parameters, Arena& arena) : parameters_(parameters), arena_(arena) {}

  // Null with `error` set if the condition is wrong.
  const ConditionNode* Lower(const Node& node) {
    switch (node.kind) {
      case NodeKind::kBinary:
        if (node.op == Operator::kAnd || node.op == Operator::kOr) return LowerLogic(node);
        if (node.op > Operator::kGreaterEqual) return Fail(messages::kPartiqlConditionOperator, OperatorName(node.op));
        return LowerComparison(node);
      case NodeKind::kNot: {
        const ConditionNode* inner = Lower(*node.children[0]);
        return inner == nullptr ? nullptr : Not(inner);
      }
      case NodeKind::kBetween: return LowerBetween(node);
      case NodeKind::kIn: return LowerIn(node);
      case NodeKind::kIs: return LowerIs(node);
      case NodeKind::kLike: return Fail(messages::kPartiqlConditionOperator, "LIKE");
      case NodeKind::kSign: return Fail(messages::kPartiqlConditionOperator, OperatorName(node.op));
      case NodeKind::kCall: return LowerFunction(node);
      case NodeKind::kPath: return Fail(messages::kPartiqlToken, node.path.empty() ? "*" : node.path.back().name);
      case NodeKind::kParameter: return Fail(messages::kPartiqlToken, "?");
      case NodeKind::kMissing: return Fail(messages::kPartiqlToken, "MISSING");
      case NodeKind::kStatement: return Fail(messages::kPartiqlToken, "SELECT");
      default: return Fail(messages::kPartiqlToken, "literal");
    }
  }

  std::string error;

 private:
  template <class... Args>
  std::nullptr_t Fail(std::string_view text, const Args&... args) {
    if (error.empty()) error = fmt::format(fmt::runtime(text), args...);
    return nullptr;
  }

  const ConditionNode* New(ConditionOp op, std::span<const Operand> operands, Type type = Type::kS) {
    return arena_.New<ConditionNode>(op, type, std::span<const ConditionNode* const>(), operands);
  }
  const ConditionNode* Not(const ConditionNode* inner) {
    std::span<const ConditionNode*> children = arena_.NewArray<const ConditionNode*>(1);
    children[0] = inner;
    return arena_.New<ConditionNode>(ConditionOp::kNot, Type::kS, children);
  }
  const ConditionNode* NotIf(bool is_negated, const ConditionNode* inner) {
    return inner == nullptr || !is_negated ? inner : Not(inner);
  }
  const ConditionNode* Checked(const ConditionNode* node) {
    if (std::string wrong = expr::CheckOperands(*node); !wrong.empty()) return Fail("{}", wrong);
    return node;
  }

  // Chains of one operator become one node.
  static size_t CountTerms(const Node& node, Operator op) {
    if (node.kind != NodeKind::kBinary || node.op != op) return 1;
    return CountTerms(*node.children[0], op) + CountTerms(*node.children[1], op);
  }
  bool LowerTerms(const Node& node, Operator op, std::span<const ConditionNode*> out, size_t& count) {
    if (node.kind == NodeKind::kBinary && node.op == op)
      return LowerTerms(*node.children[0], op, out, count) && LowerTerms(*node.children[1], op, out, count);
    out[count] = Lower(node);
    return out[count++] != nullptr;
  }
  const ConditionNode* LowerLogic(const Node& node) {
    std::span<const ConditionNode*> children = arena_.NewArray<const ConditionNode*>(CountTerms(node, node.op));
    size_t count = 0;
    if (!LowerTerms(node, node.op, children, count)) return nullptr;
    return arena_.New<ConditionNode>(node.op == Operator::kAnd ? ConditionOp::kAnd : ConditionOp::kOr, Type::kS,
                                     children);
  }

  const ConditionNode* LowerComparison(const Node& node) {
    std::span<Operand> operands = arena_.NewArray<Operand>(2);
    for (size_t i = 0; i < 2; ++i)
      if (!LowerOperand(*node.children[i], operands[i])) return nullptr;
    const ConditionNode* condition = Checked(New(OpOf(node.op), operands));
    if (condition == nullptr || node.op != Operator::kNotEqual) return condition;
    // Other than in expressions, nothing differs from an attribute that is not there.
    std::span<const ConditionNode*> all = arena_.NewArray<const ConditionNode*>(3);
    size_t count = 0;
    for (const Operand& operand : operands) {
      if (operand.path.empty()) continue;
      std::span<Operand> path = arena_.NewArray<Operand>(1);
      path[0] = {.kind = Operand::Kind::kPath, .path = operand.path};
      all[count++] = New(ConditionOp::kAttributeExists, path);
    }
    if (count == 0) return condition;
    all[count++] = condition;
    return arena_.New<ConditionNode>(ConditionOp::kAnd, Type::kS, all.first(count));
  }

  const ConditionNode* LowerBetween(const Node& node) {
    std::span<Operand> operands = arena_.NewArray<Operand>(3);
    for (size_t i = 0; i < 3; ++i)
      if (!LowerOperand(*node.children[i], operands[i])) return nullptr;
    return NotIf(node.is_negated, Checked(New(ConditionOp::kBetween, operands)));
  }

  const ConditionNode* LowerIn(const Node& node) {
    const Node& right = *node.children[1];
    std::span<Operand> operands;
    if (right.kind == NodeKind::kList || right.kind == NodeKind::kBag) {
      operands = arena_.NewArray<Operand>(1 + right.children.size());
      for (size_t i = 0; i < right.children.size(); ++i)
        if (!LowerOperand(*right.children[i], operands[i + 1])) return nullptr;
    } else {
      Operand list;
      if (!LowerOperand(right, list)) return nullptr;
      const auto type = expr::StaticType(list);
      if (list.kind != Operand::Kind::kValue || !list.value->is(Type::kL))
        return Fail(messages::kOperandType, "IN", type ? model::TypeName(*type) : messages::kAnyOperandType);
      operands = arena_.NewArray<Operand>(1 + list.value->list().size());
      for (size_t i = 1; i < operands.size(); ++i) operands[i].value = &list.value->list()[i - 1];
    }
    if (!LowerOperand(*node.children[0], operands[0])) return nullptr;
    if (operands.size() - 1 > kMaxInValues) return Fail(messages::kPartiqlInOperands, operands.size() - 1);
    return NotIf(node.is_negated, Checked(New(ConditionOp::kIn, operands)));
  }

  const ConditionNode* LowerIs(const Node& node) {
    std::span<Operand> operands = arena_.NewArray<Operand>(1);
    if (!LowerOperand(*node.children[0], operands[0])) return nullptr;
    if (node.text == "missing") {
      if (operands[0].kind != Operand::Kind::kPath) return Fail(messages::kRequiresPath, "IS");
      return New(node.is_negated ? ConditionOp::kAttributeExists : ConditionOp::kAttributeNotExists, operands);
    }
    const auto type = TypeOf(node.text);
    if (!type) {
      std::string upper(node.text);
      std::ranges::transform(upper, upper.begin(),
                             [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
      return Fail(messages::kPartiqlIsType, upper);
    }
    return NotIf(node.is_negated, New(ConditionOp::kAttributeType, operands, *type));
  }

  const ConditionNode* LowerFunction(const Node& node) {
    const auto op = FunctionOp(node.text);
    if (!op) return Fail(messages::kPartiqlUnknownFunction, node.text, node.at.ToString());
    std::span<Operand> operands = arena_.NewArray<Operand>(node.children.size());
    for (size_t i = 0; i < operands.size(); ++i)
      if (!LowerOperand(*node.children[i], operands[i])) return nullptr;
    const bool takes_path = *op == ConditionOp::kAttributeExists || *op == ConditionOp::kAttributeNotExists;
    if (operands.size() != (takes_path ? 1u : 2u)) return Fail(messages::kOperandCount, node.text, operands.size());
    if (takes_path && operands[0].kind != Operand::Kind::kPath) return Fail(messages::kRequiresPath, node.text);
    if (*op == ConditionOp::kAttributeType) return LowerAttributeType(operands);
    return Checked(New(*op, operands));
  }

  const ConditionNode* LowerAttributeType(std::span<const Operand> operands) {
    const auto type = expr::StaticType(operands[1]);
    if (!type) return Fail(messages::kOperandType, "attribute_type", messages::kAnyOperandType);
    if (type != Type::kS) return Fail(messages::kOperandType, "attribute_type", model::TypeName(*type));
    Type wanted;
    if (!model::ParseTypeName(operands[1].value->str(), &wanted))
      return Fail(messages::kPartiqlTypeName, operands[1].value->str());
    return New(ConditionOp::kAttributeType, operands.first(1), wanted);
  }

  bool LowerOperand(const Node& node, Operand& operand) {
    switch (node.kind) {
      case NodeKind::kLiteral: operand.value = &node.value; return true;
      case NodeKind::kParameter: operand.value = parameters_[node.parameter]; return true;
      case NodeKind::kPath:
        if (node.path.empty()) return Fail(messages::kPartiqlPathComponent, node.at.ToString()) != nullptr;
        operand.kind = Operand::Kind::kPath;
        operand.path = node.path;
        return true;
      case NodeKind::kCall:
        if (node.text == "size") return LowerSize(node, operand);
        break;
      default: break;
    }
    operand.condition = Lower(node);
    operand.kind = Operand::Kind::kCondition;
    return operand.condition != nullptr;
  }

  bool LowerSize(const Node& node, Operand& operand) {
    if (node.children.size() != 1) return Fail(messages::kOperandCount, "size", node.children.size()) != nullptr;
    if (!LowerOperand(*node.children[0], operand)) return false;
    if (operand.kind == Operand::Kind::kPath) {
      operand.kind = Operand::Kind::kSize;
      return true;
    }
    std::optional<int64_t> size;
    if (operand.kind == Operand::Kind::kValue) size = expr::SizeOf(*operand.value);
    if (!size) return Fail(messages::kOperandType, "size", model::TypeName(*expr::StaticType(operand))) != nullptr;
    const auto number = model::Value::OfNumber(model::Number::FromInt(*size), arena_);
    operand.value = arena_.New<model::Value>(number);
    return true;
  }

  const Parameters parameters_;
  Arena& arena_;
};

}  // namespace

model::ApiResult<void> CheckParameterCount(const Statement& statement, Parameters parameters) {
  if (statement.parameter_count == parameters.size()) return {};
  return ValidationException(std::string(messages::kPartiqlParameterCount));
}

model::ApiResult<const ConditionNode*> LowerWhere(const Statement& statement, Parameters parameters, Arena& arena) {
  if (statement.where == nullptr) return nullptr;
  ConditionLowering lowering(parameters, arena);
  const ConditionNode* lowered = lowering.Lower(*statement.where);
  if (lowered == nullptr) return ValidationException(std::move(lowering.error));
  return lowered;
}

model::Item LowerItem(const Statement& statement, Parameters parameters, Arena& arena) {
  std::span<model::MapEntry> entries = arena.NewArray<model::MapEntry>(statement.item.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    const InsertedAttribute& attribute = statement.item[i];
    const bool is_parameter = attribute.value->kind == NodeKind::kParameter;
    entries[i] = {attribute.name, is_parameter ? *parameters[attribute.value->parameter] : attribute.value->value};
  }
  return model::SortMap(entries);
}

const ConditionNode* AllOf(std::span<const ConditionNode* const> conditions, Arena& arena) {
  if (conditions.empty()) return nullptr;
  if (conditions.size() == 1) return conditions[0];
  return arena.New<ConditionNode>(ConditionOp::kAnd, Type::kS, conditions);
}

void CollectPaths(const ConditionNode& condition, std::vector<expr::Path>& paths) {
  for (const Operand& operand : condition.operands) {
    if (!operand.path.empty()) paths.push_back(operand.path);
    if (operand.condition != nullptr) CollectPaths(*operand.condition, paths);
  }
  for (const ConditionNode* child : condition.children) CollectPaths(*child, paths);
}

const expr::BoundCondition* Bind(const ConditionNode* condition, Arena& arena) {
  if (condition == nullptr) return nullptr;
  std::vector<expr::Path> paths;
  CollectPaths(*condition, paths);
  return arena.New<expr::BoundCondition>(condition, arena.Copy(paths));
}

model::Item ProjectColumns(std::span<const Column> columns, model::Item item, Arena& arena) {
  std::span<model::MapEntry> entries = arena.NewArray<model::MapEntry>(columns.size());
  size_t count = 0;
  for (const Column& column : columns) {
    const model::Value* value = expr::FindPath(item, column.path);
    if (value != nullptr) entries[count++] = {column.name, *value};
  }
  return entries.first(count);
}

}  // namespace armature::partiql
