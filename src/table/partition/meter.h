// Meter: how many units of capacity were used of a partition since this process has had it, and how hot it is.
//
// Read units and write units that customers pay for, and apart from them those of what the service does of its own:
// deletions by Time to Live, and rows of an index that is being built. Counted in halves, the smallest there are, so
// that sums are exact. Thread-safe, and cheap enough for every request. The read and write paths add what they tell of
// an operation, no more and no less; a partition that is opened again goes on with its meter, children of a split begin
// at nothing.
#pragma once

#include <atomic>
#include <cstdint>

namespace armature::table {

class Meter {
 public:
  // REQUIRES: whole halves.
  void AddRead(double units) { Add(read_, units); }
  void AddWrite(double units) { Add(written_, units); }
  void AddBackgroundWrite(double units) { Add(written_in_background_, units); }

  // How many writes there were since the last call.
  void CountWrite() { writes_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t TakeWrites() { return writes_.exchange(0, std::memory_order_relaxed); }

  double read_units() const { return Units(read_); }
  double write_units() const { return Units(written_); }
  double background_write_units() const { return Units(written_in_background_); }

 private:
  using Halves = std::atomic<uint64_t>;
  static void Add(Halves& sum, double units) {
    sum.fetch_add(static_cast<uint64_t>(units * 2), std::memory_order_relaxed);
  }
  static double Units(const Halves& sum) { return static_cast<double>(sum.load(std::memory_order_relaxed)) / 2; }

  Halves read_{0};
  Halves written_{0};
  Halves written_in_background_{0};
  std::atomic<uint64_t> writes_{0};
};

}  // namespace armature::table
