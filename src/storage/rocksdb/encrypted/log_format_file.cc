#include "storage/rocksdb/encrypted/log_format_file.h"

#include <algorithm>
#include <cstring>

namespace armature::storage {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

IOStatus LogWriter::PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                                     IODebugContext* context) {
  const std::string_view bytes = data.ToStringView();
  const uint64_t next = end_ + held_.size();
  if (LogCipher::IsAhead(bytes) || (offset > next && LogCipher::IsZero(bytes))) {
    if (offset < next) return IOStatus::IOError("zeros over what was written to an encrypted log");
    return target()->PositionedAppend(data, FileHeader::kBytes + offset, options, context);
  }
  if (offset != next || is_cut_) return IOStatus::IOError("an encrypted log is written from front to end");
  if (!failed_.Allows(bytes)) return IOStatus::IOError("other bytes after a failed write to an encrypted log");
  sealing_.assign(held_).append(bytes);
  uint64_t blank_until = blank_until_;
  const size_t whole = cipher_.Seal(end_, sealing_, blank_until);
  if (whole != 0) {
    IOStatus status = target()->PositionedAppend({sealing_.data(), whole}, FileHeader::kBytes + end_, options, context);
    if (!status.ok()) {
      failed_.Remember(bytes);
      return status;
    }
    failed_.Forget();
  }
  end_ += whole;
  blank_until_ = blank_until;
  held_.assign(sealing_, whole);  // which was not touched
  return IOStatus::OK();
}

IOStatus LogWriter::Truncate(uint64_t size, const IOOptions& options, IODebugContext* context) {
  is_cut_ = is_cut_ || size < end_ + held_.size();
  return target()->Truncate(FileHeader::kBytes + size, options, context);
}

IOStatus LogReader::Fill(const IOOptions& options, IODebugContext* context) {
  block_.resize(LogCipher::kBlock);
  taken_ = 0;
  size_t filled = 0;
  while (filled < block_.size() && !is_at_end_) {
    Slice read;
    IOStatus status = file_->Read(block_.size() - filled, options, &read, block_.data() + filled, context);
    if (!status.ok()) {
      block_.clear();
      return status;
    }
    if (read.data() != block_.data() + filled) std::memmove(block_.data() + filled, read.data(), read.size());
    filled += read.size();
    is_at_end_ = read.empty();
  }
  block_.resize(filled);
  if (cipher_) cipher_->Open(offset_, block_.data(), filled);
  else std::fill(block_.begin(), block_.end(), '\0');
  offset_ += filled;
  return IOStatus::OK();
}

IOStatus LogReader::Read(size_t count, const IOOptions& options, Slice* result, char* scratch,
                         IODebugContext* context) {
  *result = Slice();
  size_t filled = 0;
  while (filled < count) {
    if (taken_ == block_.size()) {
      if (is_at_end_) break;
      if (IOStatus status = Fill(options, context); !status.ok()) return status;
      continue;
    }
    const size_t taken = std::min(count - filled, block_.size() - taken_);
    std::memcpy(scratch + filled, block_.data() + taken_, taken);
    taken_ += taken;
    filled += taken;
  }
  *result = Slice(scratch, filled);
  return IOStatus::OK();
}

IOStatus LogReader::Skip(uint64_t count) {
  while (count != 0) {
    if (taken_ == block_.size()) {
      if (is_at_end_) break;
      if (IOStatus status = Fill(IOOptions(), nullptr); !status.ok()) return status;
      continue;
    }
    const size_t taken = std::min<uint64_t>(count, block_.size() - taken_);
    taken_ += taken;
    count -= taken;
  }
  return IOStatus::OK();
}

}  // namespace armature::storage
