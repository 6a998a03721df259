// CutView: a directory of RocksDB's as it would be after a cut (store_survey.h), without making it.
//
// Some files look shorter, some are not there. Reading only: nothing can be written through it. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

#include "storage/rocksdb/survey/store_survey.h"

namespace armature::storage {

class CutView final : public rocksdb::FileSystemWrapper {
 public:
  CutView(const std::shared_ptr<rocksdb::FileSystem>& base, LineCut cut)
      : FileSystemWrapper(base), cut_(std::move(cut)) {}
  static const char* kClassName() { return "ArmatureCutView"; }
  const char* Name() const override { return kClassName(); }

  using IOStatus = rocksdb::IOStatus;
  using Context = rocksdb::IODebugContext;
  IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* file, Context* context) override;
  IOStatus GetChildren(const std::string& directory, const rocksdb::IOOptions& options, std::vector<std::string>* names,
                       Context* context) override;
  IOStatus FileExists(const std::string& path, const rocksdb::IOOptions& options, Context* context) override;
  IOStatus GetFileSize(const std::string& path, const rocksdb::IOOptions& options, uint64_t* size,
                       Context* context) override;

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions&,
                           std::unique_ptr<rocksdb::FSWritableFile>*, Context*) override {
    return Refuse(path);
  }
  IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions&, Context*) override { return Refuse(path); }
  IOStatus RenameFile(const std::string& path, const std::string&, const rocksdb::IOOptions&, Context*) override {
    return Refuse(path);
  }
  IOStatus CreateDirIfMissing(const std::string&, const rocksdb::IOOptions&, Context*) override {
    return IOStatus::OK();
  }

 private:
  static IOStatus Refuse(const std::string& path) { return IOStatus::NotSupported("only for reading: " + path); }
  bool IsHidden(const std::string& path) const;

  const LineCut cut_;
};

}  // namespace armature::storage
