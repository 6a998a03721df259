#include "api/partiql/statement_write.h"

#include "api/item/item_reply.h"
#include "api/item/key_checks.h"
#include "expr/apply/update.h"
#include "model/messages/partiql.h"
#include "partiql/lower.h"
#include "table/index/index_changes.h"

namespace armature::api {

using expr::ConditionNode;
using expr::ConditionOp;
using model::ApiResult;
using partiql::Returning;
using partiql::StatementKind;
using partiql::WriteTarget;
namespace messages = model::messages;

namespace {

// Whether the item is there, told by its partition key.
const ConditionNode* ItemExists(const model::KeySchema& schema, ConditionOp op, Arena& arena) {
  std::span<expr::PathElement> path = arena.NewArray<expr::PathElement>(1);
  path[0].name = schema.hash[0].name;
  std::span<expr::Operand> operands = arena.NewArray<expr::Operand>(1);
  operands[0] = {.kind = expr::Operand::Kind::kPath, .path = path};
  return arena.New<ConditionNode>(op, model::Type::kS, std::span<const ConditionNode* const>(), operands);
}

const ConditionNode* ConditionOf(const BoundStatement& bound, const WriteTarget& target, Arena& arena) {
  const model::KeySchema& schema = bound.table->key_schema();
  const StatementKind kind = bound.statement->kind;
  if (kind == StatementKind::kInsert) return ItemExists(schema, ConditionOp::kAttributeNotExists, arena);
  const bool is_delete = kind == StatementKind::kDelete;
  if (is_delete && target.condition == nullptr) return nullptr;
  const ConditionOp presence = is_delete ? ConditionOp::kAttributeNotExists : ConditionOp::kAttributeExists;
  const ConditionNode* exists = ItemExists(schema, presence, arena);
  if (target.condition == nullptr) return exists;
  std::span<const ConditionNode*> both = arena.NewArray<const ConditionNode*>(2);
  both[0] = exists;
  both[1] = target.condition;
  return arena.New<ConditionNode>(is_delete ? ConditionOp::kOr : ConditionOp::kAnd, model::Type::kS, both);
}

}  // namespace

ApiResult<WriteTarget> TargetOf(const BoundStatement& bound, Arena& arena) {
  const model::KeySchema& schema = bound.table->key_schema();
  if (bound.statement->kind == StatementKind::kInsert) {
    ARMATURE_CHECK_OK(CheckItemKeyTypes(schema, bound.item));
    return WriteTarget{.key = ExtractKey(schema, bound.item, arena)};
  }
  if (!bound.key.empty()) return WriteTarget{.key = bound.key};
  const auto form =
      bound.statement->kind == StatementKind::kExists ? partiql::WriteForm::kExists : partiql::WriteForm::kWrite;
  ARMATURE_TRY(const auto target, partiql::FindWriteTarget(bound.where, schema, form, arena));
  ARMATURE_CHECK_OK(CheckKeyTypes(schema, target.key));
  return target;
}

ApiResult<void> CheckChanges(const BoundStatement& bound, const WriteTarget& target) {
  if (bound.update) {
    ARMATURE_CHECK_OK(table::CheckIndexKeyLiterals(*bound.schema, *bound.update, table::LiteralFaults::kAll));
    ARMATURE_CHECK_OK(CheckUpdatePaths(*bound.schema, *bound.update));
    ARMATURE_CHECK_OK(CheckUpdateLeavesKey(bound.table->key_schema(), *bound.update));
  }
  if (target.condition) {
    std::vector<expr::Path> paths;
    partiql::CollectPaths(*target.condition, paths);
    ARMATURE_CHECK_OK(CheckKeyPaths(*bound.schema, paths));
  }
  return {};
}

void FillWrite(const BoundStatement& bound, const WriteTarget& target, Arena& arena, table::ItemWrite& write) {
  using Kind = table::ItemWrite::Kind;
  switch (bound.statement->kind) {
    case StatementKind::kInsert:
      write.kind = Kind::kPut;
      write.put_item = bound.item;
      write.put_item_size = bound.item_size;
      break;
    case StatementKind::kUpdate:
      write.kind = Kind::kUpdate;
      write.update = bound.update;
      break;
    case StatementKind::kDelete: write.kind = Kind::kDelete; break;
    default: write.kind = Kind::kCheck; break;
  }
  write.table = bound.table.get();
  write.key = target.key;
  if (const ConditionNode* condition = ConditionOf(bound, target, arena))
    write.condition = arena.New<expr::BoundCondition>(condition);
  write.wants_old_image = bound.statement->returning == Returning::kAllOld;
}

model::ApiError ConditionFailure(const BoundStatement& bound, const table::ItemWrite& write,
                                 const wire::Opt<std::string_view>& return_values_on_failure) {
  if (bound.statement->kind != StatementKind::kInsert) return ConditionFailed(write, return_values_on_failure);
  model::ApiError error;
  error.family = model::ErrorFamily::kDynamoDb;
  error.name = "DuplicateItemException";
  error.message = messages::kPartiqlDuplicateItem;
  return error;
}

model::Item ReturnedItem(const BoundStatement& bound, const table::ItemWrite& write, Arena& arena) {
  switch (bound.statement->returning) {
    case Returning::kNothing: break;
    case Returning::kAllOld: return write.old_item;
    case Returning::kAllNew: return write.new_item;
    case Returning::kModifiedOld: return expr::ProjectUpdatedOld(*write.update, write.old_item, arena);
    case Returning::kModifiedNew: return expr::ProjectUpdatedNew(*write.update, write.new_item, arena);
  }
  return {};
}

}  // namespace armature::api
