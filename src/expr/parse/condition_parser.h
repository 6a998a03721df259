// ConditionParser: conditions, as ConditionExpression, FilterExpression and KeyConditionExpression have them.
//
// Finds functions that stand where they may not. One text, one thread. Internal to expr/parse.
#pragma once

#include "expr/parse/operand_parser.h"

namespace armature::expr {

class ConditionParser : private OperandParser {
 public:
  explicit ConditionParser(std::string_view source);

  ParsedExpression Run();

 private:
  // `may_be_operand`: this stands in parentheses, where a single operand is fine too, as in `(a) = :v`.
  MaybeNode ParseOr(bool may_be_operand);
  MaybeNode ParseAnd(bool may_be_operand);
  MaybeNode ParseNot(bool may_be_operand);
  MaybeNode ParsePrimary(bool may_be_operand);
  // Null without an error, and nothing read, when no comparison follows.
  MaybeNode ParseAfterOperand(NodeIndex left);
  NodeIndex AddCondition(ConditionOp op, std::span<const NodeIndex> arguments);
  void CheckFunctionUse(NodeIndex index, bool as_condition);
};

}  // namespace armature::expr
