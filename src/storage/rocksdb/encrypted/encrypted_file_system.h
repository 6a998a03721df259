// EncryptedFileSystem: below it files are encrypted, above it nobody notices.
//
// Stands directly above the operating system's file system, or a test's, and below everything that knows the files of
// db/: StoreFileSystem, the survey, the doctor, RocksDB. Those see bytes, offsets and lengths as they would be without
// encryption. New files are written under the newest data key, others are read under the key that their header names
// (file_header.h). A file that is not encrypted where it should be, of a key that is not there, or of another name is
// a Corruption with a line for a human, and never read as if it were something else. A table is not waited for by a
// thread that must not wait (files/cache_only.h). Thread-safe. Made by setup/store_env.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

#include "storage/encryption/data_keys.h"
#include "storage/rocksdb/encrypted/file_header.h"

namespace armature::storage {

class EncryptedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  EncryptedFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base, std::shared_ptr<const DataKeys> keys);
  static const char* kClassName() { return "ArmatureEncryptedFileSystem"; }
  const char* Name() const override { return kClassName(); }

  using IOStatus = rocksdb::IOStatus;
  using IOOptions = rocksdb::IOOptions;
  using FileOptions = rocksdb::FileOptions;
  using Context = rocksdb::IODebugContext;
  IOStatus NewSequentialFile(const std::string& path, const FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* file, Context* context) override;
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file, Context* context) override;
  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, Context* context) override;
  // A log or a manifest, to be cut.
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file, Context* context) override;
  IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path, const FileOptions& options,
                             std::unique_ptr<rocksdb::FSWritableFile>* file, Context* context) override;
  IOStatus NewRandomRWFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSRandomRWFile>* file, Context* context) override;
  IOStatus NewMemoryMappedFileBuffer(const std::string& path,
                                     std::unique_ptr<rocksdb::MemoryMappedFileBuffer>* buffer) override;
  IOStatus Truncate(const std::string& path, size_t size, const IOOptions& options, Context* context) override;
  // Under another name an encrypted file could not be read.
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      Context* context) override;
  IOStatus LinkFile(const std::string& from, const std::string& to, const IOOptions& options,
                    Context* context) override;
  IOStatus GetFileSize(const std::string& path, const IOOptions& options, uint64_t* size, Context* context) override;
  IOStatus GetChildrenFileAttributes(const std::string& directory, const IOOptions& options,
                                     std::vector<rocksdb::FileAttributes>* files, Context* context) override;

 private:
  const std::shared_ptr<rocksdb::FileSystem> base_;
  const std::shared_ptr<const DataKeys> keys_;
  const bool is_real_;  // the base is the operating system's own
};

}  // namespace armature::storage
