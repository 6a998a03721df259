#include "api/query/read_target.h"

#include <fmt/format.h>

#include "api/item/key_checks.h"
#include "api/table_lookup.h"
#include "model/messages/expressions.h"

namespace armature::api {

using model::ApiResult;
using model::ResourceStatus;
using model::ValidationException;
namespace messages = model::messages;

namespace {

// What Select is in effect.
std::string_view SelectOf(const ReadRequest& request, const BoundExpressions& bound) {
  if (request.select) return *request.select;
  if (bound.projection) return "SPECIFIC_ATTRIBUTES";
  return request.index_name ? "ALL_PROJECTED_ATTRIBUTES" : "ALL_ATTRIBUTES";
}

// An index is a resource of its own: who may read it need not be allowed to read the table.
ApiResult<void> AuthorizeRead(const RequestContext& context, const ReadRequest& request, const ReadTarget& target,
                              const BoundExpressions& bound, std::span<const expr::KeyPredicate> key_predicates) {
  if (!IsWatched(context)) return {};
  const auto touch = [&](AccessDetails& details) {
    details.KeyPredicates(key_predicates);
    details.Expressions(bound);
    for (const auto& attribute : request.start_key.item()) details.out.attributes.push_back(attribute.name);
    details.out.select = SelectOf(request, bound);
    details.out.return_consumed_capacity = request.return_consumed_capacity.value_or("NONE");
  };
  if (!request.index_name)
    return Authorize(context, TableResource(context, request.table_name), touch,
                     target.table ? &target.table->key_schema() : nullptr);
  return Authorize(context, IndexResource(context, request.table_name, *request.index_name), touch,
                   target.index ? &target.index->keyspace.key : nullptr);
}

}  // namespace

ApiResult<ReadTarget> FindReadTarget(const RequestContext& context, const ReadRequest& request,
                                     const BoundExpressions& bound,
                                     std::span<const expr::KeyPredicate> key_predicates) {
  ARMATURE_CHECK_OK(CheckTableName(request.table_name));
  ReadTarget target;
  auto table = LookUpDataTable(context, request.table_name);
  if (table) {
    target.table = std::move(*table);
    target.schema = target.table->schema();
    if (request.index_name) target.index = target.schema->FindIndex(*request.index_name);
  }
  ARMATURE_CHECK_OK(AuthorizeRead(context, request, target, bound, key_predicates));
  if (!table) return std::move(table).error();
  if (!request.index_name) return target;

  if (!target.index || target.index->def->status == ResourceStatus::kDeleting)
    return ValidationException(fmt::format(messages::kNoSuchIndex, *request.index_name));
  if (target.is_global_index() && request.is_consistent)
    return ValidationException(std::string(messages::kConsistentReadOfGlobalIndex));
  if (target.index->def->status == ResourceStatus::kCreating)
    return ValidationException(fmt::format(messages::kIndexBackfilling, *request.index_name));
  return target;
}

}  // namespace armature::api
