// CheckItems: whether every single item behaved as one register that changes at instants.
//
// Wing and Gong's search, one key at a time (linearizability is local), in Lowe's just-in-time form: events are walked
// in the order of time with the set of all configurations (the item's state and which of the operations under way have
// taken effect) that explain what was answered so far; an operation takes effect only when its answer, or the answer of
// another, needs it to. Equal configurations are one. Operations that only learn something take effect as soon as they
// fit, which never loses an explanation; a write whose neighbours answers have named is tried only there, and one that
// nobody has seen is first tried just under the next that overwrites it. An operation of unknown outcome may take
// effect until its `returned`, or never. A transaction counts for each of its items. Reads that may be old are
// CheckStaleReads' matter. Pure; no threads.
#pragma once

#include "arena/history/history.h"

namespace armature::arena {

Findings CheckItems(const History& history);

}  // namespace armature::arena
