// Evaluates bound conditions (ConditionExpression, FilterExpression, Expected, …) against an item.
//
// Cannot fail: whatever types an item holds, the outcome is true or false; errors were found when binding. Does not
// allocate. An absent item is the empty Item, for a condition cannot tell the two apart. Pure; called by table/ under
// the item's latch and by the read path for filters.
#pragma once

#include "expr/bound.h"
#include "model/value.h"

namespace armature::expr {

bool Evaluate(const BoundCondition& condition, model::Item item);

}  // namespace armature::expr
