// BackgroundErrors: hears when RocksDB gives up writing, because a flush, a compaction or the manifest failed.
//
// From then on it refuses writes until it is opened again; those it has already made wait, for memtables that nobody
// will flush any more, it would let wait for ever. One line is logged. Shortages never come here (store_file_system.h).
// Thread-safe. Owned by RocksDbEngine and the database.
#pragma once

#include <atomic>

#include <rocksdb/listener.h>

#include "base/mutex.h"
#include "base/result.h"

namespace armature::storage {

class BackgroundErrors final : public rocksdb::EventListener {
 public:
  // Ok, or why nothing is written any more. Cheap while it is ok.
  Status status() const;

  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  void OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) override;

 private:
  std::atomic<bool> has_failed_{false};
  mutable Mutex mutex_;
  Status status_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::storage
