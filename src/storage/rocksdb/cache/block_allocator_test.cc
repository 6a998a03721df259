// Which blocks of a cache lie where.
#include "storage/rocksdb/cache/block_allocator.h"

#include <vector>

#include <gtest/gtest.h>

namespace armature::storage {
namespace {

constexpr size_t kBlock = 4200;

TEST(BlockAllocatorTest, ASmallStoreUsesTheOrdinaryAllocator) {
  BlockAllocator allocator(size_t{64} << 20);
  std::vector<void*> blocks;
  for (size_t bytes = 0; bytes < BlockAllocator::kOrdinaryBytes; bytes += kBlock + 64) {
    blocks.push_back(allocator.Allocate(kBlock));
    ASSERT_LT(allocator.UsableSize(blocks.back(), kBlock), kBlock + 64);
  }
  for (void* const block : blocks) allocator.Deallocate(block);
}

TEST(BlockAllocatorTest, EveryBlockCountsWithWhatItTakes) {
  BlockAllocator allocator(size_t{16} << 20);
  std::vector<void*> blocks;
  // Into the heap, beyond its bound, and of sizes that it does not take.
  for (int i = 0; i < 10'000; ++i) blocks.push_back(allocator.Allocate(kBlock));
  for (const size_t bytes : {size_t{10}, size_t{50'000}, size_t{300'000}, size_t{5} << 20})
    blocks.push_back(allocator.Allocate(bytes));
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_GE(allocator.UsableSize(blocks[static_cast<size_t>(i)], kBlock), kBlock);
    ASSERT_LE(allocator.UsableSize(blocks[static_cast<size_t>(i)], kBlock), kBlock + kBlock / 16);
  }
  for (void* const block : blocks) allocator.Deallocate(block);
  void* const again = allocator.Allocate(kBlock);
  EXPECT_NE(again, nullptr);
  allocator.Deallocate(again);
}

}  // namespace
}  // namespace armature::storage
