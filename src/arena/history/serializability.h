// CheckTransactions: whether all operations together can have happened one after the other, each at an instant between
// question and answer (strict serializability).
//
// Adya's dependency graph over versions that are known by name, as Elle builds it: ww (a write on top of a write), wr
// (a read of it), rw (a read of what was then overwritten), and real time, from each answer to each later question. A
// cycle means that there is no such order; it is reported by its kind: G0, G1c, G-single, G2, with "-realtime" where
// real time is needed to close it. Every operation is a node, single writes and reads too. Pure; no threads.
#pragma once

#include <cstdint>
#include <vector>

#include "arena/history/history.h"

namespace armature::arena {

// `streamed` as in VersionOrders; without a stream pass {}.
Findings CheckTransactions(const History& history, const std::vector<std::vector<int64_t>>& streamed);

}  // namespace armature::arena
