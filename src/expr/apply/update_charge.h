// UpdateItem's own measure of an update expression.
//
// Besides the finished item AWS limits what the statement itself amounts to: a charge for each clause, for the paths it
// names and the values it brings, whatever the item holds (measured against AWS, to the byte). Pure; used by
// UpdateItem. AttributeUpdates, transactions and PartiQL are held to the finished item only.
#pragma once

#include <cstddef>

#include "expr/bound.h"

namespace armature::expr {

size_t UpdateCharge(const BoundUpdate& update);

}  // namespace armature::expr
