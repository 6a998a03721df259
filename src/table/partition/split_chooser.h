// SplitChooser: which partitions are to be split: those that were too busy for too long, those that are too large, and
// the widest while there are fewer than the throughput of their table or index needs (throttle/resource_throttle.h).
//
// Remembers for how long each was busy. How large one is it counts itself. Not thread-safe; used by the journal's
// upkeep.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "storage/partition.h"
#include "table/partition/partition_set.h"
#include "table/partition/peak_watch.h"

namespace armature::table {

struct SplitRules {
  uint64_t writes_per_second = 10'000;  // one this busy is split …
  int seconds = 10;                     // … if it is so for that long: a burst is no reason
  size_t most_for_heat = 16;            // of a table or an index; none is split for heat beyond
  uint64_t bytes = uint64_t{10} << 30;  // one larger than this is split, as on AWS
};

class SplitChooser {
 public:
  explicit SplitChooser(const SplitRules& rules) : rules_(rules) {}

  // Called about once a second.
  std::vector<storage::PartitionId> Choose(storage::KeyspaceId keyspace, const PartitionSet& partitions,
                                           int64_t now_millis);
  // Those that were not asked for at that time are gone.
  void ForgetOthers(int64_t now_millis) {
    std::erase_if(heat_, [&](const auto& heat) { return heat.second.asked_millis != now_millis; });
  }

 private:
  struct Heat {
    int64_t asked_millis = 0;
    std::map<storage::PartitionId, int> seconds;  // busy for so long
    PeakWatch peak;
  };

  const SplitRules rules_;
  std::map<storage::KeyspaceId, Heat> heat_;
};

}  // namespace armature::table
