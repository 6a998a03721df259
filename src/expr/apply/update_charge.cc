#include "expr/apply/update_charge.h"

#include "model/item_size.h"

namespace armature::expr {
namespace {

constexpr size_t kStatement = 3;
constexpr size_t kValueClause = 19;    // SET, ADD
constexpr size_t kRemovingClause = 1;  // REMOVE, DELETE
constexpr size_t kTargetStep = 4;      // of each element of the target but the first
constexpr size_t kPathOperand = 1;
constexpr size_t kOperandStep = 14;  // of each element of a path that is read
constexpr size_t kPlus = 34;
constexpr size_t kMinus = 37;
constexpr size_t kListAppend = 37;
constexpr size_t kIfNotExists = 39;

size_t ElementBytes(const PathElement& element) {
  if (!element.is_index) return element.name.size();
  size_t digits = 1;
  for (auto index = element.index; index >= 10; index /= 10) ++digits;
  return digits;
}

size_t TargetCharge(Path path) {
  size_t charge = 0;
  for (size_t i = 0; i < path.size(); ++i) charge += (i == 0 ? 0 : kTargetStep) + ElementBytes(path[i]);
  return charge;
}

size_t PathCharge(Path path) {
  size_t charge = kPathOperand;
  for (const PathElement& element : path) charge += kOperandStep + ElementBytes(element);
  return charge;
}

size_t OperandCharge(const UpdateValue& value) {
  switch (value.kind) {
    case UpdateValue::Kind::kPath: return PathCharge(value.path);
    case UpdateValue::Kind::kValue: return model::ValueSize(*value.value);
    case UpdateValue::Kind::kIfNotExists: return kIfNotExists + PathCharge(value.path) + OperandCharge(*value.right);
    case UpdateValue::Kind::kListAppend: return kListAppend + OperandCharge(*value.left) + OperandCharge(*value.right);
    case UpdateValue::Kind::kPlus: return kPlus + OperandCharge(*value.left) + OperandCharge(*value.right);
    case UpdateValue::Kind::kMinus: return kMinus + OperandCharge(*value.left) + OperandCharge(*value.right);
  }
  return 0;
}

}  // namespace

size_t UpdateCharge(const BoundUpdate& update) {
  size_t charge = kStatement;
  for (const UpdateAction& action : update.actions) {
    charge += TargetCharge(action.path);
    const bool removes = action.kind == UpdateActionKind::kRemove || action.kind == UpdateActionKind::kDelete;
    charge += removes ? kRemovingClause : kValueClause + OperandCharge(*action.value);
  }
  return charge;
}

}  // namespace armature::expr
