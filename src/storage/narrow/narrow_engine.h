// NarrowEngine: an engine that promises no more than a distributed store can, around an embedded one that keeps the
// rows. For tests of whatever stands on the seam.
//
// Narrow in what it has: one partition per commit, no snapshots. Late in what it does: a commit is ordered at once and
// becomes durable later, each partition by itself and in its own order; answers come from a thread of the engine, in
// no particular order, reads some of the time. And it fails as such a store does, by chance or on demand (the controls
// below): then the handle is dead, and opening the partition again under a higher epoch settles what is left of it.
// What is opened is exactly what survived: opened_at() says how far that goes, and nothing is on its way any more.
//
// The system partition is ordered and answered in the same way. Chance spares it; it meets crashes, and BusyNext and
// UnknownNext on demand. Commits to what is its
// own of a partition that has ended take no numbers, so nobody could tell what became of them: they are fenced or
// refused as busy, but never unknown, and a fence loses none that came before it. Thread-safe, and so are the controls.
// All chance comes from the seed; which thread runs when does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "storage/engine.h"

namespace armature::storage {

// Fractions of all commits.
struct NarrowFaultRates {
  double fence = 0;  // of waits for durability too
  double unknown = 0;
  double doubt = 0;
  double busy = 0;
};

struct NarrowOptions {
  uint64_t seed = 1;
  // How many of the reads are answered late, as a fraction.
  double late_reads = 0.5;
  // Becoming durable takes a random while up to this.
  uint32_t slowest_micros = 0;
  NarrowFaultRates faults = {};
};

class NarrowEngine : public Engine {
 public:
  // The next commit, the next wait for a commit that is not durable yet, or the next split is refused with kFenced: it
  // is not done. The handle is dead; of the commits before it that are not durable as many as chance will have become
  // so.
  virtual void FenceNext(PartitionId id) = 0;
  // The next commit ends in kUnknown and is done or not. The handle is dead. Done, it has all before it done too.
  virtual void UnknownNext(PartitionId id, bool is_done) = 0;
  // The next commit is ordered, but waiting for it ends in kUnknown; it and all behind it are done or not. The handle
  // is dead from when it should have become durable.
  virtual void DoubtNext(PartitionId id, bool is_done) = 0;
  // The next commits, behind one that is to meet another fault, are refused with kBusy.
  virtual void BusyNext(PartitionId id, size_t count) = 0;
  // Nothing of the partition becomes durable until it is let go, opened again, split, dropped or closed.
  virtual void HoldBack(PartitionId id) = 0;
  virtual void LetGo(PartitionId id) = 0;
  // The process is gone: what is not durable is lost, all handles but the system partition's are dead, and everything
  // pending ends in kUnknown. Then partitions are opened as after a restart, under the epochs they have.
  virtual void Crash() = 0;
  // Commits of the partition that a crash would take away now.
  virtual size_t queued(PartitionId id) const = 0;
};

// `inner` is used by nobody else and is one that finishes reads before it returns.
std::unique_ptr<NarrowEngine> OpenNarrowEngine(std::unique_ptr<Engine> inner, const NarrowOptions& options);

}  // namespace armature::storage
