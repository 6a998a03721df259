#include <optional>
#include <string>

#include "expr/bind/binder.h"
#include "expr/bind/check_operands.h"
#include "expr/compare.h"
#include "model/messages/expressions.h"

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
    return Checked(bound);
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
      default: return Checked(bound);
    }
  }

  const ConditionNode* Checked(const ConditionNode* bound) {
    if (const std::string error = CheckOperands(*bound); !error.empty()) return binder_.Fail("{}", error);
    return bound;
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
