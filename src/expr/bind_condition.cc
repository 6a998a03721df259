#include <optional>

#include "expr/binder.h"
#include "expr/compare.h"
#include "expr/format_scalar.h"

namespace armature::expr {
namespace {

namespace messages = model::messages;
using model::Type;

// IN takes its left side and 99 more.
constexpr uint32_t kMaxInOperands = 100;

ConditionOp OpOf(Function function) {
  switch (function) {
    case Function::kAttributeExists: return ConditionOp::kAttributeExists;
    case Function::kAttributeNotExists: return ConditionOp::kAttributeNotExists;
    case Function::kAttributeType: return ConditionOp::kAttributeType;
    case Function::kBeginsWith: return ConditionOp::kBeginsWith;
    default: return ConditionOp::kContains;
  }
}

uint32_t OperandCount(ConditionOp op) {
  return op == ConditionOp::kAttributeExists || op == ConditionOp::kAttributeNotExists ? 1 : 2;
}

// The type an operand has whatever the item is.
std::optional<Type> StaticType(const Operand& operand) {
  if (operand.kind == Operand::Kind::kSize) return Type::kN;
  if (operand.kind == Operand::Kind::kValue) return operand.value->type();
  return std::nullopt;
}

class ConditionBinder {
 public:
  explicit ConditionBinder(Binder& binder) : binder_(binder) {}

  // Errors come in the order of the text, and for each condition: undefined references, number of operands, operands
  // that are the same, operands of a wrong type.
  const ConditionNode* Bind(const Node& node) {
    if (node.kind == NodeKind::kFunction) return BindFunction(node);
    if (node.op <= ConditionOp::kNot) return BindLogic(node);
    ConditionNode* bound = BindOperands(node, node.op);
    if (bound == nullptr) return nullptr;
    if (node.op == ConditionOp::kIn && node.count > kMaxInOperands)
      return binder_.Fail(messages::kOperandCount, "IN", node.count);
    if (!CheckDistinct(*bound)) return nullptr;
    if (node.op == ConditionOp::kEqual || node.op == ConditionOp::kNotEqual || node.op == ConditionOp::kIn)
      return bound;
    if (!CheckTypes(*bound, [](Type type) { return IsOrdered(type); })) return nullptr;
    if (node.op == ConditionOp::kBetween && !CheckBounds(*bound)) return nullptr;
    return bound;
  }

 private:
  const ConditionNode* BindLogic(const Node& node) {
    std::span<const ConditionNode*> children = binder_.arena().NewArray<const ConditionNode*>(node.count);
    for (uint32_t i = 0; i < node.count; ++i) {
      children[i] = Bind(binder_.argument(node, i));
      if (children[i] == nullptr) return nullptr;
    }
    return binder_.arena().New<ConditionNode>(node.op, Type::kS, children);
  }

  ConditionNode* BindOperands(const Node& node, ConditionOp op) {
    std::span<Operand> operands = binder_.arena().NewArray<Operand>(node.count);
    for (uint32_t i = 0; i < node.count; ++i)
      if (!BindOperand(binder_.argument(node, i), operands[i])) return nullptr;
    return binder_.arena().New<ConditionNode>(op, Type::kS, std::span<const ConditionNode* const>(), operands);
  }

  bool BindOperand(const Node& node, Operand& operand) {
    if (node.kind == NodeKind::kFunction) return BindSize(node, operand);
    if (node.kind == NodeKind::kPath) {
      operand.kind = Operand::Kind::kPath;
      operand.path = binder_.BindPath(node);
      return !operand.path.empty();
    }
    operand.value = binder_.BindValue(node);
    return operand.value != nullptr;
  }

  // The parser lets no other function be an operand.
  bool BindSize(const Node& node, Operand& operand) {
    for (uint32_t i = 0; i < node.count; ++i) {
      Operand bound;
      if (!BindOperand(binder_.argument(node, i), bound)) return false;
      if (i == 0) operand = bound;
    }
    if (node.count != 1) return binder_.Fail(messages::kOperandCount, "size", node.count);
    if (operand.kind == Operand::Kind::kPath) {
      operand.kind = Operand::Kind::kSize;
      return true;
    }
    std::optional<int64_t> size;
    if (operand.kind == Operand::Kind::kValue) size = SizeOf(*operand.value);
    if (!size) return binder_.Fail(messages::kOperandType, "size", model::TypeName(*StaticType(operand)));
    const auto number = model::Value::OfNumber(model::Number::FromInt(*size), binder_.arena());
    operand.value = binder_.arena().New<model::Value>(number);
    return true;
  }

