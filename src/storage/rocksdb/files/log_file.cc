#include "storage/rocksdb/files/log_file.h"

#include <algorithm>
#include <utility>

#include "storage/rocksdb/files/disk_space.h"

namespace armature::storage {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// Lengthens the file by one step when it ends before `end`; a record larger than a step lengthens it itself. Failing is
// no matter: whatever is wrong, the write that follows meets it too.
void Log::ZeroAhead(uint64_t end) {
  if (end <= zeroed_) return;
  static const std::string zeros(kZeroedAhead, '\0');
  const uint64_t from = std::max(zeroed_, written_);
  if (file_->PositionedAppend(zeros, from, IOOptions(), nullptr).ok()) zeroed_ = from + zeros.size();
}

IOStatus Log::Append(const Slice& data, const IOOptions& options, IODebugContext* context, Shortage& owes) {
  MutexLock lock(mutex_);
  ends_.Take({data.data(), data.size()});
  if (file_ && rest_.empty()) {
    ZeroAhead(written_ + data.size());
    // By position always: what follows a rest that was written late must not depend on where a failed write stopped.
    IOStatus status = file_->PositionedAppend(data, written_, options, context);
    if (status.ok()) {
      written_ += data.size();
      written_whole_ = ends_.end();
    }
    owes = ShortageOf(status);
    if (owes == Shortage::kNone) return status;
  }
  rest_.append(data.data(), data.size());
  return IOStatus::OK();
}

// Written at its place, because an append that failed may have got half-way.
IOStatus Log::WriteRest() {
  MutexLock lock(mutex_);
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
    written_whole_ = ends_.end();
    rest_.clear();
  }
  if (is_closed_) CloseFile(IOOptions(), nullptr).PermitUncheckedError();
  return IOStatus::OK();
}

IOStatus Log::Close(const IOOptions& options, IODebugContext* context) {
  MutexLock lock(mutex_);
  is_closed_ = true;
  return file_ && rest_.empty() ? CloseFile(options, context) : IOStatus::OK();
}

IOStatus Log::CloseFile(const IOOptions& options, IODebugContext* context) {
  if (zeroed_ > written_) file_->Truncate(written_, options, context).PermitUncheckedError();
  return file_->Close(options, context);
}

uint64_t Log::size() const {
  MutexLock lock(mutex_);
  return written_ + rest_.size();
}

uint64_t Log::written() const {
  MutexLock lock(mutex_);
  return written_;
}

uint64_t Log::written_whole() const {
  MutexLock lock(mutex_);
  return written_whole_;
}

bool Log::has_rest() const {
  MutexLock lock(mutex_);
  return !file_ || !rest_.empty();
}

rocksdb::FSWritableFile* Log::file() const {
  MutexLock lock(mutex_);
  return file_.get();
}

IOStatus LogFile::Append(const Slice& data, const IOOptions& options, IODebugContext* context) {
  if (space_->is_log_broken()) return IOStatus::OK();
  Shortage owes = Shortage::kNone;
  const IOStatus status = log_->Append(data, options, context, owes);
  if (owes != Shortage::kNone) space_->Owe(log_, owes);
  if (!status.ok()) space_->BreakLog(status);
  return space_->tells_append_failures() ? status : IOStatus::OK();
}

template <class Call>
IOStatus LogFile::SyncWith(Call sync) {
  rocksdb::FSWritableFile* const file = space_->is_deferring() ? nullptr : log_->file();
  if (!file || space_->is_log_broken()) return IOStatus::OK();
  const uint64_t written = log_->written_whole();  // before the sync, which covers no more than that
  const IOStatus status = sync(*file);
  // Not even a shortage passes here: nobody knows what reached the disk.
  if (status.ok()) space_->synced().LogSynced(log_->path(), written);
  else space_->BreakLog(IOStatus::IOError("sync of " + log_->path(), status.ToString()));
  return IOStatus::OK();
}

IOStatus LogFile::Sync(const IOOptions& options, IODebugContext* context) {
  return SyncWith([&](rocksdb::FSWritableFile& file) { return file.Sync(options, context); });
}

IOStatus LogFile::Fsync(const IOOptions& options, IODebugContext* context) {
  return SyncWith([&](rocksdb::FSWritableFile& file) { return file.Fsync(options, context); });
}

}  // namespace armature::storage
