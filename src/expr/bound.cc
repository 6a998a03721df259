#include "expr/bound.h"

namespace armature::expr {

std::string_view ExpressionKindName(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::kCondition: return "ConditionExpression";
    case ExpressionKind::kFilter: return "FilterExpression";
    case ExpressionKind::kKeyCondition: return "KeyConditionExpression";
    case ExpressionKind::kUpdate: return "UpdateExpression";
    case ExpressionKind::kProjection: return "ProjectionExpression";
  }
  return "";
}

std::string_view ConditionOpName(ConditionOp op) {
  switch (op) {
    case ConditionOp::kAnd: return "AND";
    case ConditionOp::kOr: return "OR";
    case ConditionOp::kNot: return "NOT";
    case ConditionOp::kEqual: return "=";
    case ConditionOp::kNotEqual: return "<>";
    case ConditionOp::kLess: return "<";
    case ConditionOp::kLessEqual: return "<=";
    case ConditionOp::kGreater: return ">";
    case ConditionOp::kGreaterEqual: return ">=";
    case ConditionOp::kBetween: return "BETWEEN";
    case ConditionOp::kIn: return "IN";
    case ConditionOp::kAttributeExists: return "attribute_exists";
    case ConditionOp::kAttributeNotExists: return "attribute_not_exists";
    case ConditionOp::kAttributeType: return "attribute_type";
    case ConditionOp::kBeginsWith: return "begins_with";
    case ConditionOp::kContains: return "contains";
  }
  return "";
}

}  // namespace armature::expr
