// Changes of a journal's lanes, as pure functions on its state.
//
// A lane closes at a position and goes on in children that begin there. Used by Journal, under its latch.
#pragma once

#include "table/lanes/journal_state.h"

namespace armature::table {

// Closes an open lane at `from`; it goes on in one child or in two halves of its hash range. False: no such open lane,
// or a single hash that cannot be halved.
bool RenewLane(JournalState& state, LaneId lane, bool into_two, Position from, int64_t now_millis);

// Closes all open lanes at `from`. If somebody follows, each goes on in a child; if there was none, one begins that
// has all hashes.
void RenewAllLanes(JournalState& state, Position from, int64_t now_millis);

}  // namespace armature::table
