#include "expr/bind/check_operands.h"

#include <fmt/format.h>

#include "base/codec/base64.h"
#include "expr/compare.h"
#include "model/messages/expressions.h"

namespace armature::expr {
namespace {

namespace messages = model::messages;
using model::Type;

std::string CheckDistinct(const ConditionNode& node) {
  const Operand& first = node.operands[0];
  if (first.kind != Operand::Kind::kPath) return {};
  for (const Operand& other : node.operands.subspan(1))
    if (other.kind == Operand::Kind::kPath && SamePath(first.path, other.path))
      return fmt::format(messages::kOperandsNotDistinct, ConditionOpName(node.op), FormatPath(first.path));
  return {};
}

template <class Allowed>
std::string CheckTypes(const ConditionNode& node, Allowed allowed) {
  for (const Operand& operand : node.operands) {
    const auto type = StaticType(operand);
    if (type && !allowed(*type))
      return fmt::format(messages::kOperandType, ConditionOpName(node.op), model::TypeName(*type));
  }
  return {};
}

std::string CheckBounds(const ConditionNode& node) {
  const Operand& lower = node.operands[1];
  const Operand& upper = node.operands[2];
  if (lower.kind != Operand::Kind::kValue || upper.kind != Operand::Kind::kValue) return {};
  if (lower.value->type() != upper.value->type())
    return fmt::format(messages::kBetweenTypes, FormatScalar(*lower.value), FormatScalar(*upper.value));
  if (CompareOrdered(*lower.value, *upper.value) > 0)
    return fmt::format(messages::kBetweenOrder, FormatScalar(*lower.value), FormatScalar(*upper.value));
  return {};
}

std::string CheckContains(const ConditionNode& node) {
  const auto type = StaticType(node.operands[0]);
  if (!type || type == Type::kS || type == Type::kB || type == Type::kL) return {};
  if (type == Type::kSS || type == Type::kNS || type == Type::kBS) return {};
  return fmt::format(messages::kOperandType, "contains", model::TypeName(*type));
}

}  // namespace

std::optional<Type> StaticType(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::kPath: return std::nullopt;
    case Operand::Kind::kValue: return operand.value->type();
    case Operand::Kind::kSize: return Type::kN;
    case Operand::Kind::kCondition: return Type::kBool;
  }
  return std::nullopt;
}

std::string CheckOperands(const ConditionNode& node) {
  if (std::string error = CheckDistinct(node); !error.empty()) return error;
  switch (node.op) {
    case ConditionOp::kLess:
    case ConditionOp::kLessEqual:
    case ConditionOp::kGreater:
    case ConditionOp::kGreaterEqual: return CheckTypes(node, IsOrdered);
    case ConditionOp::kBetween: {
      std::string error = CheckTypes(node, IsOrdered);
      return error.empty() ? CheckBounds(node) : error;
    }
    case ConditionOp::kBeginsWith:
      return CheckTypes(node, [](Type type) { return type == Type::kS || type == Type::kB; });
    case ConditionOp::kContains: return CheckContains(node);
    default: return {};
  }
}

std::string FormatScalar(const model::Value& value) {
  std::string text;
  if (value.is(Type::kN)) value.number().AppendTo(text);
  else if (value.is(Type::kB)) AppendBase64(text, value.str());
  else text = value.str();
  return fmt::format("{{{}:{}}}", model::TypeName(value.type()), text);
}

}  // namespace armature::expr
