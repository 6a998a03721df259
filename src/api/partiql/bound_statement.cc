#include "api/partiql/bound_statement.h"

#include "api/partiql/statement_access.h"
#include "api/table_lookup.h"
#include "model/item_size.h"
#include "model/messages/items.h"
#include "model/messages/partiql.h"
#include "partiql/cache.h"
#include "partiql/key_plan.h"
#include "partiql/lower.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;
using partiql::StatementKind;
namespace messages = model::messages;

namespace {

// Indexes with more than one attribute in a part of their key are not for PartiQL, whatever the statement says.
bool IsOnUnfitIndex(const BoundStatement& bound) {
  if (!bound.table || bound.statement->index.empty()) return false;
  const table::IndexSchema* index = bound.schema->FindIndex(bound.statement->index);
  return index && !FitsStatements(index->keyspace.key);
}

ApiResult<void> Bind(const RequestContext& context, std::string_view text, const StatementParameters& parameters,
                     BoundStatement& bound) {
  ARMATURE_TRY(bound.statement, partiql::StatementCache::ForThisThread().Get(text));
  const partiql::Statement& statement = *bound.statement;
  std::span<const model::Value*> values = context.arena.NewArray<const model::Value*>(parameters.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = parameters[i].value;
  ARMATURE_CHECK_OK(partiql::CheckParameterCount(statement, values));

  if (auto table = LookUpDataTable(context, statement.table)) {
    bound.table = std::move(*table);
    const bool may_be_key = statement.index.empty() && statement.order_by.empty() && statement.late_error.empty() &&
                            statement.kind != StatementKind::kExists;
    if (may_be_key) bound.key = partiql::KeyOfEqualities(statement, values, bound.table->key_schema(), context.arena);
    if (statement.is_read() && !bound.key.empty() && !statement.has_nested_columns) return {};
    bound.schema = bound.table->schema();
  }
  if (!statement.late_error.empty()) return ValidationException(statement.late_error);
  if (bound.key.empty()) { ARMATURE_TRY(bound.where, partiql::LowerWhere(statement, values, context.arena)); }
  if (statement.kind == StatementKind::kUpdate) {
    ARMATURE_TRY(bound.update, partiql::LowerUpdate(statement, values, context.arena));
  }
  if (statement.kind == StatementKind::kInsert) {
    bound.item = partiql::LowerItem(statement, values, context.arena);
    bound.item_size = model::ItemSize(bound.item);
    if (bound.item_size > model::kMaxItemBytes) return ValidationException(std::string(messages::kItemTooLarge));
  }
  return {};
}

}  // namespace

ApiResult<void> BindStatement(const RequestContext& context, std::string_view text,
                              const StatementParameters& parameters, BoundStatement& bound, const StatementUse& use) {
  auto done = Bind(context, text, parameters, bound);
  const bool is_unfit = IsOnUnfitIndex(bound);
  if (!done && !is_unfit) return done;
  // That there is such an index is told to those who may use it; others are told what they would be if there were none.
  if (auto allowed = AuthorizeStatement(context, bound, use); !allowed) return done ? allowed : done;
  if (is_unfit) return ValidationException(std::string(messages::kPartiqlMultiAttributeKeys));
  return {};
}

ApiResult<void> CheckParameterValues(const StatementParameters& parameters) {
  for (const wire::AttributeField& parameter : parameters)
    if (parameter.error) return *parameter.error;
  return {};
}

}  // namespace armature::api
