// PeakWatch: how many partitions a table or an index on demand needs to serve twice what it has served before.
//
// What it has served before is its busiest minute, of reads or of writes. There are never fewer partitions than before,
// so that nothing has to be remembered beyond a restart. Looks at the meters of the partitions. Not thread-safe; used
// by SplitChooser.
#pragma once

#include <cstdint>
#include <map>

#include "storage/partition.h"
#include "table/partition/partition_set.h"

namespace armature::table {

class PeakWatch {
 public:
  // Called about once a second. A power of two; 1: nothing is known yet.
  uint32_t Wanted(const PartitionSet& partitions, int64_t now_millis);

 private:
  struct Units {
    double reads = 0;
    double writes = 0;
  };

  std::map<storage::PartitionId, Units> counted_;  // what the meters of the partitions had when they were looked at
  int64_t minute_began_millis_ = 0;
  Units minute_;
  uint32_t wanted_ = 1;
};

}  // namespace armature::table
