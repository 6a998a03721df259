// Runs and pieces: what is written stays, what is free can be used whatever its shape, and nothing is lost.
#include "dax/cache/memory/run_pool.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace armature::dax {
namespace {

constexpr size_t kPoolBytes = size_t{256} << 10;

struct Allocated {
  RunPool::Index first;
  size_t bytes;
  char filling;
};

RunPool::Index AllocateAnyhow(RunPool& pool, size_t bytes) {
  if (const auto run = pool.AllocateWhole(bytes); run != RunPool::kNone) return run;
  RunPool::Gathering gathering{.missing = bytes};
  if (pool.Gather(gathering)) return gathering.first;
  pool.Free(gathering.first);
  return RunPool::kNone;
}

// How much of it was there: all, or it would overlap another.
size_t FillOrCount(const RunPool& pool, const Allocated& allocated, bool fills) {
  size_t right = 0, left = allocated.bytes;
  for (auto run = allocated.first; left > 0; run = pool.Next(run)) {
    EXPECT_NE(run, RunPool::kNone);
    if (run == RunPool::kNone) break;
    const auto piece = pool.Piece(run).first(std::min(left, pool.Piece(run).size()));
    if (fills) std::memset(piece.data(), allocated.filling, piece.size());
    for (const char byte : piece) right += byte == allocated.filling ? 1 : 0;
    left -= piece.size();
  }
  return right;
}

size_t PiecesOf(const RunPool& pool, RunPool::Index first) {
  size_t count = 0;
  for (auto run = first; run != RunPool::kNone; run = pool.Next(run)) ++count;
  return count;
}

TEST(RunPoolTest, HoldsNothingBeforeItIsAsked) {
  RunPool pool(kPoolBytes);
  EXPECT_EQ(pool.held_bytes(), 0u);
  EXPECT_NE(pool.AllocateWhole(100), RunPool::kNone);
  EXPECT_GT(pool.held_bytes(), 0u);
  EXPECT_LT(pool.held_bytes(), kPoolBytes);
}

TEST(RunPoolTest, AFirstPieceHasRoomForAHead) {
  RunPool pool(kPoolBytes);
  for (size_t bytes = 1; bytes < 300; ++bytes) {
    const auto run = pool.AllocateWhole(bytes);
    ASSERT_GE(pool.Piece(run).size(), bytes);
    ASSERT_GE(pool.Piece(run).size(), RunPool::kLeastFirstPiece);
    ASSERT_LT(pool.Piece(run).size(), std::max(bytes, RunPool::kLeastFirstPiece) + RunPool::kGranule + 4);
  }
}

TEST(RunPoolTest, WhatWasFreedIsOneRunAgain) {
  RunPool pool(kPoolBytes);
  SeededRandom random(1);
  std::vector<RunPool::Index> runs;
  while (const auto run = pool.AllocateWhole(1 + random.Below(2'000))) runs.push_back(run);
  EXPECT_EQ(pool.held_bytes(), kPoolBytes);
  while (!runs.empty()) {
    const size_t at = random.Below(runs.size());
    pool.Free(runs[at]);
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(at));
  }
  EXPECT_NE(pool.AllocateWhole(kPoolBytes - 2 * RunPool::kGranule), RunPool::kNone);
}

TEST(RunPoolTest, HolesTogetherAreRoomForALargeOne) {
  RunPool pool(kPoolBytes);
  std::vector<RunPool::Index> runs;
  while (const auto run = pool.AllocateWhole(100)) runs.push_back(run);
  for (size_t i = 0; i < runs.size(); i += 2) pool.Free(runs[i]);
  EXPECT_EQ(pool.AllocateWhole(10'000), RunPool::kNone);
  const size_t free_before = pool.free_bytes();
  Allocated large{.first = AllocateAnyhow(pool, 100'000), .bytes = 100'000, .filling = 'x'};
  ASSERT_NE(large.first, RunPool::kNone);
  EXPECT_GT(PiecesOf(pool, large.first), 800u);
  EXPECT_EQ(FillOrCount(pool, large, true), large.bytes);
  pool.Free(large.first);
  EXPECT_EQ(pool.free_bytes(), free_before);
}

TEST(RunPoolTest, EvenTheSmallestHolesCanBeFilled) {
  RunPool pool(kPoolBytes);
  std::vector<RunPool::Index> runs;
  while (const auto run = pool.AllocateWhole(1)) runs.push_back(run);
  for (size_t i = 0; i < runs.size(); i += 2) pool.Free(runs[i]);
  // Of 32 bytes free, 24 are room; a whole pool of them has at most one granule that cannot be used.
  const size_t room = pool.free_bytes() / 32 * 24;
  EXPECT_NE(AllocateAnyhow(pool, room), RunPool::kNone);
  EXPECT_LT(pool.free_bytes(), 2 * RunPool::kGranule);
}

TEST(RunPoolTest, GatheringGoesOnAfterMoreWasFreed) {
  RunPool pool(kPoolBytes);
  std::vector<RunPool::Index> runs;
  while (const auto run = pool.AllocateWhole(500)) runs.push_back(run);
  RunPool::Gathering gathering{.missing = 5'000};
  size_t freed = 0;
  while (!pool.Gather(gathering)) pool.Free(runs[3 * freed++]);
  EXPECT_GE(freed, 9u);  // a little may have been left at the end
  EXPECT_LE(freed, 10u);
  const Allocated gathered{.first = gathering.first, .bytes = 5'000, .filling = 'g'};
  EXPECT_EQ(FillOrCount(pool, gathered, true), 5'000u);
}

TEST(RunPoolTest, NothingOverlapsAtAnyMixOfSizes) {
  RunPool pool(kPoolBytes);
  SeededRandom random(7);
  std::vector<Allocated> all;
  const size_t most_of_a_phase[] = {60, 400, 5'000, 60'000, 60, 30'000};
  for (int round = 0; round < 60'000; ++round) {
    const size_t most = most_of_a_phase[round / 2'500 % 6];
    if (random.Below(100) < 55 || all.empty()) {
      Allocated next{.first = 0, .bytes = 1 + random.Below(most), .filling = static_cast<char>(random.Below(256))};
      while ((next.first = AllocateAnyhow(pool, next.bytes)) == RunPool::kNone) {
        ASSERT_FALSE(all.empty());
        const size_t at = random.Below(all.size());
        ASSERT_EQ(FillOrCount(pool, all[at], false), all[at].bytes);
        pool.Free(all[at].first);
        all[at] = all.back();
        all.pop_back();
      }
      FillOrCount(pool, next, true);
      all.push_back(next);
    } else {
      const size_t at = random.Below(all.size());
      ASSERT_EQ(FillOrCount(pool, all[at], false), all[at].bytes);
      pool.Free(all[at].first);
      all[at] = all.back();
      all.pop_back();
    }
    ASSERT_LE(pool.held_bytes(), kPoolBytes);
  }
  for (const Allocated& allocated : all) pool.Free(allocated.first);
  EXPECT_NE(pool.AllocateWhole(kPoolBytes - 2 * RunPool::kGranule), RunPool::kNone);
}

TEST(RunPoolTest, ResetGivesTheMemoryBack) {
  RunPool pool(kPoolBytes);
  for (int i = 0; i < 1'000; ++i) pool.AllocateWhole(150);
  pool.Reset();
  EXPECT_EQ(pool.held_bytes(), 0u);
  EXPECT_EQ(pool.free_bytes(), 0u);
  EXPECT_NE(pool.AllocateWhole(150), RunPool::kNone);
}

}  // namespace
}  // namespace armature::dax
