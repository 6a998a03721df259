// KeepMemoryPrivate: for processes that have secrets, and everybody's items, in their memory.
//
// It is not written to core files from then on, and other processes of the same user can look neither into it nor at
// the environment that the process was given. Called once, at the start, by servers and by commands that handle
// secrets.
#pragma once

#include <sys/prctl.h>

namespace armature {

inline void KeepMemoryPrivate() { prctl(PR_SET_DUMPABLE, 0); }

}  // namespace armature
