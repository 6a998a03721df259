// Pages that open as a whole or not at all: AES-256-GCM over 4096 bytes each.
//
// A page is 4096 bytes and a tag of 16; the last one may be shorter, and is sealed as the last, so that a file that is
// cut between two pages does not read as a shorter one. The nonce is the page's number and whether it is the last:
// under the keys of one file (file_header.h) each is sealed once. Thread-safe: contexts are kept for whoever comes
// next. Used by page_file.h.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "storage/rocksdb/encrypted/cipher_context.h"
#include "storage/rocksdb/encrypted/file_header.h"

namespace armature::storage {

class SealedPages {
 public:
  static constexpr size_t kPage = 4096;
  static constexpr size_t kTag = 16;
  static constexpr size_t kSealedPage = kPage + kTag;

  explicit SealedPages(const FileSecrets& secrets) : secrets_(secrets) { opening_.reserve(kMostKept); }

  // Writes text.size() + kTag bytes.
  void Seal(uint64_t page, bool is_last, std::string_view text, char* sealed) const;
  // Writes sealed.size() - kTag bytes, which are worth nothing when it returns false.
  bool Open(uint64_t page, bool is_last, std::string_view sealed, char* text) const;

  // Where a page lies in the file, behind the header.
  static uint64_t PlaceOf(uint64_t page) { return FileHeader::kBytes + page * kSealedPage; }
  // How many bytes a file of so many bytes holds, and how many pages that are. Less than a page and its tag is nothing:
  // the page before it is not the last, and does not open as such.
  static uint64_t TextBytes(uint64_t file_bytes);
  static uint64_t PageCount(uint64_t file_bytes);

 private:
  static constexpr size_t kMostKept = 4;
  class Lent;

  const FileSecrets secrets_;
  mutable Mutex mutex_;
  mutable std::vector<CipherContext> opening_ ARMATURE_GUARDED_BY(mutex_);  // with the key
  mutable CipherContext sealing_;                                           // the writer's alone
};

}  // namespace armature::storage