  const ConditionNode* BindFunction(const Node& node) {
    const ConditionOp op = OpOf(node.function);
    ConditionNode* bound = BindOperands(node, op);
    if (bound == nullptr) return nullptr;
    if (node.count != OperandCount(op)) return binder_.Fail(messages::kOperandCount, ConditionOpName(op), node.count);
    switch (op) {
      case ConditionOp::kAttributeExists:
      case ConditionOp::kAttributeNotExists:
        if (bound->operands[0].kind == Operand::Kind::kPath) return bound;
        return binder_.Fail(messages::kRequiresPath, ConditionOpName(op));
      case ConditionOp::kAttributeType: return CheckTypeName(*bound) ? bound : nullptr;
      case ConditionOp::kBeginsWith:
        if (!CheckDistinct(*bound)) return nullptr;
        return CheckTypes(*bound, [](Type type) { return type == Type::kS || type == Type::kB; }) ? bound : nullptr;
      default: return CheckContains(*bound) ? bound : nullptr;
    }
  }

  bool CheckDistinct(const ConditionNode& node) {
    const Operand& first = node.operands[0];
    if (first.kind != Operand::Kind::kPath) return true;
    for (const Operand& other : node.operands.subspan(1))
      if (other.kind == Operand::Kind::kPath && SamePath(first.path, other.path))
        return binder_.Fail(messages::kOperandsNotDistinct, ConditionOpName(node.op), FormatPath(first.path));
    return true;
  }

  template <class Allowed>
  bool CheckTypes(const ConditionNode& node, Allowed allowed) {
    for (const Operand& operand : node.operands) {
      const auto type = StaticType(operand);
      if (type && !allowed(*type))
        return binder_.Fail(messages::kOperandType, ConditionOpName(node.op), model::TypeName(*type));
    }
    return true;
  }

  bool CheckBounds(const ConditionNode& node) {
    const Operand& lower = node.operands[1];
    const Operand& upper = node.operands[2];
    if (lower.kind != Operand::Kind::kValue || upper.kind != Operand::Kind::kValue) return true;
    if (lower.value->type() != upper.value->type())
      return binder_.Fail(messages::kBetweenTypes, FormatScalar(*lower.value), FormatScalar(*upper.value));
    if (CompareOrdered(*lower.value, *upper.value) > 0)
      return binder_.Fail(messages::kBetweenOrder, FormatScalar(*lower.value), FormatScalar(*upper.value));
    return true;
  }

  bool CheckContains(const ConditionNode& node) {
    if (!CheckDistinct(node)) return false;
    const auto type = StaticType(node.operands[0]);
    if (!type || type == Type::kS || type == Type::kB || type == Type::kL) return true;
    if (type == Type::kSS || type == Type::kNS || type == Type::kBS) return true;
    return binder_.Fail(messages::kOperandType, "contains", model::TypeName(*type));
  }

  // Moves the second operand of attribute_type into `type`.
  bool CheckTypeName(ConditionNode& node) {
    const Operand& name = node.operands[1];
    const auto type = StaticType(name);
    if (!type) return binder_.Fail(messages::kOperandType, "attribute_type", messages::kAnyOperandType);
    if (type != Type::kS) return binder_.Fail(messages::kOperandType, "attribute_type", model::TypeName(*type));
    if (!model::ParseTypeName(name.value->str(), &node.type))
      return binder_.Fail(messages::kInvalidTypeName, name.value->str());
    node.operands = node.operands.first(1);
    return true;
  }

  Binder& binder_;
};

}  // namespace

const ConditionNode* BindCondition(Binder& binder) {
  return ConditionBinder(binder).Bind(binder.node(binder.parsed().root));
}

}  // namespace armature::expr
