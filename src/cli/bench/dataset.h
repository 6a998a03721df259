// Makes what a workload needs before its first request: the table, and the items in it.
//
// Speaks to the server through the public API only (CreateTable, DescribeTable, PutItem), so it works against any
// DynamoDB. Says on stderr what takes long. Called once, before the measured run.
#pragma once

#include "base/result.h"
#include "cli/bench/options.h"
#include "cli/bench/workload.h"

namespace armature::cli::bench {

Result<void> PrepareDataset(const Options& options, Dataset dataset);

}  // namespace armature::cli::bench
