// BlockAllocator: where RocksDB's cache of blocks has its memory.
//
// The first few megabytes are the ordinary allocator's, so that a small store costs what it did; then a BlockHeap's, as
// far as it takes blocks of a size and has room. It may hold a quarter more than the cache, for what is lost beside
// blocks that stay; behind that the ordinary allocator serves again. Blocks count in the cache with what they take
// here. Thread-safe. Made with the cache, and lives as long as a block of it.
#pragma once

#include <atomic>
#include <cstddef>

#include <rocksdb/memory_allocator.h>

#include "storage/rocksdb/cache/block_heap.h"

namespace armature::storage {

class BlockAllocator final : public rocksdb::MemoryAllocator {
 public:
  static constexpr size_t kOrdinaryBytes = size_t{8} << 20;

  explicit BlockAllocator(size_t cache_bytes);
  static const char* kClassName() { return "ArmatureBlockAllocator"; }
  const char* Name() const override { return kClassName(); }

  // As operator new: when there is no memory the new-handler is asked, and in the end std::bad_alloc thrown.
  void* Allocate(size_t bytes) override;
  void Deallocate(void* block) override;
  size_t UsableSize(void* block, size_t asked_bytes) const override;

 private:
  BlockHeap heap_;
  std::atomic<size_t> ordinary_bytes_{0};
};

}  // namespace armature::storage
