#include "storage/rocksdb/memtable/row_blocks.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <new>

#include <sys/mman.h>

// Rows are cut out of blocks that AddressSanitizer knows nothing of: it is told which bytes are whose.
#if defined(ARMATURE_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) static_cast<void>(0)
#endif

namespace armature::storage {
namespace {

constexpr size_t kPageBytes = 4096;

size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

void* MapOrThrow(size_t bytes) {
  for (;;) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

// The kernel promises no more than whole small pages: map more, and give back what lies outside.
char* MapOnHugePages(size_t bytes) {
  auto* const begin = static_cast<char*>(MapOrThrow(bytes + RowBlocks::kHugePageBytes));
  const size_t before = (RowBlocks::kHugePageBytes - reinterpret_cast<uintptr_t>(begin) % RowBlocks::kHugePageBytes) %
                        RowBlocks::kHugePageBytes;
  if (before != 0) munmap(begin, before);
  munmap(begin + before + bytes, RowBlocks::kHugePageBytes - before);
  // Advice only: without it, or where the kernel does not take it, the block is as good on small pages.
  madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}

// How far behind `from` the place of a row is that has `front` bytes before it.
size_t StepsToPlace(const char* from, size_t front, size_t place) {
  return front + (place - (reinterpret_cast<uintptr_t>(from) + front)) % RowBlocks::kCacheLine;
}

}  // namespace

RowBlocks::RowBlocks(size_t largest, SpareBlocks* spare) : largest_(RoundUp(largest, kPageBytes)), spare_(spare) {}

RowBlocks::~RowBlocks() {
  for (const Block& block : blocks_) {
    ASAN_UNPOISON_MEMORY_REGION(block.begin, block.bytes);
    if (spare_ && block.bytes == kHugePageBytes) spare_->Give(block.begin);
    else munmap(block.begin, block.bytes);
  }
}

char* RowBlocks::Allocate(size_t front, size_t bytes, size_t place) {
  assert(place < kCacheLine);
  const size_t steps = StepsToPlace(free_, front, place);
  if (static_cast<size_t>(end_ - free_) < steps + bytes) return AllocateElsewhere(front, bytes, place);
  char* const row = free_ + steps;
  ASAN_UNPOISON_MEMORY_REGION(row - front, front + bytes);
  used_.store(used() + steps + bytes, std::memory_order_relaxed);
  free_ = row + bytes;
  return row;
}

// In a new block, which becomes the current one unless the row is so large that the rest of the old one is worth more.
char* RowBlocks::AllocateElsewhere(size_t front, size_t bytes, size_t place) {
  const size_t needed = front + bytes + kCacheLine - 1;
  if (needed > largest_ / 4) {
    const Block own = AddBlock(RoundUp(needed, kPageBytes));
    used_.store(used() + needed, std::memory_order_relaxed);
    char* const row = own.begin + StepsToPlace(own.begin, front, place);
    ASAN_UNPOISON_MEMORY_REGION(row - front, front + bytes);
    return row;
  }
  const size_t grown = std::clamp(held(), std::min(kFirstBlockBytes, largest_), largest_);
  const Block block = AddBlock(std::max(grown, RoundUp(needed, kPageBytes)));
  free_ = block.begin;
  end_ = block.begin + block.bytes;
  return Allocate(front, bytes, place);
}

RowBlocks::Block RowBlocks::AddBlock(size_t bytes) {
  blocks_.reserve(blocks_.size() + 1);  // before there is something that could be lost
  const bool is_huge = bytes >= kHugePageBytes && bytes % kHugePageBytes == 0;
  Block block{spare_ && bytes == kHugePageBytes ? spare_->Take() : nullptr, bytes};
  if (block.begin == nullptr) block.begin = is_huge ? MapOnHugePages(bytes) : static_cast<char*>(MapOrThrow(bytes));
  ASAN_POISON_MEMORY_REGION(block.begin, block.bytes);
  blocks_.push_back(block);
  held_.store(held() + bytes, std::memory_order_relaxed);
  return block;
}

}  // namespace armature::storage
