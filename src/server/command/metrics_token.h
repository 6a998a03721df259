// What --metrics-token names: the first line of a file, that readers of the metrics have to bring. Used by server/
// only.
#pragma once

#include <string>

#include "base/memory/secret.h"
#include "base/result.h"

namespace armature::server {

// Empty where no file is named. The error is one line fit for a user.
Result<Secret> ReadMetricsToken(const std::string& path);

}  // namespace armature::server
