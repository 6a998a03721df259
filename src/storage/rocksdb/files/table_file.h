// TableFile: a file that is read here and there, but not waited for by a thread that must not (cache_only.h).
//
// Such a thread gets what the operating system has in memory, through a descriptor of the file's own, because RocksDB's
// files have no call that does not wait. Thread-safe, as what it wraps.
#pragma once

#include <memory>
#include <string>

#include <rocksdb/file_system.h>

namespace armature::storage {

class TableFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  // `path`: of the file, if the operating system can be asked directly; empty: a thread that must not wait gets
  // nothing.
  TableFile(std::unique_ptr<rocksdb::FSRandomAccessFile>&& file, const std::string& path);
  ~TableFile() override;

  rocksdb::IOStatus Read(uint64_t offset, size_t count, const rocksdb::IOOptions& options, rocksdb::Slice* result,
                         char* scratch, rocksdb::IODebugContext* context) const override;
  rocksdb::IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t count, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus Prefetch(uint64_t offset, size_t count, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* context) override;

 private:
  rocksdb::IOStatus ReadNow(uint64_t offset, size_t count, rocksdb::Slice* result, char* scratch) const;

  const int descriptor_;  // -1: none
};

}  // namespace armature::storage
