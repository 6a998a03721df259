// `armature dax`: DAX nodes in front of any DynamoDB. Builds them, says that they are ready, waits for the signal to
// stop. Returns the process's exit code.
#pragma once

#include <string>
#include <vector>

namespace armature::server {

int RunDax(const std::vector<std::string>& arguments);

}  // namespace armature::server
