// Evaluates bound conditions (ConditionExpression, FilterExpression, Expected, …) against an item.
//
// Cannot fail: whatever types an item holds, the outcome is true or false; errors were found when binding. An absent
// item is the empty Item, for a condition cannot tell the two apart. Called by table/ under the item's latch and by the
// read path for filters. Hundreds of searches through an item of hundreds of kilobytes take a good part of a second;
// so whoever runs on a reactor asks MayTakeLong and, if it may, lets others have their turns in between.
#pragma once

#include "base/async.h"
#include "expr/bound.h"
#include "model/value.h"

namespace armature::expr {

// Does not allocate.
bool Evaluate(const ConditionNode& condition, model::Item item);
inline bool Evaluate(const BoundCondition& condition, model::Item item) { return Evaluate(*condition.root, item); }

// Whether it is worth a coroutine: a condition of several parts on an item that is not small.
inline bool MayTakeLong(const ConditionNode& condition, size_t item_bytes) {
  return item_bytes > 8 * 1024 && !condition.children.empty();
}
// The same outcome; between the parts others have their turn when it is due (base/tasks/work_meter.h).
Task<bool> EvaluateInTurns(const ConditionNode& condition, model::Item item);

}  // namespace armature::expr
