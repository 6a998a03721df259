// Files in sealed pages (sealed_pages.h): tables, which are written once, from front to end, and then read here and
// there.
//
// PageWriter holds the last page back, because only then it is known to be the last: Truncate to the size, Sync or
// Close seal it, and nothing can be appended any more. PageReader opens the pages that a read touches, and no others; a
// page whose tag does not hold is a Corruption. It waits for the disk if the file below it does (table_file.h). A
// writer belongs to one thread at a time; readers are thread-safe but for PageSequence, which is one thread's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <rocksdb/file_system.h>

#include "storage/rocksdb/encrypted/failed_write.h"
#include "storage/rocksdb/encrypted/sealed_pages.h"

namespace armature::storage {

class PageWriter final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  // `file` has its header and nothing else.
  PageWriter(std::unique_ptr<rocksdb::FSWritableFile>&& file, const FileHeader& header)
      : FSWritableFileOwnerWrapper(std::move(file)), pages_(header.secrets) {}
  ~PageWriter() override;

  using IOStatus = rocksdb::IOStatus;
  using IOOptions = rocksdb::IOOptions;
  using Context = rocksdb::IODebugContext;
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, Context* context) override;
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  Context* context) override {
    return Append(data, options, context);
  }
  // REQUIRES: `offset` is the size.
  IOStatus PositionedAppend(const rocksdb::Slice& data, uint64_t offset, const IOOptions& options,
                            Context* context) override;
  IOStatus PositionedAppend(const rocksdb::Slice& data, uint64_t offset, const IOOptions& options,
                            const rocksdb::DataVerificationInfo&, Context* context) override {
    return PositionedAppend(data, offset, options, context);
  }
  // REQUIRES: `size` is the size. Seals the last page.
  IOStatus Truncate(uint64_t size, const IOOptions& options, Context* context) override;
  IOStatus Sync(const IOOptions& options, Context* context) override;
  IOStatus Fsync(const IOOptions& options, Context* context) override;
  IOStatus Close(const IOOptions& options, Context* context) override;
  uint64_t GetFileSize(const IOOptions&, Context*) override { return size(); }

  // Hints, moved to where the pages are.
  IOStatus RangeSync(uint64_t offset, uint64_t count, const IOOptions& options, Context* context) override;
  void PrepareWrite(size_t offset, size_t count, const IOOptions& options, Context* context) override;
  IOStatus Allocate(uint64_t offset, uint64_t count, const IOOptions& options, Context* context) override;

 private:
  uint64_t size() const { return page_ * SealedPages::kPage + held_.size(); }
  IOStatus Finish(const IOOptions& options, Context* context);

  const SealedPages pages_;
  uint64_t page_ = 0;  // the number of the page that is held
  std::string held_;   // of it; a whole one is held until another follows
  std::string sealed_;
  FailedWrite failed_;
  bool is_finished_ = false;
};

class PageReader final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  // `file_bytes`: the length of the file, header and all.
  PageReader(std::unique_ptr<rocksdb::FSRandomAccessFile>&& file, const FileHeader& header, uint64_t file_bytes,
             std::string path)
      : FSRandomAccessFileOwnerWrapper(std::move(file)),
        pages_(header.secrets),
        file_bytes_(file_bytes),
        path_(std::move(path)) {}

  using IOStatus = rocksdb::IOStatus;
  using IOOptions = rocksdb::IOOptions;
  using Context = rocksdb::IODebugContext;
  IOStatus Read(uint64_t offset, size_t count, const IOOptions& options, rocksdb::Slice* result, char* scratch,
                Context* context) const override;
  IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t count, const IOOptions& options,
                     Context* context) override;
  IOStatus Prefetch(uint64_t offset, size_t count, const IOOptions& options, Context* context) override;
  // As one that is not asynchronous, or else what comes would not be opened.
  IOStatus ReadAsync(rocksdb::FSReadRequest& request, const IOOptions& options,
                     std::function<void(const rocksdb::FSReadRequest&, void*)> done, void* argument, void**,
                     rocksdb::IOHandleDeleter*, Context* context) override {
    request.status = Read(request.offset, request.len, options, &request.result, request.scratch, context);
    done(request, argument);
    return IOStatus::OK();
  }

 private:
  // The pages that a read touches, and where they lie.
  struct Span {
    uint64_t first = 0;
    uint64_t offset = 0;  // in the file
    size_t bytes = 0;     // in the file; 0: nothing is to be read
    size_t count = 0;     // of what was asked for, as much as there is
  };
  Span SpanOf(uint64_t offset, size_t count) const;
  // From the sealed pages of `span` to what was asked for.
  IOStatus Open(const Span& span, uint64_t offset, std::string_view sealed, char* text) const;

  const SealedPages pages_;
  const uint64_t file_bytes_;
  const std::string path_;
};

// A file in pages, read from its front: for copies.
class PageSequence final : public rocksdb::FSSequentialFile {
 public:
  explicit PageSequence(std::unique_ptr<rocksdb::FSRandomAccessFile> pages) : pages_(std::move(pages)) {}
  rocksdb::IOStatus Read(size_t count, const rocksdb::IOOptions& options, rocksdb::Slice* result, char* scratch,
                         rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus Skip(uint64_t count) override {
    offset_ += count;
    return rocksdb::IOStatus::OK();
  }

 private:
  const std::unique_ptr<rocksdb::FSRandomAccessFile> pages_;
  uint64_t offset_ = 0;
};

}  // namespace armature::storage
