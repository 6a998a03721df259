// PartitionCeilings: what one partition serves at most, whatever its table may use.
//
// Amazon's numbers. They are kept to the second: what a table has saved for a burst is not had beyond them. They go on
// with a partition that is opened again; the children of a split have theirs. Thread-safe.
#pragma once

#include "table/throttle/throttle_rules.h"
#include "table/throttle/token_bucket.h"

namespace armature::table {

inline constexpr int64_t kPartitionReadUnits = 3000;
inline constexpr int64_t kPartitionWriteUnits = 1000;

class PartitionCeilings {
 public:
  PartitionCeilings() {
    read_.SetRate(kPartitionReadUnits, 0);
    write_.SetRate(kPartitionWriteUnits, 0);
  }

  TokenBucket& bucket(Use use) { return use == Use::kRead ? read_ : write_; }

 private:
  static constexpr int64_t kDepthSeconds = 1;

  TokenBucket read_{kDepthSeconds};
  TokenBucket write_{kDepthSeconds};
};

}  // namespace armature::table
