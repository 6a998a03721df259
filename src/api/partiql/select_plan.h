// SelectPlan: a bound SELECT held against its table: what is read, and what of it is returned.
//
// Used by ExecuteStatement for SELECTs that are not simply by key, by batches and transactions for those that read one
// item. Used inside api/partiql.
#pragma once

#include "api/partiql/bound_statement.h"
#include "api/query/read_target.h"
#include "api/request_context.h"
#include "model/api_error.h"
#include "partiql/key_plan.h"

namespace armature::api {

struct SelectPlan {
  ReadTarget target;
  partiql::ReadPlan reads;
  // A local index does not have all that is asked for: the items behind its entries are read from the table.
  bool fetches_items = false;
};

// REQUIRES: the statement's table exists.
model::ApiResult<SelectPlan> PlanSelect(const RequestContext& context, const BoundStatement& bound, bool is_consistent);

// No column looks inside a key. REQUIRES: `bound.schema` is there, or no column is nested.
model::ApiResult<void> CheckColumnPaths(const BoundStatement& bound);

// For batches and transactions: the key of the one item that a SELECT reads; empty if it reads anything else, or has
// further conditions. `is_mistyped` says that a key attribute has another type.
model::ApiResult<model::Item> KeyOfSelect(const BoundStatement& bound, Arena& arena, bool* is_mistyped);

}  // namespace armature::api
