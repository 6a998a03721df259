#include "storage/rocksdb/files/patient_file.h"

namespace armature::storage {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

// A sync that met a shortage is as bad as any that failed: nobody knows what reached the disk. Said so, or else RocksDB
// would try to recover by itself from what it takes for a full disk.
IOStatus PatientFile::SyncOutcome(const IOStatus& status) {
  if (status.ok() && manifest_ != 0) space_->synced().ManifestSynced(manifest_, written_);
  return status.IsNoSpace() ? IOStatus::IOError("sync failed", status.ToString()) : status;
}

IOStatus PatientFile::Append(const rocksdb::Slice& data, const IOOptions& options, IODebugContext* context) {
  IOStatus status = space_->Persist([&] {
    IOStatus appended = is_positioned_ ? PositionedAppend(data, written_, options, context)
                                       : FSWritableFileOwnerWrapper::Append(data, options, context);
    if (!appended.ok()) is_positioned_ = true;
    return appended;
  });
  if (status.ok()) written_ += data.size();
  return status;
}

IOStatus PatientFile::Finish(const IOOptions& options, IODebugContext* context) {
  if (!holds_back_) return IOStatus::OK();
  return space_->Persist([&] { return FSWritableFileOwnerWrapper::Truncate(written_, options, context); });
}

IOStatus PatientFile::Sync(const IOOptions& options, IODebugContext* context) {
  if (space_->is_deferring()) return IOStatus::OK();
  IOStatus status = Finish(options, context);
  return status.ok() ? SyncOutcome(FSWritableFileOwnerWrapper::Sync(options, context)) : status;
}

IOStatus PatientFile::Fsync(const IOOptions& options, IODebugContext* context) {
  if (space_->is_deferring()) return IOStatus::OK();
  IOStatus status = Finish(options, context);
  return status.ok() ? SyncOutcome(FSWritableFileOwnerWrapper::Fsync(options, context)) : status;
}

IOStatus PatientFile::Close(const IOOptions& options, IODebugContext* context) {
  IOStatus finished = Finish(options, context);
  IOStatus closed = FSWritableFileOwnerWrapper::Close(options, context);
  return finished.ok() ? closed : finished;
}

}  // namespace armature::storage
