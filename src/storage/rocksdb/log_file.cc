#include "storage/rocksdb/log_file.h"

#include <algorithm>
#include <utility>

#include "storage/rocksdb/disk_space.h"
#include "storage/rocksdb/shortage.h"

namespace armature::storage {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// Lengthens the file by one step when it ends before `end`; a record larger than a step lengthens it itself. Failing is
// no matter: whatever is wrong, the write that follows meets it too. REQUIRES: mutex_ is held.
void Log::ZeroAhead(uint64_t end) {
  if (end <= zeroed_) return;
  static const std::string zeros(kZeroedAhead, '\0');
  const uint64_t from = std::max(zeroed_, written_);
  if (file_->PositionedAppend(zeros, from, IOOptions(), nullptr).ok()) zeroed_ = from + zeros.size();
}

IOStatus Log::Append(const Slice& data, const IOOptions& options, IODebugContext* context, bool& owes_now) {
  std::lock_guard lock(mutex_);
  if (file_ && rest_.empty()) {
    ZeroAhead(written_ + data.size());
    // By position always: what follows a rest that was written late must not depend on where a failed write stopped.
    IOStatus status = file_->PositionedAppend(data, written_, options, context);
    if (status.ok()) written_ += data.size();
    if (ShortageOf(status) == Shortage::kNone) return status;
    owes_now = true;
  }
  rest_.append(data.data(), data.size());
  return IOStatus::OK();
}

// Written at its place, because an append that failed may have got half-way.
IOStatus Log::WriteRest() {
  std::lock_guard lock(mutex_);
  if (!file_) {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    if (IOStatus status = open_(&file); !status.ok()) return status;
    file_ = std::move(file);
  }
  if (!rest_.empty()) {
    IOStatus status = file_->PositionedAppend(rest_, written_, IOOptions(), nullptr);
    if (!status.ok()) return status;
    status = file_->Sync(IOOptions(), nullptr);
    // Not a shortage that passes, whatever it says: nobody knows what of the file reached the disk.
    if (!status.ok()) return IOStatus::IOError("sync of " + path_, status.ToString());
    written_ += rest_.size();
    rest_.clear();
  }
  if (is_closed_) CloseFile(IOOptions(), nullptr).PermitUncheckedError();
  return IOStatus::OK();
}

IOStatus Log::Close(const IOOptions& options, IODebugContext* context) {
  std::lock_guard lock(mutex_);
  is_closed_ = true;
  return file_ && rest_.empty() ? CloseFile(options, context) : IOStatus::OK();
}

// REQUIRES: mutex_ is held.
IOStatus Log::CloseFile(const IOOptions& options, IODebugContext* context) {
  if (zeroed_ > written_) file_->Truncate(written_, options, context).PermitUncheckedError();
  return file_->Close(options, context);
}

uint64_t Log::size() const {
  std::lock_guard lock(mutex_);
  return written_ + rest_.size();
}

uint64_t Log::written() const {
  std::lock_guard lock(mutex_);
  return written_;
}

rocksdb::FSWritableFile* Log::file() const {
  std::lock_guard lock(mutex_);
  return file_.get();
}

IOStatus LogFile::Append(const Slice& data, const IOOptions& options, IODebugContext* context) {
  bool owes_now = false;
  const IOStatus status = log_->Append(data, options, context, owes_now);
  if (owes_now) space_->Owe(log_, Shortage::kSpace);
  return status;
}

template <class Call>
IOStatus LogFile::SyncWith(Call sync) {
  rocksdb::FSWritableFile* const file = space_->is_deferring() ? nullptr : log_->file();
  if (!file) return IOStatus::OK();
  const uint64_t written = log_->written();  // before the sync, which covers no more than that
  IOStatus status = sync(*file);
  if (status.ok()) space_->synced().LogSynced(log_->path(), written);
  return status;
}

IOStatus LogFile::Sync(const IOOptions& options, IODebugContext* context) {
  return SyncWith([&](rocksdb::FSWritableFile& file) { return file.Sync(options, context); });
}

IOStatus LogFile::Fsync(const IOOptions& options, IODebugContext* context) {
  return SyncWith([&](rocksdb::FSWritableFile& file) { return file.Fsync(options, context); });
}

}  // namespace armature::storage
