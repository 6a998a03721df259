// CacheOnly: for as long as it lives, RocksDB answers the calling thread without waiting for the disk, or not at all.
//
// The files of the store (table_file.h) then give this thread only what the operating system has in memory, and of that
// no more than some blocks, which is quicker than to hand the read to somebody else. All else they refuse, and the read
// ends with an error at once. Whoever has a CacheOnly asks has_refused: what was found since a refusal is to be thrown
// away and read again where reading may take its time.
//
// RocksDB has a read option for this, kBlockCacheTier. Version 7.8 does not keep it: MultiGet reads what is not cached
// in spite of it, an iterator still reads ahead, and a Get that would have to open a table file finds an empty value.
#pragma once

#include <rocksdb/io_status.h>

namespace armature::storage {

class CacheOnly {
 public:
  CacheOnly() {
    is_on_ = true;
    has_refused_ = false;
    reads_left_ = kMostReads;
  }
  ~CacheOnly() { is_on_ = has_refused_ = false; }
  CacheOnly(const CacheOnly&) = delete;
  CacheOnly& operator=(const CacheOnly&) = delete;

  // Whether a file has refused this thread since its CacheOnly was made; false where there is none.
  static bool has_refused() { return has_refused_; }

  // For files: whether this thread may not wait for them, and whether it may try to read without waiting.
  static bool is_on() { return is_on_; }
  static bool TakeRead() { return !has_refused_ && reads_left_-- > 0; }
  static rocksdb::IOStatus Refuse() {
    has_refused_ = true;
    return rocksdb::status_to_io_status(rocksdb::Status::Incomplete());
  }

 private:
  // About 5 µs each, with checking and unpacking; the way to another thread and back costs 30 µs.
  static constexpr int kMostReads = 16;

  static inline thread_local bool is_on_ = false;
  static inline thread_local bool has_refused_ = false;
  static inline thread_local int reads_left_ = 0;
};

}  // namespace armature::storage
