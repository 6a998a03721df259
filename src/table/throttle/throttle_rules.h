// ThrottleRules: what a server keeps tables to. Plain values; given to the catalogue, which gives them to its tables.
#pragma once

#include <cstdint>

namespace armature::table {

class RunningClock;

enum class Use : uint8_t { kRead, kWrite };

struct ThrottleRules {
  // Throughput that is provisioned, and the maximums of tables on demand. Null: everybody may use what there is.
  const RunningClock* clock = nullptr;
  // Amazon's partitions, as many as it would make, and what one of them serves (partition_ceilings.h).
  bool has_partition_limits = false;
};

// Why somebody was refused.
enum class Limit : uint8_t {
  kNone,
  kProvisioned,      // the rate that was provisioned, and what was saved of it
  kOnDemandMaximum,  // that of the table's or index's OnDemandThroughput
  kKeyRange,         // what one partition serves
};

}  // namespace armature::table
