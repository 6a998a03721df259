#include "storage/rocksdb/setup/background_errors.h"

#include "base/log.h"
#include "storage/rocksdb/files/status_mapping.h"

namespace armature::storage {

Status BackgroundErrors::status() const {
  if (!has_failed_.load(std::memory_order_acquire)) return {};
  MutexLock lock(mutex_);
  return status_;
}

void BackgroundErrors::OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status* error) {
  if (error->ok() || error->severity() < rocksdb::Status::Severity::kHardError) return;
  MutexLock lock(mutex_);
  if (!status_.ok()) return;
  status_ = Status::IoError(error->ToString());
  has_failed_.store(true, std::memory_order_release);
  LogError("storage: a file could not be written, writes are refused until the server is started again: {}",
           error->ToString());
}

void BackgroundErrors::OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) {
  if (!info.new_bg_error.ok()) return;
  MutexLock lock(mutex_);
  if (status_.ok()) return;
  status_ = Status();
  has_failed_.store(false, std::memory_order_release);
  LogInfo("storage: files can be written again, writes are accepted");
}

}  // namespace armature::storage
