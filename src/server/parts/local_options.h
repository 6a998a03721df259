// DynamoDB Local's command line, understood: `armature local -port 8000 -inMemory -sharedDb`.
//
// Each of its flags becomes the flags of `armature serve` that mean the same, and what java itself is told in front of
// them is skipped, so that a command line may be kept as it is. Flags with two dashes are those of `armature serve` and
// win. Prints nothing. Used by server/ only.
#pragma once

#include <string>
#include <vector>

#include "server/parts/options.h"

namespace armature::server {

struct LocalOptions {
  ParsedOptions parsed;
  // What DynamoDB Local prints about its flags when it starts: scripts wait for lines of it.
  std::string banner;
};

// `arguments` are those behind `armature local`.
LocalOptions ParseLocalOptions(const std::vector<std::string>& arguments);

}  // namespace armature::server
