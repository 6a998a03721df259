#include "storage/rocksdb/survey/cut_view.h"

#include <algorithm>
#include <utility>

namespace armature::storage {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

namespace {

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The first so many bytes of a file.
class ShortFile final : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  ShortFile(std::unique_ptr<rocksdb::FSSequentialFile>&& file, uint64_t bytes)
      : FSSequentialFileOwnerWrapper(std::move(file)), left_(bytes) {}

  IOStatus Read(size_t count, const IOOptions& options, Slice* result, char* buffer, IODebugContext* context) override {
    IOStatus status =
        FSSequentialFileOwnerWrapper::Read(std::min<uint64_t>(count, left_), options, result, buffer, context);
    if (status.ok()) left_ -= result->size();
    return status;
  }
  IOStatus Skip(uint64_t count) override {
    const uint64_t skipped = std::min(count, left_);
    left_ -= skipped;
    return FSSequentialFileOwnerWrapper::Skip(skipped);
  }

 private:
  uint64_t left_;
};

}  // namespace

bool CutView::IsHidden(const std::string& path) const {
  return std::find(cut_.removed.begin(), cut_.removed.end(), NameOf(path)) != cut_.removed.end();
}

IOStatus CutView::NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSSequentialFile>* file, IODebugContext* context) {
  if (IsHidden(path)) return IOStatus::NotFound(path);
  IOStatus status = FileSystemWrapper::NewSequentialFile(path, options, file, context);
  const auto cut = cut_.lengths.find(NameOf(path));
  if (status.ok() && cut != cut_.lengths.end()) *file = std::make_unique<ShortFile>(std::move(*file), cut->second);
  return status;
}

IOStatus CutView::GetChildren(const std::string& directory, const IOOptions& options, std::vector<std::string>* names,
                              IODebugContext* context) {
  IOStatus status = FileSystemWrapper::GetChildren(directory, options, names, context);
  std::erase_if(*names, [&](const std::string& name) { return IsHidden(name); });
  return status;
}

IOStatus CutView::FileExists(const std::string& path, const IOOptions& options, IODebugContext* context) {
  return IsHidden(path) ? IOStatus::NotFound(path) : FileSystemWrapper::FileExists(path, options, context);
}

IOStatus CutView::GetFileSize(const std::string& path, const IOOptions& options, uint64_t* size,
                              IODebugContext* context) {
  IOStatus status = FileSystemWrapper::GetFileSize(path, options, size, context);
  if (const auto cut = cut_.lengths.find(NameOf(path)); cut != cut_.lengths.end()) *size = std::min(*size, cut->second);
  return status;
}

}  // namespace armature::storage
