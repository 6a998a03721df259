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

IOStatus PatientFile::Sync(const IOOptions& options, IODebugContext* context) {
  return space_->is_deferring() ? IOStatus::OK() : SyncOutcome(FSWritableFileOwnerWrapper::Sync(options, context));
}

IOStatus PatientFile::Fsync(const IOOptions& options, IODebugContext* context) {
  return space_->is_deferring() ? IOStatus::OK() : SyncOutcome(FSWritableFileOwnerWrapper::Fsync(options, context));
}

}  // namespace armature::storage
