// `armature serve` and `armature local`: builds the house, opens the door, waits for the signal to stop, closes in
// order.
//
// The only place that knows every part; wiring only. Returns the process's exit code.
#pragma once

#include <string>
#include <vector>

namespace armature::server {

int RunServe(const std::vector<std::string>& arguments);
// With DynamoDB Local's flags and, beside the ready line, what it prints when it starts.
int RunLocal(const std::vector<std::string>& arguments);

}  // namespace armature::server
