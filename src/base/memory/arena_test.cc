#include "base/memory/arena.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(Arena, RespectsAlignment) {
  Arena arena;
  arena.Allocate(1, 1);
  for (size_t alignment : {1u, 2u, 8u, 16u, 64u}) {
    const auto address = reinterpret_cast<uintptr_t>(arena.Allocate(3, alignment));
    EXPECT_EQ(address % alignment, 0u);
  }
}

TEST(Arena, AllocationsDoNotOverlapAcrossBlocks) {
  Arena arena;
  std::vector<std::string_view> copies;
  copies.reserve(2000);
  for (int i = 0; i < 2000; ++i) copies.push_back(arena.Copy(std::string(50, static_cast<char>('a' + i % 26))));
  for (int i = 0; i < 2000; ++i)
    EXPECT_EQ(copies[static_cast<size_t>(i)], std::string(50, static_cast<char>('a' + i % 26)));
}

TEST(Arena, HoldsAnAllocationLargerThanABlock) {
  Arena arena;
  char* large = static_cast<char*>(arena.Allocate(3 << 20));
  large[0] = large[(3 << 20) - 1] = 'x';
  EXPECT_GE(arena.bytes_reserved(), size_t{3} << 20);
}

TEST(Arena, ResetKeepsOneUsualBlock) {
  Arena arena;
  void* const first = arena.Allocate(100);
  for (int i = 0; i < 100; ++i) arena.Allocate(4000);
  arena.Reset();
  EXPECT_EQ(arena.bytes_reserved(), Arena::kFirstBlockBytes);
  EXPECT_EQ(arena.Allocate(100), first);
}

TEST(Arena, ResetGivesAHugeFirstBlockBack) {
  Arena arena;
  arena.Allocate(1 << 20);
  arena.Reset();
  EXPECT_EQ(arena.bytes_reserved(), 0u);
  EXPECT_NE(arena.Allocate(8), nullptr);
}

TEST(Arena, ArraysAreValueInitialised) {
  Arena arena;
  auto dirty = arena.NewArray<int>(100);
  for (int& slot : dirty) slot = 7;
  arena.Reset();
  for (int slot : arena.NewArray<int>(100)) EXPECT_EQ(slot, 0);
  EXPECT_TRUE(arena.NewArray<int>(0).empty());
}

TEST(Arena, CopiesVectorsAndStructs) {
  Arena arena;
  EXPECT_EQ(arena.Copy(std::vector<int>{1, 2, 3})[2], 3);
  struct Point {
    int x;
    int y;
  };
  EXPECT_EQ(arena.New<Point>(4, 5)->y, 5);
}

}  // namespace
}  // namespace armature
