// Makes what a workload needs before its first request: the table, and the items in it; and how the tables are named.
//
// Speaks to the server through the public API only (CreateTable, DescribeTable, PutItem), so it works against any
// DynamoDB. Says on stderr what takes long. Called once, before the measured run.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/bench/options.h"
#include "cli/bench/workload.h"

namespace armature::cli::bench {

// The table of Dataset::kOrdered.
inline std::string OrderedTable(const Options& options) {
  return options.table + "-ordered-" + std::to_string(options.partition_items);
}

// The tables of Dataset::kTagged, kTaggedGlobal and kTaggedLocal, and the index of the latter two.
enum class TagIndex { kNone, kGlobal, kLocal };
inline constexpr std::string_view kTagIndexName = "by-tag";
inline std::string TaggedTable(const Options& options, TagIndex index) {
  const char* kind = index == TagIndex::kNone ? "-tagged" : index == TagIndex::kGlobal ? "-tagged-gsi" : "-tagged-lsi";
  return options.table + kind;
}

// The table of Dataset::kStreamed.
inline std::string StreamedTable(const Options& options) { return options.table + "-streamed"; }

// The attribute by which items of Dataset::kExpiring expire.
inline constexpr std::string_view kExpiryAttribute = "expires";

Result<void> PrepareDataset(const Options& options, Dataset dataset);

}  // namespace armature::cli::bench
