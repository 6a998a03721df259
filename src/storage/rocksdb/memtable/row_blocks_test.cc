#include "storage/rocksdb/memtable/row_blocks.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/random.h"

namespace armature::storage {
namespace {

constexpr size_t kPlace = 24;

struct Piece {
  char* begin;
  size_t bytes;
  char fill;
};

TEST(RowBlocksTest, RowsLieInTheirPlaceAndDoNotOverlap) {
  SeededRandom random(5);
  RowBlocks blocks(size_t{256} << 10);
  std::vector<Piece> pieces;
  size_t asked = 0;
  for (int i = 0; i < 5000; ++i) {
    const size_t front = random.Below(12) * 8;
    const size_t bytes = random.Below(500) == 0 ? 1 + random.Below(1 << 20) : 1 + random.Below(400);
    char* const row = blocks.Allocate(front, bytes, kPlace);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(row) % RowBlocks::kCacheLine, kPlace);
    const Piece piece{row - front, front + bytes, static_cast<char>(i)};
    std::memset(piece.begin, piece.fill, piece.bytes);
    pieces.push_back(piece);
    asked += piece.bytes;
  }
  for (const Piece& piece : pieces)
    ASSERT_TRUE(std::all_of(piece.begin, piece.begin + piece.bytes, [&](char byte) { return byte == piece.fill; }));
  EXPECT_GE(blocks.used(), asked);
  EXPECT_LE(blocks.used(), asked + pieces.size() * (RowBlocks::kCacheLine - 1));
  EXPECT_GE(blocks.held(), blocks.used());
}

TEST(RowBlocksTest, LittleIsLostBetweenRows) {
  RowBlocks blocks(RowBlocks::kHugePageBytes);
  size_t asked = 0;
  for (size_t i = 0; i < 10'000; ++i) {
    const size_t bytes = 100 + i * 37 % 300;
    blocks.Allocate(0, bytes, kPlace);
    asked += bytes;
  }
  EXPECT_LT(blocks.used() - asked, 10'000 * RowBlocks::kCacheLine * 6 / 10) << "half a line a row, not a whole one";
}

TEST(RowBlocksTest, BlocksGrowFromASmallOneToTheLargest) {
  RowBlocks blocks(RowBlocks::kHugePageBytes);
  EXPECT_EQ(blocks.held(), 0u);
  blocks.Allocate(0, 100, kPlace);
  EXPECT_EQ(blocks.held(), RowBlocks::kFirstBlockBytes);
  size_t largest_step = 0;
  for (size_t before = blocks.held(); blocks.held() < 5 * RowBlocks::kHugePageBytes; before = blocks.held()) {
    blocks.Allocate(0, 1000, kPlace);
    largest_step = std::max(largest_step, blocks.held() - before);
    ASSERT_LE(blocks.held(), 3 * blocks.used() + RowBlocks::kFirstBlockBytes) << "held long before it is needed";
  }
  EXPECT_EQ(largest_step, RowBlocks::kHugePageBytes);
}

TEST(RowBlocksTest, ALargeRowLeavesTheCurrentBlockInUse) {
  RowBlocks blocks(size_t{64} << 10);
  char* const before = blocks.Allocate(0, 100, kPlace);
  char* const large = blocks.Allocate(8, size_t{10} << 20, kPlace);
  std::memset(large, 'x', size_t{10} << 20);
  char* const after = blocks.Allocate(0, 100, kPlace);
  EXPECT_EQ(after, before + 128);
}

// What a memtable does when the system has no memory is what everything else does (base/memory/memory_reserve.h).
TEST(RowBlocksTest, WithoutMemoryTheNewHandlerIsAskedAndThenItThrows) {
#if !defined(ARMATURE_ADDRESS_SANITIZER) && !defined(ARMATURE_THREAD_SANITIZER)
  RowBlocks blocks(RowBlocks::kHugePageBytes);
  blocks.Allocate(0, 100, kPlace);
  const size_t held = blocks.held();
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
  static int asked;
  asked = 0;
  std::set_new_handler([] {
    if (++asked == 3) std::set_new_handler(nullptr);
  });
  const rlimit none{1, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &none), 0);
  bool threw = false;
  try {
    blocks.Allocate(0, size_t{100} << 20, kPlace);
  } catch (const std::bad_alloc&) { threw = true; }
  ASSERT_EQ(setrlimit(RLIMIT_AS, &old), 0);
  EXPECT_TRUE(threw);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(blocks.held(), held);
  EXPECT_NE(blocks.Allocate(0, size_t{1} << 20, kPlace), nullptr) << "as good as before";
#endif
}

#if defined(ARMATURE_ADDRESS_SANITIZER)
TEST(RowBlocksDeathTest, AddressSanitizerSeesWhatIsWrittenBehindARow) {
  RowBlocks blocks(size_t{64} << 10);
  char* const row = blocks.Allocate(0, 96, kPlace);
  row[95] = 'x';
  EXPECT_DEATH(row[96] = 'x', "use-after-poison");
}
#endif

}  // namespace
}  // namespace armature::storage
