// SpareBlocks: blocks of memtables that have gone, kept for the rows of the next ones.
//
// A fresh block is cleared by the kernel page by page as rows are put into it, which was a thirtieth of a write. One
// that is used again is not. The kernel is told that it may take spare ones back when memory is short (MADV_FREE), so
// they are nobody's loss; and there are never more than one full memtable needs.
//
// All blocks are one huge page. Thread-safe. Used by RowBlocks.
#pragma once

#include <cstddef>
#include <vector>

#include "base/mutex.h"

namespace armature::storage {

class SpareBlocks {
 public:
  explicit SpareBlocks(size_t most_bytes);
  ~SpareBlocks();
  SpareBlocks(const SpareBlocks&) = delete;
  SpareBlocks& operator=(const SpareBlocks&) = delete;

  // Null if there is none. Whatever was in it may still be.
  char* Take() ARMATURE_WITHOUT_LOCK(mutex_);
  // Keeps the block, or gives it back to the system.
  void Give(char* block) noexcept ARMATURE_WITHOUT_LOCK(mutex_);

 private:
  const size_t most_;
  Mutex mutex_;
  std::vector<char*> blocks_ ARMATURE_GUARDED_BY(mutex_);  // has room for all there may be
};

}  // namespace armature::storage
