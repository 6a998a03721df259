#include "storage/rocksdb/cache/block_allocator.h"

#include <new>

#include <malloc.h>

namespace armature::storage {
namespace {

// AddressSanitizer is to see every block by itself.
size_t HeapBytes(size_t cache_bytes) {
#if defined(ARMATURE_ADDRESS_SANITIZER)
  return cache_bytes - cache_bytes;
#else
  return cache_bytes <= BlockAllocator::kOrdinaryBytes ? 0 : cache_bytes + cache_bytes / 4;
#endif
}

}  // namespace

BlockAllocator::BlockAllocator(size_t cache_bytes) : heap_(HeapBytes(cache_bytes)) {}

void* BlockAllocator::Allocate(size_t bytes) {
  if (ordinary_bytes_.load(std::memory_order_relaxed) > kOrdinaryBytes)
    if (char* const block = heap_.Allocate(bytes)) return block;
  void* const block = ::operator new(bytes);
  ordinary_bytes_.fetch_add(malloc_usable_size(block), std::memory_order_relaxed);
  return block;
}

void BlockAllocator::Deallocate(void* block) {
  if (heap_.Owns(block)) return heap_.Free(static_cast<const char*>(block));
  ordinary_bytes_.fetch_sub(malloc_usable_size(block), std::memory_order_relaxed);
  ::operator delete(block);
}

size_t BlockAllocator::UsableSize(void* block, size_t asked_bytes) const {
  return heap_.Owns(block) ? BlockHeap::BytesFor(asked_bytes) : malloc_usable_size(block);
}

}  // namespace armature::storage
