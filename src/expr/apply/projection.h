// Cuts an item down to the paths of a projection (ProjectionExpression, AttributesToGet, UPDATED_OLD / UPDATED_NEW).
//
// Structure is kept, several elements of one list come back compacted in index order, paths that lead nowhere leave no
// trace. Values are shared with the item. Pure; called by api/ and the read path.
#pragma once

#include "base/memory/arena.h"
#include "expr/bound.h"
#include "model/value.h"

namespace armature::expr {

model::Item Project(const BoundProjection& projection, model::Item item, Arena& arena);

}  // namespace armature::expr
