// `armature doctor`: shows what of a data directory can be read, and, only when told to, makes it open again.
//
// Without --repair nothing is changed. Returns the process's exit code: 0 the store is sound (or is now), 1 it is
// damaged, 2 it could not be looked at.
#pragma once

#include <string>
#include <vector>

namespace armature::server {

int RunDoctor(const std::vector<std::string>& arguments);

}  // namespace armature::server
