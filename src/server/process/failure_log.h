// Says what fails again and again for one reason, every second on a full disk, only when the reason changes.
// Thread-safe.
#pragma once

#include "base/result.h"

namespace armature::server {

// `what` is a literal: the name of what was tried.
void LogFailure(const char* what, const Status& status);

}  // namespace armature::server
