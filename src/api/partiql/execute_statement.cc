// ExecuteStatement: one PartiQL statement, a read or a write of one item.
#include "api/handlers.h"
#include "api/item/item_reply.h"
#include "api/item/key_checks.h"
#include "api/partiql/bound_statement.h"
#include "api/partiql/next_token.h"
#include "api/partiql/select_plan.h"
#include "api/partiql/select_read.h"
#include "api/partiql/statement_write.h"
#include "model/messages/partiql.h"
#include "model/messages/tables.h"
#include "wire/json/attribute_json.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;
using partiql::StatementKind;
namespace messages = model::messages;

namespace {

// The SELECT of one item by its key, in one coroutine: most statements are this, and it should cost what GetItem does.
Task<ApiResult<void>> SelectByKey(RequestContext& context, const wire::ExecuteStatementInput& request,
                                  const BoundStatement& bound) {
  ARMATURE_CO_CHECK_OK(CheckKeyValues(bound.table->key_schema(), bound.key));
  ARMATURE_CO_CHECK_OK(CheckColumnPaths(bound));
  if (request.NextToken) co_return ValidationException(std::string(messages::kPartiqlInvalidToken));
  const bool is_consistent = request.ConsistentRead.value_or(false);
  table::ItemRead read;
  read.table = bound.table.get();
  read.key = bound.key;
  const table::ReadView view = context.services.reads.ViewFor(is_consistent);
  read.at = view.at;
  read.is_consistent = is_consistent;
  ARMATURE_CO_CHECK_OK(co_await context.services.reads.Get(read));
  ARMATURE_CO_TRY(const auto item, DecodeSelected(bound, read.found, read.record(), context.arena));

  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("Items");
  json.BeginArray();
  if (item) {
    json.BeginValue();
    wire::AppendItemAsJson(*item, json.out());
  }
  json.EndArray();
  ConsumedCapacity consumed;
  consumed.table_name = bound.statement->table;
  consumed.table_units = read.read_units;
  WriteConsumedCapacity(json, request.ReturnConsumedCapacity, consumed);
  json.EndObject();
  co_return ApiResult<void>{};
}

Task<ApiResult<void>> Select(RequestContext& context, const wire::ExecuteStatementInput& request,
                             const BoundStatement& bound) {
  const bool is_consistent = request.ConsistentRead.value_or(false);
  ARMATURE_CO_TRY(const auto plan, PlanSelect(context, bound, is_consistent));
  SelectPage page{.bound = &bound, .plan = &plan, .is_consistent = is_consistent};
  if (request.Limit) page.limit = static_cast<size_t>(*request.Limit);
  if (request.NextToken) {
    const auto statement = HashStatement(*request.Statement, request.Parameters);
    ARMATURE_CO_TRY(page.start, DecodeNextToken(*request.NextToken, statement, ReadCount(plan), plan.target.keyspace(),
                                                context.arena));
  }

  JsonWriter json(context.body);
  json.BeginObject();
  ARMATURE_CO_CHECK_OK(co_await ReadSelectPage(context, page, json));
  if (page.next) {
    json.Member("NextToken", EncodeNextToken(*page.next, HashStatement(*request.Statement, request.Parameters)));
    if (!page.next->key.empty()) WriteItemMember(json, "LastEvaluatedKey", page.next->key);
  }
  WriteConsumedCapacity(json, request.ReturnConsumedCapacity, page.consumed);
  json.EndObject();
  co_return ApiResult<void>{};
}

Task<ApiResult<void>> Write(RequestContext& context, const wire::ExecuteStatementInput& request,
                            const BoundStatement& bound) {
  ARMATURE_CO_TRY(const auto target, TargetOf(bound, context.arena));
  ARMATURE_CO_CHECK_OK(CheckKeyValues(bound.table->key_schema(), target.key));
  ARMATURE_CO_CHECK_OK(CheckChanges(bound, target));
  table::ItemWrite write;
  FillWrite(bound, target, context.arena, write);
  ARMATURE_CO_CHECK_OK(co_await context.services.writes.Execute(write, context.arena));
  if (!write.condition_held) co_return ConditionFailure(bound, write, request.ReturnValuesOnConditionCheckFailure);

  JsonWriter json(context.body);
  json.BeginObject();
  json.Key("Items");
  json.BeginArray();
  const model::Item returned = ReturnedItem(bound, write, context.arena);
  if (!returned.empty()) {
    json.BeginValue();
    wire::AppendItemAsJson(returned, json.out());
  }
  json.EndArray();
  WriteWriteMetrics(json, write, bound.statement->table, request.ReturnConsumedCapacity, {});
  json.EndObject();
  co_return ApiResult<void>{};
}

}  // namespace

Task<ApiResult<void>> ExecuteStatement(RequestContext& context, const wire::ExecuteStatementInput& request) {
  ARMATURE_CO_CHECK_OK(CheckParameterValues(request.Parameters));
  BoundStatement bound;
  ARMATURE_CO_CHECK_OK(BindStatement(context, *request.Statement, request.Parameters, bound,
                                     {.return_on_failure = request.ReturnValuesOnConditionCheckFailure.value_or({})}));
  if (bound.statement->kind == StatementKind::kExists)
    co_return ValidationException(std::string(messages::kPartiqlExistsOutsideTransaction));
  if (!bound.table) co_return model::ResourceNotFoundException(std::string(messages::kResourceNotFound));
  if (bound.statement->is_read() && !bound.key.empty()) co_return co_await SelectByKey(context, request, bound);
  if (bound.statement->is_read()) co_return co_await Select(context, request, bound);
  co_return co_await Write(context, request, bound);
}

}  // namespace armature::api
