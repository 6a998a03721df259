// ReverseReads: when reading backwards has become dear enough to flush the memtables.
//
// RocksDB's memtables are linked forwards only: each step back is a search of its own, several times the cost of a step
// in a table file. Rows written lately and read newest first would pay that on every page. So steps back are counted,
// and when there have been as many as the memtables hold entries, writing those out has been paid for and is done: the
// cost of both together is never more than about twice the smaller. Thread-safe. Used by RocksDbEngine only.
#pragma once

#include <atomic>
#include <cstdint>

namespace armature::storage {

class ReverseReads {
 public:
  // Counts; true if the memtables should be flushed now. `entries` tells how many rows they hold; asked rarely.
  template <class Entries>
  bool Count(uint64_t rows, Entries entries) {
    const uint64_t before = steps_.fetch_add(rows, std::memory_order_relaxed);
    if (before / kLookEvery == (before + rows) / kLookEvery) return false;
    const uint64_t held = entries();
    if (held < kFewest || before + rows < held) return false;
    // One of several readers that come to this at once.
    uint64_t seen = before + rows;
    while (seen >= held && !steps_.compare_exchange_weak(seen, 0, std::memory_order_relaxed)) {}
    return seen >= held;
  }

 private:
  static constexpr uint64_t kLookEvery = 1024;
  static constexpr uint64_t kFewest = 1024;  // a small skip list is quick to search

  std::atomic<uint64_t> steps_{0};
};

}  // namespace armature::storage
