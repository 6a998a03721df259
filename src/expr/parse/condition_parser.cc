#include "expr/parse/condition_parser.h"

#include <fmt/format.h>

#include "expr/parse/parser.h"
#include "model/messages/expressions.h"

namespace armature::expr {
namespace {

namespace messages = model::messages;

constexpr std::string_view kKeywords[] = {"AND", "OR", "NOT", "BETWEEN", "IN"};

std::optional<ConditionOp> ComparatorOf(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEqual: return ConditionOp::kEqual;
    case TokenKind::kNotEqual: return ConditionOp::kNotEqual;
    case TokenKind::kLess: return ConditionOp::kLess;
    case TokenKind::kLessEqual: return ConditionOp::kLessEqual;
    case TokenKind::kGreater: return ConditionOp::kGreater;
    case TokenKind::kGreaterEqual: return ConditionOp::kGreaterEqual;
    default: return std::nullopt;
  }
}

}  // namespace

ConditionParser::ConditionParser(std::string_view source) : OperandParser(source, kKeywords, Rank::kReserved) {}

ParsedExpression ConditionParser::Run() {
  const auto root = ParseOr(false);
  if (root) out_.root = *root;
  const bool is_whole = root && At(TokenKind::kEnd) && !has_error();
  if (is_whole) CheckFunctionUse(out_.root, true);
  return Finish(root.has_value());
}

NodeIndex ConditionParser::AddCondition(ConditionOp op, std::span<const NodeIndex> arguments) {
  Node node{.kind = NodeKind::kCondition, .op = op};
  SetArguments(node, arguments);
  return Add(node);
}

ConditionParser::MaybeNode ConditionParser::ParseOr(bool may_be_operand) {
  auto first = ParseAnd(may_be_operand);
  if (!first || !AtKeyword("OR")) return first;
  std::vector<NodeIndex> children{*first};
  while (AcceptKeyword("OR")) {
    CountOperator();
    const auto next = ParseAnd(false);
    if (!next) return std::nullopt;
    children.push_back(*next);
  }
  return AddCondition(ConditionOp::kOr, children);
}

ConditionParser::MaybeNode ConditionParser::ParseAnd(bool may_be_operand) {
  auto first = ParseNot(may_be_operand);
  if (!first || !AtKeyword("AND")) return first;
  std::vector<NodeIndex> children{*first};
  while (AcceptKeyword("AND")) {
    CountOperator();
    const auto next = ParseNot(false);
    if (!next) return std::nullopt;
    children.push_back(*next);
  }
  return AddCondition(ConditionOp::kAnd, children);
}

ConditionParser::MaybeNode ConditionParser::ParseNot(bool may_be_operand) {
  uint32_t count = 0;
  while (AcceptKeyword("NOT")) {
    CountOperator();
    ++count;
  }
  auto node = ParsePrimary(may_be_operand && count == 0);
  // Too many were noted above; there is no use in building them.
  for (count = std::min(count, kMaxOperators + 1); node && count > 0; --count) {
    const NodeIndex child = *node;
    node = AddCondition(ConditionOp::kNot, {&child, 1});
  }
  return node;
}

ConditionParser::MaybeNode ConditionParser::ParsePrimary(bool may_be_operand) {
  MaybeNode node;
  if (Accept(TokenKind::kLeftParen)) {
    if (!EnterParentheses()) return std::nullopt;
    node = ParseOr(true);
    if (!node || !Close(*node)) return std::nullopt;
    if (out_.nodes[*node].kind == NodeKind::kCondition) return node;
  } else {
    node = ParseOperand();
    if (!node) return std::nullopt;
  }
  // A function may be the whole condition; whether it is one that may, is checked at the end.
  const bool can_end = out_.nodes[*node].kind == NodeKind::kFunction || (may_be_operand && At(TokenKind::kRightParen));
  const Token& next = Peek();
  const auto condition = ParseAfterOperand(*node);
  if (!condition && can_end && &Peek() == &next && !has_error()) return node;
  if (!condition) return SyntaxError();
  return condition;
}

ConditionParser::MaybeNode ConditionParser::ParseAfterOperand(NodeIndex left) {
  std::vector<NodeIndex> operands{left};
  const auto take_operand = [&] {
    const auto operand = ParseOperand();
    if (operand) operands.push_back(*operand);
    return operand.has_value();
  };
  if (const auto op = ComparatorOf(Peek().kind)) {
    Accept(Peek().kind);
    CountOperator();
    if (!take_operand()) return std::nullopt;
    return AddCondition(*op, operands);
  }
  if (AcceptKeyword("BETWEEN")) {
    CountOperator();
    if (!take_operand()) return std::nullopt;
    if (!AcceptKeyword("AND")) return SyntaxError();
    if (!take_operand()) return std::nullopt;
    return AddCondition(ConditionOp::kBetween, operands);
  }
  if (AcceptKeyword("IN")) {
    CountOperator();
    if (!Accept(TokenKind::kLeftParen)) return SyntaxError();
    do {
      if (!take_operand()) return std::nullopt;
    } while (Accept(TokenKind::kComma));
    if (!Accept(TokenKind::kRightParen)) return SyntaxError();
    return AddCondition(ConditionOp::kIn, operands);
  }
  return std::nullopt;
}

// size() is an operand, the others are conditions; those of updates have no place here.
void ConditionParser::CheckFunctionUse(NodeIndex index, bool as_condition) {
  const Node node = out_.nodes[index];
  if (node.kind == NodeKind::kFunction && node.function != Function::kUnknown) {
    if (IsUpdateFunction(node.function))
      Note(Rank::kMisusedFunction, fmt::format(messages::kFunctionNotInCondition, FunctionName(node.function)));
    else if (as_condition == (node.function == Function::kSize))
      Note(Rank::kMisusedFunction, fmt::format(messages::kMisusedFunction, FunctionName(node.function)));
  }
  if (node.kind == NodeKind::kPath || node.kind == NodeKind::kValue) return;
  const bool of_conditions = node.kind == NodeKind::kCondition && node.op <= ConditionOp::kNot;
  for (uint32_t i = 0; i < node.count; ++i) CheckFunctionUse(out_.links[node.first + i], of_conditions);
}

}  // namespace armature::expr
