#include "storage/rocksdb/encrypted/page_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <openssl/crypto.h>

namespace armature::storage {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

constexpr size_t kPage = SealedPages::kPage;
constexpr size_t kSealedPage = SealedPages::kSealedPage;
// Reads of blocks have their buffer from the thread; those ahead of compactions, which are megabytes, do not keep it.
constexpr size_t kLargestKeptBuffer = size_t{128} << 10;

// Room for sealed pages that are read.
class ReadBuffer {
 public:
  explicit ReadBuffer(size_t bytes) {
    std::string& buffer = bytes <= kLargestKeptBuffer ? Kept() : own_;
    if (buffer.size() < bytes) buffer.resize(bytes);
    data_ = buffer.data();
  }
  char* data() const { return data_; }

 private:
  static std::string& Kept() {
    thread_local std::string kept;
    return kept;
  }
  std::string own_;
  char* data_;
};

// Hints may be a little off.
uint64_t PlaceOfByte(uint64_t offset) { return SealedPages::PlaceOf(offset / kPage) + offset % kPage; }

}  // namespace

PageWriter::~PageWriter() { OPENSSL_cleanse(held_.data(), held_.size()); }

IOStatus PageWriter::Append(const Slice& data, const IOOptions& options, IODebugContext* context) {
  if (is_finished_) return IOStatus::IOError("appended behind the last page of an encrypted file");
  std::string_view text = data.ToStringView();
  if (!failed_.Allows(text)) return IOStatus::IOError("other bytes after a failed write to an encrypted file");
  if (held_.size() + text.size() <= kPage) {
    held_.append(text);
    return IOStatus::OK();
  }
  // All pages that are known not to be the last; of what was held nothing changes unless they are written.
  const size_t count = (held_.size() + text.size() - 1) / kPage;
  sealed_.resize(count * kSealedPage);
  char* out = sealed_.data();
  uint64_t page = page_;
  if (!held_.empty()) {
    std::array<char, kPage> first;
    std::copy(held_.begin(), held_.end(), first.begin());
    std::copy_n(text.begin(), kPage - held_.size(), first.begin() + static_cast<std::ptrdiff_t>(held_.size()));
    text.remove_prefix(kPage - held_.size());
    pages_.Seal(page++, false, {first.data(), first.size()}, out);
    out += kSealedPage;
  }
  for (; page != page_ + count; ++page, out += kSealedPage, text.remove_prefix(kPage))
    pages_.Seal(page, false, text.substr(0, kPage), out);
  IOStatus status = target()->PositionedAppend(sealed_, SealedPages::PlaceOf(page_), options, context);
  if (!status.ok()) {
    failed_.Remember(data.ToStringView());
    return status;
  }
  failed_.Forget();
  page_ = page;
  held_ = text;
  return status;
}

IOStatus PageWriter::PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                                      IODebugContext* context) {
  if (offset != size()) return IOStatus::IOError("an encrypted table is written from front to end");
  return Append(data, options, context);
}

IOStatus PageWriter::Finish(const IOOptions& options, IODebugContext* context) {
  if (is_finished_) return IOStatus::OK();
  sealed_.resize(held_.size() + SealedPages::kTag);
  pages_.Seal(page_, true, held_, sealed_.data());
  IOStatus status = target()->PositionedAppend(sealed_, SealedPages::PlaceOf(page_), options, context);
  is_finished_ = status.ok();
  return status;
}

IOStatus PageWriter::Truncate(uint64_t size_bytes, const IOOptions& options, IODebugContext* context) {
  if (size_bytes != size()) return IOStatus::NotSupported("an encrypted table is not cut");
  return Finish(options, context);
}

IOStatus PageWriter::Sync(const IOOptions& options, IODebugContext* context) {
  IOStatus status = Finish(options, context);
  return status.ok() ? target()->Sync(options, context) : status;
}

IOStatus PageWriter::Fsync(const IOOptions& options, IODebugContext* context) {
  IOStatus status = Finish(options, context);
  return status.ok() ? target()->Fsync(options, context) : status;
}

IOStatus PageWriter::Close(const IOOptions& options, IODebugContext* context) {
  IOStatus finished = Finish(options, context);
  IOStatus closed = target()->Close(options, context);
  return finished.ok() ? closed : finished;
}

IOStatus PageWriter::RangeSync(uint64_t offset, uint64_t count, const IOOptions& options, IODebugContext* context) {
  const uint64_t begin = PlaceOfByte(offset);
  return target()->RangeSync(begin, PlaceOfByte(offset + count) - begin, options, context);
}

void PageWriter::PrepareWrite(size_t offset, size_t count, const IOOptions& options, IODebugContext* context) {
  const uint64_t begin = PlaceOfByte(offset);
  target()->PrepareWrite(begin, PlaceOfByte(offset + count) + SealedPages::kTag - begin, options, context);
}

