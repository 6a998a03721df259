#include "storage/rocksdb/files/table_file.h"

#include <utility>

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "storage/rocksdb/files/cache_only.h"

namespace armature::storage {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

TableFile::TableFile(std::unique_ptr<rocksdb::FSRandomAccessFile>&& file, const std::string& path)
    : FSRandomAccessFileOwnerWrapper(std::move(file)),
      descriptor_(path.empty() ? -1 : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

TableFile::~TableFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

IOStatus TableFile::Read(uint64_t offset, size_t count, const IOOptions& options, Slice* result, char* scratch,
                         IODebugContext* context) const {
  if (CacheOnly::is_on()) return ReadNow(offset, count, result, scratch);
  return FSRandomAccessFileOwnerWrapper::Read(offset, count, options, result, scratch, context);
}

IOStatus TableFile::MultiRead(rocksdb::FSReadRequest* requests, size_t count, const IOOptions& options,
                              IODebugContext* context) {
  if (!CacheOnly::is_on()) return FSRandomAccessFileOwnerWrapper::MultiRead(requests, count, options, context);
  for (rocksdb::FSReadRequest* request = requests; request != requests + count; ++request)
    request->status = ReadNow(request->offset, request->len, &request->result, request->scratch);
  return IOStatus::OK();
}

// Reading ahead is no part of an answer: it is only left out.
IOStatus TableFile::Prefetch(uint64_t offset, size_t count, const IOOptions& options, IODebugContext* context) {
  if (CacheOnly::is_on()) return IOStatus::OK();
  return FSRandomAccessFileOwnerWrapper::Prefetch(offset, count, options, context);
}

// Where a file system does not know how to read without waiting, it says so, and that is a refusal as well.
IOStatus TableFile::ReadNow(uint64_t offset, size_t count, Slice* result, char* scratch) const {
  *result = Slice();
  if (descriptor_ < 0 || !CacheOnly::TakeRead()) return CacheOnly::Refuse();
  const iovec into{scratch, count};
  const ssize_t got = preadv2(descriptor_, &into, 1, static_cast<off_t>(offset), RWF_NOWAIT);
  if (got < 0 || static_cast<size_t>(got) != count) return CacheOnly::Refuse();
  *result = Slice(scratch, count);
  return IOStatus::OK();
}

}  // namespace armature::storage
