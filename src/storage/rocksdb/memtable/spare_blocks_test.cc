#include "storage/rocksdb/memtable/spare_blocks.h"

#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "storage/rocksdb/memtable/row_blocks.h"

namespace armature::storage {
namespace {

constexpr size_t kBlock = RowBlocks::kHugePageBytes;

// The addresses of the huge blocks that `count` rows of a quarter of a block lie in.
std::set<uintptr_t> BlocksOfRows(RowBlocks& blocks, int count) {
  std::set<uintptr_t> found;
  for (int i = 0; i < count; ++i) {
    char* const row = blocks.Allocate(0, kBlock / 5, 24);
    std::memset(row, 'x', kBlock / 5);
    found.insert(reinterpret_cast<uintptr_t>(row) / kBlock * kBlock);
  }
  return found;
}

TEST(SpareBlocksTest, TheNextMemtableHasTheBlocksOfTheLast) {
  SpareBlocks spare(8 * kBlock);
  EXPECT_EQ(spare.Take(), nullptr);
  std::set<uintptr_t> before, after;
  {
    RowBlocks blocks(kBlock, &spare);
    before = BlocksOfRows(blocks, 40);
  }
  RowBlocks blocks(kBlock, &spare);
  after = BlocksOfRows(blocks, 40);
  size_t again = 0;
  for (const uintptr_t block : after) again += before.count(block);
  EXPECT_GE(again, 7u) << "all that were kept";
  EXPECT_EQ(spare.Take(), nullptr) << "a block is of one memtable at a time";
}

TEST(SpareBlocksTest, NoMoreAreKeptThanItWasTold) {
  SpareBlocks spare(2 * kBlock);
  {
    RowBlocks blocks(kBlock, &spare);
    BlocksOfRows(blocks, 40);
  }
  char* const first = spare.Take();
  char* const second = spare.Take();
  EXPECT_NE(first, nullptr);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(spare.Take(), nullptr);
  spare.Give(first);
  spare.Give(second);
}

}  // namespace
}  // namespace armature::storage
