// Admission: that an operation was let in, and what it has paid for that so far.
//
// Taken when it is let in, at the least it can cost; settled once its cost is known. One that goes without that,
// because nothing came of the operation, gives back what was paid. Used by the read and write paths; the resource it
// was asked of outlives it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "table/throttle/partition_ceilings.h"
#include "table/throttle/throttle_rules.h"

namespace armature::table {

class ResourceThrottle;

class Admission {
 public:
  Admission() = default;
  Admission(Admission&& other) noexcept
      : throttle_(std::exchange(other.throttle_, nullptr)),
        ceilings_(std::move(other.ceilings_)),
        halves_(other.halves_),
        use_(other.use_) {}
  Admission& operator=(Admission&& other) noexcept {
    if (throttle_) GiveBack();
    throttle_ = std::exchange(other.throttle_, nullptr);
    ceilings_ = std::move(other.ceilings_);
    halves_ = other.halves_;
    use_ = other.use_;
    return *this;
  }
  ~Admission() {
    if (throttle_) GiveBack();
  }

  // What it has cost after all, of units. Nothing if nobody had to be asked.
  void Settle(double units) {
    if (throttle_) SettleAt(units);
  }
  // What was paid is what it has cost.
  void Keep() { throttle_ = nullptr; }

 private:
  friend class ResourceThrottle;
  void SettleAt(double units);
  void GiveBack() noexcept;

  ResourceThrottle* throttle_ = nullptr;  // null: nothing was paid
  std::shared_ptr<PartitionCeilings> ceilings_;
  int64_t halves_ = 0;
  Use use_ = Use::kRead;
};

}  // namespace armature::table
