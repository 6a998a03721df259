// From RocksDB's statuses to ours. Pure.
#pragma once

#include <rocksdb/status.h>

#include "base/result.h"

namespace armature::storage {

inline Status FromRocksDb(const rocksdb::Status& status) {
  if (status.ok()) return {};
  if (status.IsNoSpace()) return Status::NoSpace(status.ToString());
  if (status.IsCorruption()) return Status::Corruption(status.ToString());
  if (status.IsShutdownInProgress() || status.IsBusy() || status.IsTryAgain() || status.IsIncomplete())
    return Status::Unavailable(status.ToString());
  if (status.IsInvalidArgument()) return Status::InvalidArgument(status.ToString());
  return Status::IoError(status.ToString());
}

}  // namespace armature::storage
