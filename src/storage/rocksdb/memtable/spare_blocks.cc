#include "storage/rocksdb/memtable/spare_blocks.h"

#include <sys/mman.h>

#include "storage/rocksdb/memtable/row_blocks.h"

namespace armature::storage {

SpareBlocks::SpareBlocks(size_t most_bytes) : most_(most_bytes / RowBlocks::kHugePageBytes) {
  MutexLock lock(mutex_);
  blocks_.reserve(most_);
}

SpareBlocks::~SpareBlocks() {
  MutexLock lock(mutex_);
  for (char* const block : blocks_) munmap(block, RowBlocks::kHugePageBytes);
}

char* SpareBlocks::Take() {
  MutexLock lock(mutex_);
  if (blocks_.empty()) return nullptr;
  char* const block = blocks_.back();  // the one that was in use last: the kernel has had least time to take it back
  blocks_.pop_back();
  return block;
}

void SpareBlocks::Give(char* block) noexcept {
  madvise(block, RowBlocks::kHugePageBytes, MADV_FREE);  // advice only
  {
    MutexLock lock(mutex_);
    if (blocks_.size() < most_) {
      blocks_.push_back(block);
      return;
    }
  }
  munmap(block, RowBlocks::kHugePageBytes);
}

}  // namespace armature::storage
