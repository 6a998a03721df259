// Writes by PartiQL: from a bound INSERT, UPDATE, DELETE or EXISTS to an ItemWrite, in the steps that transactions
// report differently.
//
// What tells PartiQL's writes from the classic ones is a condition of their own: INSERT wants no item there, UPDATE and
// EXISTS want one, and DELETE of nothing succeeds. REQUIRED everywhere: the statement's table exists. Used inside
// api/partiql.
#pragma once

#include "api/partiql/bound_statement.h"
#include "api/request_context.h"
#include "model/api_error.h"
#include "partiql/key_plan.h"
#include "table/write/item_write.h"

namespace armature::api {

// Which item: its key, of the right types, and what else the WHERE says.
model::ApiResult<partiql::WriteTarget> TargetOf(const BoundStatement& bound, Arena& arena);

// What the statement may not do to this table: change a key, look inside one, give an index a key it cannot have.
model::ApiResult<void> CheckChanges(const BoundStatement& bound, const partiql::WriteTarget& target);

// REQUIRES: the checks passed, and the values of the key have been checked too.
void FillWrite(const BoundStatement& bound, const partiql::WriteTarget& target, Arena& arena, table::ItemWrite& write);

// The error of a write whose condition did not hold.
model::ApiError ConditionFailure(const BoundStatement& bound, const table::ItemWrite& write,
                                 const wire::Opt<std::string_view>& return_values_on_failure);

// What RETURNING shows; empty: nothing.
model::Item ReturnedItem(const BoundStatement& bound, const table::ItemWrite& write, Arena& arena);

}  // namespace armature::api
