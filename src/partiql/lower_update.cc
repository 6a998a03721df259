#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "model/messages/expressions.h"
#include "model/messages/partiql.h"
#include "partiql/lower.h"

namespace armature::partiql {
namespace {

namespace messages = model::messages;
using expr::UpdateAction;
using expr::UpdateActionKind;
using expr::UpdateValue;
using model::Type;
using model::ValidationException;

std::optional<Type> StaticType(const UpdateValue& value) {
  switch (value.kind) {
    case UpdateValue::Kind::kValue: return value.value->type();
    case UpdateValue::Kind::kListAppend: return Type::kL;
    case UpdateValue::Kind::kPlus:
    case UpdateValue::Kind::kMinus: return Type::kN;
    default: return std::nullopt;
  }
}

class UpdateLowering {
 public:
  UpdateLowering(Parameters parameters, Arena& arena) : parameters_(parameters), arena_(arena) {}

  bool Lower(const Assignment& assignment, UpdateAction& action) {
    action.path = assignment.target;
    if (assignment.value == nullptr) {
      action.kind = UpdateActionKind::kRemove;
      return true;
    }
    const Node& value = *assignment.value;
    if (value.kind == NodeKind::kCall && (value.text == "set_add" || value.text == "set_delete"))
      return LowerSetChange(value, action);
    action.kind = UpdateActionKind::kSet;
    action.value = LowerValue(value);
    return action.value != nullptr;
  }

  std::string error;

 private:
  template <class... Args>
  std::nullptr_t Fail(std::string_view text, const Args&... args) {
    if (error.empty()) error = fmt::format(fmt::runtime(text), args...);
    return nullptr;
  }

  const model::Value* Constant(const Node& node) const {
    if (node.kind == NodeKind::kLiteral) return &node.value;
    return node.kind == NodeKind::kParameter ? parameters_[node.parameter] : nullptr;
  }

  // `a = set_add(a, <<…>>)` is what ADD and DELETE do in update expressions.
  bool LowerSetChange(const Node& call, UpdateAction& action) {
    const bool is_add = call.text == "set_add";
    const std::string_view name = is_add ? "SET_ADD" : "SET_DELETE";
    if (call.children.size() != 2) return Fail(messages::kPartiqlSetArguments, name, call.at.ToString()) != nullptr;
    const Node& first = *call.children[0];
    if (first.kind != NodeKind::kPath || !expr::SamePath(first.path, action.path))
      return Fail(messages::kPartiqlSetFirst, name, call.at.ToString()) != nullptr;
    const model::Value* members = Constant(*call.children[1]);
    if (members == nullptr || !members->is_set())
      return Fail(messages::kPartiqlSetSecond, name, first.at.ToString()) != nullptr;
    action.kind = is_add ? UpdateActionKind::kAdd : UpdateActionKind::kDelete;
    UpdateValue* value = arena_.New<UpdateValue>();
    value->value = members;
    action.value = value;
    return true;
  }

  const UpdateValue* LowerValue(const Node& node) {
    UpdateValue* value = arena_.New<UpdateValue>();
    switch (node.kind) {
      case NodeKind::kLiteral:
      case NodeKind::kParameter: value->value = Constant(node); return value;
      case NodeKind::kPath:
        if (node.path.empty()) return Fail(messages::kPartiqlPathComponent, node.at.ToString());
        value->kind = UpdateValue::Kind::kPath;
        value->path = node.path;
        return value;
      case NodeKind::kBinary:
        if (node.op != Operator::kPlus && node.op != Operator::kMinus) break;
        value->kind = node.op == Operator::kPlus ? UpdateValue::Kind::kPlus : UpdateValue::Kind::kMinus;
        return LowerOperands(node, OperatorName(node.op), Type::kN, *value) ? value : nullptr;
      case NodeKind::kCall:
        if (node.text != "list_append") return Fail(messages::kPartiqlUnknownFunction, node.text, node.at.ToString());
        if (node.children.size() != 2) return Fail(messages::kOperandCount, node.text, node.children.size());
        value->kind = UpdateValue::Kind::kListAppend;
        return LowerOperands(node, node.text, Type::kL, *value) ? value : nullptr;
      default: break;
    }
    return Fail(messages::kPartiqlUpdateOperator, DescribeOperator(node));
  }

  static std::string_view DescribeOperator(const Node& node) {
    switch (node.kind) {
      case NodeKind::kBinary:
      case NodeKind::kSign: return OperatorName(node.op);
      case NodeKind::kNot: return "NOT";
      case NodeKind::kBetween: return "BETWEEN";
      case NodeKind::kIn: return "IN";
      case NodeKind::kIs: return "IS";
      case NodeKind::kLike: return "LIKE";
      default: return "SELECT";
    }
  }

  // Both sides of + and -, both arguments of list_append.
  bool LowerOperands(const Node& node, std::string_view name, Type wanted, UpdateValue& value) {
    value.left = LowerValue(*node.children[0]);
    value.right = value.left == nullptr ? nullptr : LowerValue(*node.children[1]);
    if (value.right == nullptr) return false;
    for (const UpdateValue* operand : {value.left, value.right}) {
      const auto type = StaticType(*operand);
      if (type && *type != wanted) return Fail(messages::kOperandType, name, model::TypeName(*type)) != nullptr;
    }
    return true;
  }

  const Parameters parameters_;
  Arena& arena_;
};

}  // namespace

model::ApiResult<const expr::BoundUpdate*> LowerUpdate(const Statement& statement, Parameters parameters,
                                                       Arena& arena) {
  UpdateLowering lowering(parameters, arena);
  std::span<UpdateAction> actions = arena.NewArray<UpdateAction>(statement.assignments.size());
  std::span<expr::Path> paths = arena.NewArray<expr::Path>(actions.size());
  expr::BoundUpdate update{.actions = actions, .paths = paths, .creates_item = false, .is_partiql = true};
  for (size_t i = 0; i < actions.size(); ++i) {
    if (!lowering.Lower(statement.assignments[i], actions[i])) return ValidationException(std::move(lowering.error));
    paths[i] = actions[i].path;
    update.creates_item |= actions[i].kind == UpdateActionKind::kSet || actions[i].kind == UpdateActionKind::kAdd;
  }
  if (auto overlap = expr::CheckPathsDisjoint(paths, arena)) return ValidationException(std::move(*overlap));
  std::ranges::sort(actions, expr::PathLess, &UpdateAction::path);
  return arena.New<expr::BoundUpdate>(update);
}

}  // namespace armature::partiql
