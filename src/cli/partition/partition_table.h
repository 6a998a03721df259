// The reply of ListPartitions and SplitPartition as text: a line per partition.
//
// Pure: JSON in, text out. Partitions of the table come first, those of each global index under its name. Used by the
// command.
#pragma once

#include <string>

#include <simdjson.h>

#include "base/result.h"

namespace armature::cli::partition {

// kFormat: the reply is not of that kind.
Result<std::string> RenderPartitions(simdjson::dom::element reply);

}  // namespace armature::cli::partition
