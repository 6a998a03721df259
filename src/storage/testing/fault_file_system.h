// FaultFileSystem: the real file system, counting what a store asks of it and failing the n-th of a kind. For tests.
//
// Stands under StoreFileSystem, through RocksDbOptions::env. A write that fails has written half; a sync that fails has
// lost what it was to make durable of a log. Syncs and reads of tables can be held up until the test lets them go on:
// that is a slow disk, without any waiting by the clock. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "base/mutex.h"

namespace armature::storage {

enum class FileCall { kCreate, kOpen, kAppend, kSync, kSyncDirectory, kRead, kTruncate, kClose, kRename, kDelete };
inline constexpr size_t kFileCalls = 10;
std::string_view FileCallName(FileCall call);

class Faults {
 public:
  // From the n-th call of that kind on (1 = the next), `times` of them fail with the error number. Counting starts
  // anew.
  void Arm(FileCall call, uint64_t n, uint64_t times, int error);
  void Disarm();
  // Calls of that kind since counting started.
  uint64_t count(FileCall call) const;
  uint64_t failures() const;
  void StartCounting();

  // Syncs of files wait until this is called with false.
  void HoldSyncs(bool holds);
  // Until a sync is being held.
  void AwaitHeldSync();

  // The same for reads of files that are read here and there: tables.
  void HoldReads(bool holds);
  void AwaitHeldReads(int count);

  // For the file system: 0 or the error number to fail with.
  int Next(FileCall call);
  int NextTableRead();

 private:
  mutable Mutex mutex_;
  Condition changed_;
  std::array<uint64_t, kFileCalls> counts_ ARMATURE_GUARDED_BY(mutex_){};
  bool is_armed_ ARMATURE_GUARDED_BY(mutex_) = false;
  FileCall call_ ARMATURE_GUARDED_BY(mutex_) = FileCall::kCreate;
  uint64_t from_ ARMATURE_GUARDED_BY(mutex_) = 0;
  uint64_t times_ ARMATURE_GUARDED_BY(mutex_) = 0;
  int error_ ARMATURE_GUARDED_BY(mutex_) = 0;
  uint64_t failures_ ARMATURE_GUARDED_BY(mutex_) = 0;
  bool holds_syncs_ ARMATURE_GUARDED_BY(mutex_) = false;
  int held_ ARMATURE_GUARDED_BY(mutex_) = 0;
  bool holds_reads_ ARMATURE_GUARDED_BY(mutex_) = false;
  int held_reads_ ARMATURE_GUARDED_BY(mutex_) = 0;
};

// `faults` must outlive the Env.
std::unique_ptr<rocksdb::Env> MakeFaultEnv(Faults& faults);

}  // namespace armature::storage
