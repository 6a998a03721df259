#include "api/partiql/statement_access.h"

#include <vector>

#include "api/access.h"
#include "partiql/key_plan.h"
#include "partiql/lower.h"

namespace armature::api {

using partiql::ReadPlan;
using partiql::Returning;
using partiql::StatementKind;

namespace {

std::string_view IamActionOf(StatementKind kind) {
  switch (kind) {
    case StatementKind::kSelect:
    case StatementKind::kExists: return "dynamodb:PartiQLSelect";
    case StatementKind::kInsert: return "dynamodb:PartiQLInsert";
    case StatementKind::kUpdate: return "dynamodb:PartiQLUpdate";
    case StatementKind::kDelete: return "dynamodb:PartiQLDelete";
  }
  return {};
}

// As the classic operations call it.
std::string_view ReturnValuesOf(Returning returning) {
  switch (returning) {
    case Returning::kNothing: return "NONE";
    case Returning::kAllOld: return "ALL_OLD";
    case Returning::kAllNew: return "ALL_NEW";
    case Returning::kModifiedOld: return "UPDATED_OLD";
    case Returning::kModifiedNew: return "UPDATED_NEW";
  }
  return "NONE";
}

// Null: there is no such index that statements can be about, or no table.
const table::Keyspace* KeyspaceOf(const BoundStatement& bound) {
  if (!bound.schema) return nullptr;
  if (bound.statement->index.empty()) return &bound.schema->items();
  const table::IndexSchema* index = bound.schema->FindIndex(bound.statement->index);
  return index && FitsStatements(index->keyspace.key) ? &index->keyspace : nullptr;
}

const model::KeySchema* KeySchemaOf(const BoundStatement& bound) {
  if (!bound.table) return nullptr;
  if (bound.statement->index.empty()) return &bound.table->key_schema();
  const table::Keyspace* keyspace = KeyspaceOf(bound);
  return keyspace ? &keyspace->key : nullptr;
}

// Which partition keys the WHERE of a SELECT names; a SELECT that names none reads everything.
void AddReads(const BoundStatement& bound, Arena& arena, AccessDetails& details) {
  details.out.full_table_scan = false;
  if (!bound.key.empty()) return details.Item(bound.key);
  const table::Keyspace* keyspace = KeyspaceOf(bound);
  if (!keyspace) return;
  const auto plan = partiql::PlanRead(bound.where, *keyspace, bound.statement->index.empty(), arena);
  if (!plan) return;  // told where the statement is planned
  details.out.full_table_scan = plan->kind == ReadPlan::Kind::kScan;
  details.Item(plan->key);
  for (const partiql::KeyRead& read : plan->reads) details.LeadingKey(*read.hash);
}

void AddWrites(const BoundStatement& bound, Arena& arena, AccessDetails& details) {
  details.Item(bound.item);
  details.Item(bound.key);
  if (bound.update) details.Update(*bound.update);
  if (!bound.table || !bound.where) return;
  const auto target =
      partiql::FindWriteTarget(bound.where, bound.table->key_schema(), partiql::WriteForm::kExists, arena);
  if (target) details.Item(target->key);
}

void Describe(const BoundStatement& bound, Arena& arena, AccessDetails& details) {
  const partiql::Statement& statement = *bound.statement;
  if (statement.is_read()) AddReads(bound, arena, details);
  else AddWrites(bound, arena, details);
  for (const partiql::Column& column : statement.columns) details.Paths({&column.path, 1});
  if (bound.where) {
    std::vector<expr::Path> paths;
    partiql::CollectPaths(*bound.where, paths);
    details.Paths(paths);
  }
  if (statement.kind == StatementKind::kUpdate || statement.kind == StatementKind::kDelete)
    details.out.return_values = ReturnValuesOf(statement.returning);
  if (!statement.is_read()) return;
  if (!statement.columns.empty()) details.out.select = "SPECIFIC_ATTRIBUTES";
  else details.out.select = statement.index.empty() ? "ALL_ATTRIBUTES" : "ALL_PROJECTED_ATTRIBUTES";
}

}  // namespace

bool FitsStatements(const model::KeySchema& key) { return key.hash.size() <= 1 && key.range.size() <= 1; }

model::ApiResult<void> AuthorizeStatement(const RequestContext& context, const BoundStatement& bound,
                                          const StatementUse& use) {
  if (!IsWatched(context)) return {};
  const auto touch = [&](AccessDetails& details) {
    Describe(bound, context.arena, details);
    if (bound.statement->kind != StatementKind::kSelect && !use.return_on_failure.empty())
      details.ReturnOnFailure(use.return_on_failure);
    details.out.enclosing_operation = use.enclosing_operation;
  };
  const partiql::Statement& statement = *bound.statement;
  const auth::Resource resource = statement.index.empty() ? TableResource(context, statement.table)
                                                          : IndexResource(context, statement.table, statement.index);
  return Authorize(context, resource, touch, KeySchemaOf(bound), IamActionOf(statement.kind));
}

}  // namespace armature::api
