// FaultyEngine: an engine whose disk can be crashed, made to fail and made slow. For tests.
//
// Two memory engines: what is durable, and what is merely committed. A commit reaches the first only by a sync;
// Crash throws the second away and starts again from the first, which is what a power failure does to the RocksDB
// engine. So a reader at View::kDurable that sees something Crash takes away is caught red-handed.
//
// With is_delayed every operation finishes later, on a thread of the engine, as it would on a remote store: code
// that assumes otherwise hangs or fails here. Thread-safe, and so are the controls.
#pragma once

#include <cstddef>
#include <memory>

#include "base/metrics.h"
#include "storage/engine.h"

namespace armature::storage {

struct FaultyOptions {
  // Sync by itself when somebody waits for durability; otherwise only Sync() does.
  bool is_auto_sync = true;
  bool is_delayed = false;
};

class FaultyEngine : public Engine {
 public:
  enum class Point { kGet, kMultiGet, kScan, kCommit, kSync, kPartition };

  // Makes all that is committed durable and releases who waits for it.
  virtual Status Sync() = 0;
  // Loses everything that is not durable. Who waits gets kUnavailable.
  virtual void Crash() = 0;
  // The next `count` operations of that kind fail with `status` and change nothing.
  virtual void FailNext(Point point, size_t count, Status status) = 0;
  // The next operation of that kind throws std::bad_alloc on its caller's thread and changes nothing. REQUIRES: not
  // delayed; of kGet, kMultiGet, kScan and kCommit.
  virtual void ThrowNext(Point point) = 0;
  virtual void SetAutoSync(bool is_auto_sync) = 0;
  virtual void SetDelayed(bool is_delayed) = 0;
  // Commits that a crash would take away now.
  virtual size_t unsynced_commits() const = 0;
};

std::unique_ptr<FaultyEngine> OpenFaultyEngine(const FaultyOptions& options, Metrics& metrics);

}  // namespace armature::storage
