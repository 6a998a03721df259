// Query: the items of one partition key, of a table or index, in sort order.
#include <fmt/format.h>

#include "api/handlers.h"
#include "api/item/expressions.h"
#include "api/item/key_checks.h"
#include "api/query/page_reply.h"
#include "api/query/start_key.h"
#include "expr/bind/key_condition.h"
#include "model/messages/expressions.h"
#include "model/messages/items.h"
#include "table/keys/key_range.h"

namespace armature::api {

using expr::KeyPredicate;
using model::ApiResult;
using model::ValidationException;
namespace messages = model::messages;

namespace {

struct BoundQuery {
  BoundExpressions expressions;
  std::span<const KeyPredicate> key_predicates;
};

expr::KeyConditionForm FormOf(const ExpressionParameters& parameters) {
  return parameters.has_legacy_key_condition() ? expr::KeyConditionForm::kLegacy : expr::KeyConditionForm::kExpression;
}

// Everything that can be said of the request without the table.
ApiResult<BoundQuery> BindRequest(const ReadRequest& read, const ExpressionParameters& parameters, Arena& arena) {
  BoundQuery bound;
  ARMATURE_CHECK_OK(parameters.CheckParameters());
  ARMATURE_CHECK_OK(parameters.BindLegacy(arena, bound.expressions));
  ARMATURE_CHECK_OK(CheckStartKeyValues(read));
  if (!parameters.has_key_condition()) return ValidationException(std::string(messages::kNoKeyCondition));
  ARMATURE_CHECK_OK(parameters.BindKeyConditionsOrExpressions(arena, bound.expressions));
  if (!bound.expressions.key_condition) return ValidationException(std::string(messages::kKeyConditionCount));
  ARMATURE_TRY(bound.key_predicates,
               expr::ConvertKeyCondition(*bound.expressions.key_condition, FormOf(parameters), arena));
  return bound;
}

// Keys are never empty or too long: asking for such a one is a mistake.
ApiResult<void> CheckPredicateValues(const ReadTarget& target, std::span<const KeyPredicate> predicates,
                                     const std::vector<model::KeyAttribute>& attributes, bool is_hash) {
  for (size_t i = 0; i < predicates.size(); ++i) {
    for (const model::Value* value : {predicates[i].value, predicates[i].upper}) {
      if (!value) continue;
      if (target.index && attributes[i].type != model::Type::kN && value->str().empty())
        return ValidationException(fmt::format(messages::kIndexKeyEmpty,
                                               attributes[i].type == model::Type::kS ? "string" : "binary",
                                               target.index->def->name, attributes[i].name));
      ARMATURE_CHECK_OK(CheckKeyValue(attributes[i], *value, is_hash));
    }
  }
  return {};
}

ApiResult<expr::KeyQuery> MatchKeys(const ReadTarget& target, std::span<const KeyPredicate> predicates,
                                    expr::KeyConditionForm form, Arena& arena) {
  const model::KeySchema& schema = target.keyspace().key;
  ARMATURE_TRY(const auto query, expr::MatchKeySchema(predicates, schema, form, arena));
  ARMATURE_CHECK_OK(CheckPredicateValues(target, query.hash, schema.hash, true));
  ARMATURE_CHECK_OK(CheckPredicateValues(target, query.range, schema.range, false));
  return query;
}

ApiResult<void> CheckFilter(const ReadTarget& target, const BoundExpressions& bound, bool is_legacy) {
  if (!bound.filter) return {};
  for (const auto& path : bound.filter->paths) {
    if (target.keyspace().key.Find(path.front().name))
      return ValidationException(
          fmt::format(messages::kFilterOnKey, is_legacy ? "QueryFilter" : "Filter Expression", path.front().name));
  }
  return {};
}

ApiResult<PagePlan> MakePlan(const ReadRequest& read, const ReadTarget& target, const BoundQuery& bound,
                             const ExpressionParameters& parameters, bool is_reverse, Arena& arena) {
  const BoundExpressions& expressions = bound.expressions;
  PagePlan plan{.request = read, .target = target};
  plan.is_reverse = is_reverse;
  plan.filter = expressions.filter;
  ARMATURE_CHECK_OK(CheckStartKey(read, target));
  ARMATURE_TRY(const auto query, MatchKeys(target, bound.key_predicates, FormOf(parameters), arena));
  plan.range = table::QueryRange(target.keyspace(), query);
  plan.is_one_item = SelectsOneItem(target, query);
  ARMATURE_CHECK_OK(StartQuery(read, target, query, is_reverse, plan.range));
  if (expressions.projection) ARMATURE_CHECK_OK(CheckKeyPaths(*target.schema, expressions.projection->paths));
  ARMATURE_CHECK_OK(CheckFilter(target, expressions, parameters.has_legacy_filter()));
  ARMATURE_CHECK_OK(CheckSelect(read, parameters.projection_parameter()));
  ARMATURE_CHECK_OK(CheckFilterIsProjected(target, expressions.filter));
  ARMATURE_TRY(plan.selection, MakeSelection(read, target, expressions));
  if (expressions.filter) ARMATURE_CHECK_OK(CheckKeyPaths(*target.schema, expressions.filter->paths));
  return plan;
}

}  // namespace

Task<ApiResult<void>> Query(RequestContext& context, const wire::QueryInput& request) {
  const ReadRequest read(request);
  const ExpressionParameters parameters(request, *context.wording);
  ARMATURE_CO_TRY(const auto bound, BindRequest(read, parameters, context.arena));
  ARMATURE_CO_TRY(const auto target, FindReadTarget(context, read, bound.expressions, bound.key_predicates));
  const bool is_reverse = !request.ScanIndexForward.value_or(true);
  ARMATURE_CO_TRY(auto plan, MakePlan(read, target, bound, parameters, is_reverse, context.arena));
  co_return co_await ReplyWithPage(context, std::move(plan));
}

}  // namespace armature::api
