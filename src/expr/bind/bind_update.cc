#include <algorithm>
#include <optional>

#include "expr/bind/binder.h"
#include "model/messages/expressions.h"

namespace armature::expr {
namespace {

namespace messages = model::messages;
using model::Type;

// The long names that ADD and DELETE use in their messages.
std::string_view LongTypeName(Type type) {
  switch (type) {
    case Type::kS: return "STRING";
    case Type::kN: return "NUMBER";
    case Type::kB: return "BINARY";
    case Type::kBool: return "BOOLEAN";
    case Type::kNull: return "NULL";
    case Type::kL: return "LIST";
    case Type::kM: return "MAP";
    default: return model::TypeName(type);
  }
}

// The type a right-hand side has whatever the item is.
std::optional<Type> StaticType(const UpdateValue& value) {
  switch (value.kind) {
    case UpdateValue::Kind::kPath: return std::nullopt;
    case UpdateValue::Kind::kValue: return value.value->type();
    case UpdateValue::Kind::kIfNotExists: return value.right ? StaticType(*value.right) : std::nullopt;
    case UpdateValue::Kind::kListAppend: return Type::kL;
    case UpdateValue::Kind::kPlus:
    case UpdateValue::Kind::kMinus: return Type::kN;
  }
  return std::nullopt;
}

// Binds everything in one go. AWS reports undefined names first, then undefined values, then paths that overlap or
// conflict, then wrong operands, so the later kinds are kept until the earlier ones are ruled out.
class UpdateBinder {
 public:
  explicit UpdateBinder(Binder& binder) : binder_(binder) {}

  const BoundUpdate* Bind() {
    const auto& parsed = binder_.parsed();
    std::span<UpdateAction> actions = binder_.arena().NewArray<UpdateAction>(parsed.actions.size());
    std::span<Path> paths = binder_.arena().NewArray<Path>(parsed.actions.size());
    BoundUpdate update{.actions = actions, .paths = paths, .creates_item = false};
    for (size_t i = 0; i < actions.size(); ++i) {
      if (!BindAction(parsed.actions[i], actions[i])) return nullptr;
      paths[i] = actions[i].path;
      update.creates_item |= actions[i].kind == UpdateActionKind::kSet || actions[i].kind == UpdateActionKind::kAdd;
    }
    if (!undefined_value_.empty()) return binder_.Fail(messages::kUndefinedValue, undefined_value_);
    if (auto error = CheckPathsDisjoint(paths, binder_.arena())) return binder_.Fail("{}", *error);
    if (!operand_error_.empty()) return binder_.Fail("{}", operand_error_);
    if (!parsed.late_error.empty()) return binder_.Fail("{}", parsed.late_error);
    std::ranges::sort(actions, PathLess, &UpdateAction::path);
    return binder_.arena().New<BoundUpdate>(update);
  }

 private:
  template <class... Args>
  void WrongOperand(std::string_view text, const Args&... args) {
    if (operand_error_.empty()) operand_error_ = fmt::format(fmt::runtime(text), args...);
  }

  bool BindAction(const ParsedAction& parsed, UpdateAction& action) {
    action.kind = parsed.kind;
    action.path = binder_.BindPath(binder_.node(parsed.path));
    if (action.path.empty()) return false;
    if (action.kind == UpdateActionKind::kRemove) return true;
    action.value = BindValue(binder_.node(parsed.value));
    if (action.value == nullptr) return false;
    if (action.kind == UpdateActionKind::kSet) return true;
    const model::Value& value = *action.value->value;  // NOLINT: ADD and DELETE take nothing but a value
    const bool is_add = action.kind == UpdateActionKind::kAdd;
    if (!value.is_set() && !(is_add && value.is(Type::kN)))
      WrongOperand(messages::kUpdateOperandType, is_add ? "ADD" : "DELETE", LongTypeName(value.type()));
    return true;
  }

  // Null only for an undefined name.
  const UpdateValue* BindValue(const Node& node) {
    UpdateValue* bound = binder_.arena().New<UpdateValue>();
    switch (node.kind) {
      case NodeKind::kPath:
        bound->kind = UpdateValue::Kind::kPath;
        bound->path = binder_.BindPath(node);
        return bound->path.empty() ? nullptr : bound;
      case NodeKind::kValue: bound->value = BindReference(node); return bound;
      default: return BindArguments(node, *bound) ? bound : nullptr;
    }
  }

  const model::Value* BindReference(const Node& node) {
    static constexpr model::Value kUndefined;
    const model::Value* value = binder_.FindValue(node);
    if (value == nullptr && undefined_value_.empty()) undefined_value_ = binder_.Text(node);
    return value == nullptr ? &kUndefined : value;
  }

  bool BindArguments(const Node& node, UpdateValue& bound) {
    for (uint32_t i = 0; i < node.count; ++i) {
      const UpdateValue* argument = BindValue(binder_.argument(node, i));
      if (argument == nullptr) return false;
      if (i < 2) (i == 0 ? bound.left : bound.right) = argument;
    }
    if (node.kind != NodeKind::kFunction) {
      bound.kind = node.kind == NodeKind::kPlus ? UpdateValue::Kind::kPlus : UpdateValue::Kind::kMinus;
      CheckTypes(bound, node.kind == NodeKind::kPlus ? "+" : "-", Type::kN);
      return true;
    }
    const std::string_view name = FunctionName(node.function);
    bound.kind =
        node.function == Function::kListAppend ? UpdateValue::Kind::kListAppend : UpdateValue::Kind::kIfNotExists;
    if (node.function != Function::kListAppend && node.function != Function::kIfNotExists) return true;  // a late error
    if (node.count != 2) {
      WrongOperand(messages::kOperandCount, name, node.count);
    } else if (node.function == Function::kListAppend) {
      CheckTypes(bound, name, Type::kL);
    } else if (bound.left->kind != UpdateValue::Kind::kPath) {
      WrongOperand(messages::kRequiresPath, name);
    } else {
      bound.path = bound.left->path;
    }
    return true;
  }

  void CheckTypes(const UpdateValue& value, std::string_view name, Type wanted) {
    for (const UpdateValue* operand : {value.left, value.right}) {
      const auto type = StaticType(*operand);
      if (type && *type != wanted) WrongOperand(messages::kOperandType, name, model::TypeName(*type));
    }
  }

  Binder& binder_;
  std::string_view undefined_value_;
  std::string operand_error_;
};

}  // namespace

const BoundUpdate* BindUpdate(Binder& binder) { return UpdateBinder(binder).Bind(); }

}  // namespace armature::expr
