#include "api/partiql/select_plan.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/item/key_checks.h"
#include "api/query/selection.h"
#include "expr/compare.h"
#include "model/messages/expressions.h"
#include "model/messages/partiql.h"
#include "partiql/lower.h"

namespace armature::api {

using model::ApiResult;
using model::ResourceStatus;
using model::ValidationException;
using partiql::ReadPlan;
namespace messages = model::messages;

namespace {

ApiResult<ReadTarget> FindTarget(const BoundStatement& bound, bool is_consistent) {
  ReadTarget target{.table = bound.table, .schema = bound.schema};
  const std::string_view name = bound.statement->index;
  if (name.empty()) return target;
  target.index = target.schema->FindIndex(name);
  if (!target.index || target.index->def->status == ResourceStatus::kDeleting)
    return ValidationException(std::string(messages::kPartiqlNoSuchIndex));
  if (target.is_global_index() && is_consistent)
    return ValidationException(std::string(messages::kPartiqlConsistentReadOfGlobalIndex));
  if (target.index->def->status == ResourceStatus::kCreating)
    return ValidationException(fmt::format(messages::kIndexBackfilling, name));
  return target;
}

// Keys are never empty or too long: asking for such a one is a mistake.
ApiResult<void> CheckKeyPredicates(const ReadTarget& target, const ReadPlan& plan) {
  const auto check = [&](std::span<const expr::KeyPredicate> predicates, const model::KeyAttribute& attribute,
                         bool is_hash) -> ApiResult<void> {
    for (const expr::KeyPredicate& predicate : predicates) {
      for (const model::Value* value : {predicate.value, predicate.upper})
        if (value) ARMATURE_CHECK_OK(CheckKeyValue(attribute, *value, is_hash));
    }
    return {};
  };
  const model::KeySchema& schema = target.keyspace().key;
  ARMATURE_CHECK_OK(check(plan.hash_predicates, schema.hash[0], true));
  if (plan.range_predicates.empty()) return {};
  return check(plan.range_predicates, schema.range[0], false);
}

std::vector<std::string_view> UnprojectedBy(const table::IndexSchema& index, const expr::ConditionNode* filter) {
  if (!filter) return {};
  std::vector<expr::Path> paths;
  partiql::CollectPaths(*filter, paths);
  return Unprojected(index, paths);
}

// Queries of an index may filter only by what it projects, unless one of several branches does without; a scan simply
// does not find the attribute.
ApiResult<void> CheckFilters(const ReadTarget& target, const ReadPlan& plan) {
  if (!target.index || target.index->projects_all() || plan.kind != ReadPlan::Kind::kQueries) return {};
  const partiql::KeyRead* last = nullptr;
  for (const partiql::KeyRead& read : plan.reads) {
    if (UnprojectedBy(*target.index, read.filter).empty()) return {};
    if (!last || expr::CompareOrdered(*read.hash, *last->hash) >= 0) last = &read;
  }
  if (!last) return {};
  const std::vector<std::string_view> names = UnprojectedBy(*target.index, last->filter);
  return ValidationException(
      fmt::format(messages::kUnprojectedFilter, target.index->def->name, fmt::join(names, ", ")));
}

ApiResult<bool> FetchesItems(const ReadTarget& target, std::span<const partiql::Column> columns) {
  if (!target.index || target.index->projects_all()) return false;
  std::vector<std::string_view> missing;
  for (const partiql::Column& column : columns) {
    const std::string_view name = column.path.front().name;
    if (!target.index->Projects(name) && std::ranges::find(missing, name) == missing.end()) missing.push_back(name);
  }
  if (target.is_global_index() && !missing.empty())
    return ValidationException(fmt::format(messages::kNotProjected, target.index->def->name, fmt::join(missing, ", ")));
  return !missing.empty();
}

// No part of the statement looks inside a key.
ApiResult<void> CheckPaths(const BoundStatement& bound) {
  ARMATURE_CHECK_OK(CheckColumnPaths(bound));
  if (!bound.where) return {};
  std::vector<expr::Path> paths;
  partiql::CollectPaths(*bound.where, paths);
  return CheckKeyPaths(*bound.schema, paths);
}

}  // namespace

ApiResult<void> CheckColumnPaths(const BoundStatement& bound) {
  if (!bound.statement->has_nested_columns) return {};
  std::vector<expr::Path> paths;
  for (const partiql::Column& column : bound.statement->columns) paths.push_back(column.path);
  return CheckKeyPaths(*bound.schema, paths);
}

ApiResult<SelectPlan> PlanSelect(const RequestContext& context, const BoundStatement& bound, bool is_consistent) {
  SelectPlan plan;
  ARMATURE_TRY(plan.target, FindTarget(bound, is_consistent));
  const table::Keyspace& keyspace = plan.target.keyspace();
  ARMATURE_TRY(plan.reads,
               partiql::PlanRead(bound.where, keyspace, /*is_table=*/plan.target.index == nullptr, context.arena));
  if (!plan.reads.mistyped_key.empty())
    return ValidationException(fmt::format(messages::kPartiqlKeyType, plan.reads.mistyped_key));
  ARMATURE_CHECK_OK(partiql::OrderPlan(bound.statement->order_by, bound.where != nullptr, keyspace.key, plan.reads));
  ARMATURE_CHECK_OK(CheckKeyPredicates(plan.target, plan.reads));
  ARMATURE_CHECK_OK(CheckFilters(plan.target, plan.reads));
  ARMATURE_TRY(plan.fetches_items, FetchesItems(plan.target, bound.statement->columns));
  ARMATURE_CHECK_OK(CheckPaths(bound));
  if (plan.reads.kind == ReadPlan::Kind::kScan && !context.services.allows_partiql_scans)
    return model::AccessDeniedException(std::string(messages::kPartiqlScansRefused));
  return plan;
}

ApiResult<model::Item> KeyOfSelect(const BoundStatement& bound, Arena& arena, bool* is_mistyped) {
  *is_mistyped = false;
  if (!bound.key.empty()) {
    if (bound.schema) ARMATURE_CHECK_OK(CheckColumnPaths(bound));
    return bound.key;
  }
  if (!bound.statement->index.empty()) return model::Item{};
  ARMATURE_TRY(const auto plan, partiql::PlanRead(bound.where, bound.schema->items(), /*is_table=*/true, arena));
  *is_mistyped = !plan.mistyped_key.empty();
  if (plan.kind != ReadPlan::Kind::kGet || plan.filter) return model::Item{};
  return plan.key;
}

}  // namespace armature::api
