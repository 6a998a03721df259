// Counts: rows and bytes, by slot.
//
// A batch carries what it adds to them (Batch::Count), a partition has what its commits have added
// (OpenPartition::counts). What a slot stands for is the caller's; storage adds up what it is told and looks at no row.
// Slot 0 is mostly the only one, and takes no memory of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/mutex.h"

namespace armature::storage {

struct RowCount {
  int64_t rows = 0;
  int64_t bytes = 0;

  RowCount& operator+=(const RowCount& more) {
    rows += more.rows;
    bytes += more.bytes;
    return *this;
  }
  bool operator==(const RowCount&) const = default;
};

// Not thread-safe.
class Counts {
 public:
  void Add(uint32_t slot, const RowCount& delta) {
    if (slot == 0) first_ += delta;
    else if (delta != RowCount{}) Other(slot) += delta;
  }
  void Add(const Counts& deltas) {
    first_ += deltas.first_;
    AddOthers(deltas);
  }
  void AddOthers(const Counts& deltas) {
    for (const auto& [slot, delta] : deltas.others_) Other(slot) += delta;
  }
  RowCount of(uint32_t slot) const;
  // Others than slot 0.
  bool has_others() const { return !others_.empty(); }
  bool empty() const { return first_ == RowCount{} && others_.empty(); }
  void Clear() {
    first_ = {};
    others_.clear();
  }

  // Calls visit(slot, count) for every slot that counts something, in ascending order.
  template <class Visitor>
  void ForEach(Visitor&& visit) const {
    if (first_ != RowCount{}) visit(uint32_t{0}, first_);
    for (const auto& [slot, count] : others_)
      if (count != RowCount{}) visit(slot, count);
  }

 private:
  RowCount& Other(uint32_t slot);

  RowCount first_;
  std::vector<std::pair<uint32_t, RowCount>> others_;  // by slot ascending; few
};

// Of every count the share (0 to 1), and what is left of it: together they are what there was.
std::pair<Counts, Counts> Divide(const Counts& counts, double share);

// The stored form: of every slot that counts something the slot, a varint, and its rows and bytes, zigzag varints.
void AppendCounts(const Counts& counts, std::string& out);
// Everything the reader has left.
Counts ReadCounts(ByteReader& reader);

// Counts that are read while commits add to them. Thread-safe; a reader may see the rows of a commit without its bytes.
class LiveCounts {
 public:
  explicit LiveCounts(const Counts& counts) { Set(counts); }

  RowCount of(uint32_t slot) const;
  Counts all() const;
  void Add(const Counts& deltas);
  void Set(const Counts& counts);

 private:
  // Slot 0.
  std::atomic<int64_t> rows_{0};
  std::atomic<int64_t> bytes_{0};
  // The others; without any the lock is never taken.
  std::atomic<bool> has_others_{false};
  mutable Mutex mutex_;
  Counts others_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::storage
