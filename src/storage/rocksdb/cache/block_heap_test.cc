// Places of blocks: none overlaps another, sizes, what is given back, several threads.
#include "storage/rocksdb/cache/block_heap.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace armature::storage {
namespace {

constexpr size_t kRegion = BlockHeap::kRegionBytes;

TEST(BlockHeapTest, ASlotIsAtMostASixteenthLargerThanItsBlock) {
  size_t before = 0;
  for (size_t bytes = BlockHeap::kLeastSlot; bytes <= BlockHeap::kMostSlot; ++bytes) {
    const size_t slot = BlockHeap::BytesFor(bytes);
    ASSERT_GE(slot, bytes);
    ASSERT_LE(slot, bytes + std::max<size_t>(bytes / 16, BlockHeap::kLeastSlot / 8));
    ASSERT_EQ(slot % 64, 0u);
    ASSERT_GE(slot, before);
    ASSERT_EQ(BlockHeap::BytesFor(slot), slot);
    before = slot;
  }
  EXPECT_EQ(BlockHeap::BytesFor(BlockHeap::kMostSlot), BlockHeap::kMostSlot);
  EXPECT_EQ(BlockHeap::BytesFor(BlockHeap::kLeastRun + 1), BlockHeap::kLeastRun + BlockHeap::kSpanBytes);
}

TEST(BlockHeapTest, RefusesWhatItIsNotFor) {
  BlockHeap heap(4 * kRegion);
  for (const size_t bytes : {size_t{0}, BlockHeap::kLeastSlot - 1, BlockHeap::kMostSlot + 1, BlockHeap::kLeastRun - 1,
                             BlockHeap::kMostRun + 1})
    EXPECT_EQ(heap.Allocate(bytes), nullptr) << bytes;
  EXPECT_EQ(heap.held_bytes(), 0u);
  int elsewhere = 0;
  EXPECT_FALSE(heap.Owns(&elsewhere));
  EXPECT_FALSE(heap.Owns(nullptr));
  BlockHeap nothing(kRegion - 1);
  EXPECT_EQ(nothing.Allocate(4096), nullptr);
  EXPECT_FALSE(nothing.Owns(&elsewhere));
}

TEST(BlockHeapTest, IsFullAtItsBound) {
  BlockHeap heap(2 * kRegion + 12345);
  std::vector<char*> blocks;
  while (char* const block = heap.Allocate(BlockHeap::kMostSlot)) blocks.push_back(block);
  EXPECT_EQ(blocks.size(), 2 * kRegion / BlockHeap::kMostSlot);
  EXPECT_EQ(heap.used_bytes(), 2 * kRegion);
  EXPECT_EQ(heap.Allocate(BlockHeap::kMostRun), nullptr);
  for (char* const block : blocks) heap.Free(block);
  EXPECT_EQ(heap.used_bytes(), 0u);
  char* const whole = heap.Allocate(BlockHeap::kMostRun);
  ASSERT_NE(whole, nullptr);
  EXPECT_TRUE(heap.Owns(whole + kRegion - 1));
  heap.Free(whole);
}

TEST(BlockHeapTest, ASpanWithoutBlocksServesAnotherSize) {
  BlockHeap heap(kRegion);
  std::vector<char*> small;
  while (char* const block = heap.Allocate(600)) small.push_back(block);
  EXPECT_EQ(heap.Allocate(5000), nullptr);
  const auto span = [&](char* block) {
    return static_cast<size_t>(block - *std::min_element(small.begin(), small.end())) / BlockHeap::kSpanBytes;
  };
  for (char* const block : small)
    if (span(block) == 7) heap.Free(block);
  EXPECT_NE(heap.Allocate(5000), nullptr);
}

TEST(BlockHeapTest, RegionsWithoutBlocksAreGivenBackButForAFew) {
  BlockHeap heap(64 * kRegion);
  std::vector<char*> blocks;
  for (int i = 0; i < 64; ++i) blocks.push_back(heap.Allocate(BlockHeap::kMostRun));
  EXPECT_EQ(heap.held_bytes(), 64 * kRegion);
  for (char* const block : blocks) {
    std::memset(block, 'x', kRegion);
    heap.Free(block);
  }
  EXPECT_LE(heap.held_bytes(), 8 * kRegion);
  for (char*& block : blocks) {
    block = heap.Allocate(BlockHeap::kMostRun);
    ASSERT_NE(block, nullptr);
    std::memset(block, 'y', kRegion);
  }
  EXPECT_EQ(heap.used_bytes(), 64 * kRegion);
}

// Random blocks come and go; each holds its own bytes all the time, and what is counted is what is there.
TEST(BlockHeapTest, BlocksNeverOverlap) {
  SeededRandom random(20261118);
  BlockHeap heap(16 * kRegion);
  std::map<char*, size_t> blocks;
  const auto stamp = [](const char* block) {
    return static_cast<char>(reinterpret_cast<uintptr_t>(block) / 64 * 31 % 251);
  };
  size_t used = 0;
  for (int step = 0; step < 60'000; ++step) {
    const bool adds = random.NextU64() % 100 < (step / 10'000 % 2 == 0 ? 60u : 40u);
    if (adds) {
      const uint64_t kind = random.NextU64() % 10;
      const size_t bytes =
          kind == 0   ? BlockHeap::kLeastRun + random.NextU64() % (BlockHeap::kMostRun - BlockHeap::kLeastRun)
          : kind <= 3 ? BlockHeap::kLeastSlot + random.NextU64() % (BlockHeap::kMostSlot - BlockHeap::kLeastSlot)
                      : 4000 + random.NextU64() % 400;
      char* const block = heap.Allocate(bytes);
      if (block == nullptr) continue;
      const auto after = blocks.lower_bound(block);
      ASSERT_TRUE(after == blocks.end() || block + bytes <= after->first);
      ASSERT_TRUE(after == blocks.begin() || std::prev(after)->first + std::prev(after)->second <= block);
      ASSERT_TRUE(heap.Owns(block) && heap.Owns(block + bytes - 1));
      block[0] = block[bytes - 1] = stamp(block);
      blocks.emplace(block, bytes);
      used += BlockHeap::BytesFor(bytes);
    } else if (!blocks.empty()) {
      auto gone = blocks.lower_bound(
          std::next(blocks.begin(), static_cast<ptrdiff_t>(random.NextU64() % std::min<size_t>(blocks.size(), 50)))
              ->first);
      ASSERT_EQ(gone->first[0], stamp(gone->first));
      ASSERT_EQ(gone->first[gone->second - 1], stamp(gone->first));
      used -= BlockHeap::BytesFor(gone->second);
      heap.Free(gone->first);
      blocks.erase(gone);
    }
    ASSERT_EQ(heap.used_bytes(), used);
    ASSERT_LE(heap.used_bytes(), heap.held_bytes());
  }
  for (const auto& [block, bytes] : blocks) {
    ASSERT_EQ(block[bytes - 1], stamp(block));
    heap.Free(block);
  }
  EXPECT_EQ(heap.used_bytes(), 0u);
}

TEST(BlockHeapTest, SeveralThreads) {
  BlockHeap heap(32 * kRegion);
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([&heap, id] {
      SeededRandom random(static_cast<uint64_t>(id));
      std::vector<std::pair<char*, size_t>> mine;
      for (int step = 0; step < 20'000; ++step) {
        if (mine.size() < 200 && random.NextU64() % 2 == 0) {
          const size_t bytes = 512 + random.NextU64() % 8000;
          if (char* const block = heap.Allocate(bytes)) {
            std::memset(block, id, bytes);
            mine.emplace_back(block, bytes);
          }
        } else if (!mine.empty()) {
          std::swap(mine[random.NextU64() % mine.size()], mine.back());
          const auto [block, bytes] = mine.back();
          EXPECT_TRUE(std::all_of(block, block + bytes, [id](char c) { return c == id; }));
          heap.Free(block);
          mine.pop_back();
        }
      }
      for (const auto& [block, bytes] : mine) heap.Free(block);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(heap.used_bytes(), 0u);
}

}  // namespace
}  // namespace armature::storage
