// KeyedCounts: how many things are open at this moment for each of many keys.
//
// Exact: what was entered has to leave. Memory grows with the keys that have something open and shrinks with them, so
// it is bounded by whatever bounds those. Thread-safe, a lock for each part of the keys. Used by net/ for the
// connections of an address and by auth/ for those of a principal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/mutex.h"

namespace armature {

class KeyedCounts {
 public:
  explicit KeyedCounts(uint64_t seed) : seed_(seed) {}

  // Counts one more; how many there are now. Without memory for it std::bad_alloc, and nothing is counted.
  size_t Enter(uint64_t key);
  // REQUIRES: it was entered.
  void Leave(uint64_t key);

  size_t Count(uint64_t key) const;
  // How many keys have something open.
  size_t size() const;

 private:
  static constexpr size_t kParts = 64;

  struct Part {
    mutable Mutex mutex;
    std::unordered_map<uint64_t, size_t> counts ARMATURE_GUARDED_BY(mutex);
  };

  const uint64_t seed_;
  std::array<Part, kParts> parts_;
};

}  // namespace armature
