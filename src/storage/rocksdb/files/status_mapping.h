// From RocksDB's statuses to ours. Pure.
#pragma once

#include <rocksdb/status.h>

#include "base/result.h"
#include "storage/rocksdb/files/shortage.h"

namespace armature::storage {

inline Status FromRocksDb(const rocksdb::Status& status) {
  if (status.ok()) return {};
  if (ShortageOf(status) == Shortage::kSpace) return Status::NoSpace(status.ToString());
  if (status.IsCorruption()) return Status::Corruption(status.ToString());
  if (status.IsShutdownInProgress() || status.IsBusy() || status.IsTryAgain() || status.IsIncomplete())
    return Status::Unavailable(status.ToString());
  if (status.IsInvalidArgument()) return Status::InvalidArgument(status.ToString());
  return Status::IoError(status.ToString());
}

// The same, but that a shortage that may pass is told from a failure: kNoSpace or kUnavailable.
inline Status FromFiles(const rocksdb::Status& status) {
  const Shortage shortage = ShortageOf(status);
  if (shortage == Shortage::kNone || shortage == Shortage::kSpace) return FromRocksDb(status);
  return Status::Unavailable(status.ToString());
}

}  // namespace armature::storage
