// CacheSettings: how long entries are kept, as a parameter group says; may change while requests run.
//
// A change is for what is kept from then on; what is there keeps its time. Thread-safe. Given by a node to its caches.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace armature::dax {

struct CacheSettings {
  static constexpr int64_t kDefaultTtlMillis = 300'000;

  std::atomic<int64_t> record_ttl_millis{kDefaultTtlMillis};  // 0: items are kept until there is no room
  std::atomic<int64_t> query_ttl_millis{kDefaultTtlMillis};   // 0: nothing is kept of queries and scans
};

// When something ends that is kept from now on for so long; 0, for ever, if that is beyond all time.
inline int64_t ExpiryMillis(int64_t now_millis, int64_t ttl_millis) {
  return ttl_millis > std::numeric_limits<int64_t>::max() - now_millis ? 0 : now_millis + ttl_millis;
}

}  // namespace armature::dax
