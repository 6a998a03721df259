// NarrowFaults: what goes wrong in a narrow engine and when, by chance and on demand.
//
// Chance comes from a seed. Knows partitions by their ids only and does nothing to them: whoever owns it asks it, and
// guards it. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "base/random.h"
#include "storage/narrow/narrow_engine.h"

namespace armature::storage {

class NarrowFaults {
 public:
  enum class Kind { kNone, kBusy, kFence, kUnknown, kDoubt };
  struct Fault {
    Kind kind = Kind::kNone;
    bool is_done = false;  // of kUnknown and kDoubt
  };

  NarrowFaults(const NarrowFaultRates& rates, uint64_t seed) : rates_(rates), random_(seed) {}

  void Next(PartitionId id, Fault fault) { planned_[id].next = fault; }
  void BusyNext(PartitionId id, size_t count) { planned_[id].busy = count; }

  // Of a commit, and of waiting for one, which a fence may meet too.
  Fault OfCommit(PartitionId id);
  // Of a commit that chance spares.
  Fault PlannedOfCommit(PartitionId id);
  bool FencesWait(PartitionId id);
  // Chance spares splits.
  bool FencesSplit(PartitionId id);
  // How many of `count` that wait become durable although their handle is dead.
  size_t Survivors(size_t count) { return random_.Below(count + 1); }

  void HoldBack(PartitionId id) { held_.insert(id); }
  void LetGo(PartitionId id) { held_.erase(id); }
  bool IsHeld(PartitionId id) const { return held_.contains(id); }

 private:
  struct Planned {
    size_t busy = 0;
    std::optional<Fault> next;
  };

  // Uniform in [0, 1).
  double Roll() { return static_cast<double>(random_.NextU64() >> 11) * 0x1.0p-53; }

  const NarrowFaultRates rates_;
  SeededRandom random_;
  std::map<PartitionId, Planned> planned_;
  std::set<PartitionId> held_;
};

}  // namespace armature::storage
