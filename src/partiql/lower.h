// Lowering: from a statement and its parameters to the bound conditions and updates of expr/.
//
// The results live in the arena and point into the statement and the parameters; both must outlive them. Every error
// that needs no table is found here, in AWS's order. Where PartiQL means something else than expressions do, it is said
// in terms of these: `a <> x` is false on an item without `a`, IS NULL is a type test, and so on. Pure. Called by
// api/partiql.
#pragma once

#include <span>
#include <vector>

#include "base/memory/arena.h"
#include "expr/bound.h"
#include "model/api_error.h"
#include "model/value.h"
#include "partiql/ast.h"

namespace armature::partiql {

using Parameters = std::span<const model::Value* const>;

// As many parameters as the statement has question marks. REQUIRED before what follows.
model::ApiResult<void> CheckParameterCount(const Statement& statement, Parameters parameters);

// Null without a WHERE.
model::ApiResult<const expr::ConditionNode*> LowerWhere(const Statement& statement, Parameters parameters,
                                                        Arena& arena);
// Of an UPDATE.
model::ApiResult<const expr::BoundUpdate*> LowerUpdate(const Statement& statement, Parameters parameters, Arena& arena);
// Of an INSERT.
model::Item LowerItem(const Statement& statement, Parameters parameters, Arena& arena);

// A condition made of others, which are in the arena; null if there are none.
const expr::ConditionNode* AllOf(std::span<const expr::ConditionNode* const> conditions, Arena& arena);

// A condition as the write path takes it, with every path it mentions.
const expr::BoundCondition* Bind(const expr::ConditionNode* condition, Arena& arena);
// Every path below a condition, in the order of the text.
void CollectPaths(const expr::ConditionNode& condition, std::vector<expr::Path>& paths);

// What a SELECT returns of an item. Values are shared with the item.
model::Item ProjectColumns(std::span<const Column> columns, model::Item item, Arena& arena);

}  // namespace armature::partiql