IOStatus PageWriter::Allocate(uint64_t offset, uint64_t count, const IOOptions& options, IODebugContext* context) {
  const uint64_t begin = PlaceOfByte(offset);
  return target()->Allocate(begin, PlaceOfByte(offset + count) + SealedPages::kTag - begin, options, context);
}

PageReader::Span PageReader::SpanOf(uint64_t offset, size_t count) const {
  const uint64_t text_bytes = SealedPages::TextBytes(file_bytes_);
  Span span;
  if (offset >= text_bytes || count == 0) return span;
  span.count = std::min<uint64_t>(count, text_bytes - offset);
  span.first = offset / kPage;
  const uint64_t behind = (offset + span.count - 1) / kPage + 1;
  span.offset = SealedPages::PlaceOf(span.first);
  span.bytes = std::min(SealedPages::PlaceOf(behind), file_bytes_) - span.offset;
  return span;
}

IOStatus PageReader::Open(const Span& span, uint64_t offset, std::string_view sealed, char* text) const {
  if (sealed.size() != span.bytes)
    return IOStatus::Corruption(fmt::format("{} ends too early at byte {}", path_, span.offset + sealed.size()));
  const uint64_t pages = SealedPages::PageCount(file_bytes_);
  std::array<char, kPage> whole;
  size_t skipped = offset % kPage;  // of the first page
  size_t left = span.count;
  for (uint64_t page = span.first; left != 0; ++page) {
    const std::string_view one = sealed.substr(0, kSealedPage);
    const size_t has = one.size() - std::min(one.size(), SealedPages::kTag);
    const bool is_all_wanted = skipped == 0 && has <= left;
    if (!pages_.Open(page, page + 1 == pages, one, is_all_wanted ? text : whole.data()))
      return IOStatus::Corruption(
          fmt::format("{}: the page at byte {} does not open: it was changed", path_, SealedPages::PlaceOf(page)));
    const size_t taken = std::min(has - skipped, left);
    if (!is_all_wanted) std::memcpy(text, whole.data() + skipped, taken);
    text += taken;
    left -= taken;
    skipped = 0;
    sealed.remove_prefix(one.size());
  }
  return IOStatus::OK();
}

IOStatus PageReader::Read(uint64_t offset, size_t count, const IOOptions& options, Slice* result, char* scratch,
                          IODebugContext* context) const {
  *result = Slice();
  const Span span = SpanOf(offset, count);
  if (span.bytes == 0) return IOStatus::OK();
  const ReadBuffer buffer(span.bytes);
  Slice sealed;
  IOStatus status = target()->Read(span.offset, span.bytes, options, &sealed, buffer.data(), context);
  if (status.ok()) status = Open(span, offset, sealed.ToStringView(), scratch);
  if (status.ok()) *result = Slice(scratch, span.count);
  return status;
}

IOStatus PageReader::MultiRead(rocksdb::FSReadRequest* requests, size_t count, const IOOptions& options,
                               IODebugContext* context) {
  std::vector<rocksdb::FSReadRequest> sealed(count);
  std::vector<Span> spans(count);
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    spans[i] = SpanOf(requests[i].offset, requests[i].len);
    bytes += spans[i].bytes;
  }
  const ReadBuffer buffer(bytes);
  char* next = buffer.data();
  for (size_t i = 0; i < count; ++i) {
    sealed[i].offset = spans[i].offset;
    sealed[i].len = spans[i].bytes;
    sealed[i].scratch = next;
    next += spans[i].bytes;
  }
  IOStatus status = target()->MultiRead(sealed.data(), count, options, context);
  if (!status.ok()) return status;
  for (size_t i = 0; i < count; ++i) {
    requests[i].status = std::move(sealed[i].status);
    requests[i].result = Slice();
    if (!requests[i].status.ok() || spans[i].bytes == 0) continue;
    requests[i].status = Open(spans[i], requests[i].offset, sealed[i].result.ToStringView(), requests[i].scratch);
    if (requests[i].status.ok()) requests[i].result = Slice(requests[i].scratch, spans[i].count);
  }
  return status;
}

IOStatus PageReader::Prefetch(uint64_t offset, size_t count, const IOOptions& options, IODebugContext* context) {
  const Span span = SpanOf(offset, count);
  return span.bytes == 0 ? IOStatus::OK() : target()->Prefetch(span.offset, span.bytes, options, context);
}

IOStatus PageSequence::Read(size_t count, const IOOptions& options, Slice* result, char* scratch,
                            IODebugContext* context) {
  IOStatus status = pages_->Read(offset_, count, options, result, scratch, context);
  if (status.ok()) offset_ += result->size();
  return status;
}

}  // namespace armature::storage
