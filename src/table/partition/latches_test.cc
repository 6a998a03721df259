#include "table/partition/latches.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "table/table_testing.h"

namespace armature::table {
namespace {

std::vector<size_t> StripesOf(const LatchTable& latches, const std::vector<std::string_view>& keys) {
  std::vector<size_t> stripes;
  for (const auto key : keys) stripes.push_back(latches.StripeOf(key));
  LatchTable::InLockingOrder(stripes);
  return stripes;
}

Task<void> HoldUntil(LatchTable& latches, std::string_view key, Completion& release, int id, std::vector<int>& order) {
  const auto guard = co_await latches.Lock(key);
  order.push_back(id);
  co_await release;
}

Task<void> Append(LatchTable& latches, std::string_view key, int id, std::vector<int>& order) {
  const auto guard = co_await latches.Lock(key);
  order.push_back(id);
}

TEST(Latches, AFreeLatchIsTakenWithoutWaiting) {
  LatchTable latches;
  std::vector<int> order;
  StepExecutor executor;
  for (int i = 0; i < 3; ++i) executor.Start(Append(latches, "k", i, order));
  EXPECT_EQ(order, (std::vector{0, 1, 2}));
}

TEST(Latches, WaitersComeFirstComeFirstServed) {
  LatchTable latches;
  std::vector<int> order;
  StepExecutor executor;
  Completion release;
  executor.Start(HoldUntil(latches, "k", release, 0, order));
  for (int i = 1; i < 6; ++i) executor.Start(Append(latches, "k", i, order));
  executor.RunQueued();
  EXPECT_EQ(order, (std::vector{0}));
  release.Finish();
  executor.RunQueued();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4, 5}));
}

TEST(Latches, NobodyOvertakesAWaiterWhoseTurnItIs) {
  LatchTable latches;
  std::vector<int> order;
  StepExecutor holder, waiter, late;
  Completion release;
  holder.Start(HoldUntil(latches, "k", release, 0, order));
  waiter.Start(Append(latches, "k", 1, order));
  release.Finish();
  holder.RunQueued();  // released: the latch is handed to the waiter, which has not run yet
  late.Start(Append(latches, "k", 2, order));
  late.RunQueued();
  EXPECT_EQ(order, (std::vector{0}));
  waiter.RunQueued();
  late.RunQueued();
  EXPECT_EQ(order, (std::vector{0, 1, 2}));
}

TEST(Latches, WithoutAnExecutorAWaiterGoesOnWhereTheLatchIsReleased) {
  LatchTable latches;
  std::vector<int> order;
  Completion release;
  Detach(HoldUntil(latches, "k", release, 0, order));
  Detach(Append(latches, "k", 1, order));
  EXPECT_EQ(order, (std::vector{0}));
  release.Finish();
  EXPECT_EQ(order, (std::vector{0, 1}));
}

Task<void> ThrowWithLatch(LatchTable& latches) {
  const auto guard = co_await latches.Lock("k");
  throw std::runtime_error("mid-way");
}

TEST(Latches, AnExceptionReleases) {
  LatchTable latches;
  EXPECT_THROW(RunBlocking(ThrowWithLatch(latches)), std::runtime_error);
  std::vector<int> order;
  StepExecutor executor;
  executor.Start(Append(latches, "k", 1, order));
  EXPECT_EQ(order, (std::vector{1}));
}

Task<void> MoveGuards(LatchTable& latches, std::vector<int>& order, StepExecutor& executor) {
  LatchTable::Guard kept;
  {
    auto guard = co_await latches.LockStripe(1);
    kept = std::move(guard);
  }
  executor.Start([](LatchTable& table, std::vector<int>& out) -> Task<void> {
    const auto guard = co_await table.LockStripe(1);
    out.push_back(2);
  }(latches, order));
  order.push_back(1);
  kept.Release();
  kept.Release();
}

TEST(Latches, GuardsMoveAndReleaseOnce) {
  LatchTable latches;
  std::vector<int> order;
  StepExecutor executor;
  executor.Start(MoveGuards(latches, order, executor));
  executor.RunQueued();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(Latches, StripesAreAscendingAndUnique) {
  LatchTable latches;
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i) names.push_back(fmt::format("key-{}", i));
  std::vector<std::string_view> keys(names.begin(), names.end());
  keys.insert(keys.end(), names.begin(), names.end());
  const auto stripes = StripesOf(latches, keys);
  EXPECT_TRUE(std::is_sorted(stripes.begin(), stripes.end()));
  EXPECT_EQ(std::adjacent_find(stripes.begin(), stripes.end()), stripes.end());
  EXPECT_GT(stripes.size(), 300u);  // spread over the table
  EXPECT_LT(stripes.back(), LatchTable::kDefaultStripes);
  std::reverse(keys.begin(), keys.end());
  EXPECT_EQ(StripesOf(latches, keys), stripes);
}

// --- several threads

struct Shared {
  LatchTable latches;
  std::array<int64_t, 4> counters{};         // each guarded by the latch of its key
  std::array<std::atomic<int>, 4> inside{};  // who is in there right now
  std::atomic<bool> was_violated{false};
};
constexpr std::array<std::string_view, 4> kKeys = {"a", "b", "c", "d"};

Task<void> Count(Shared& shared, Executor& executor, int rounds, size_t first_key) {
  for (int i = 0; i < rounds; ++i) {
    const size_t k = (first_key + static_cast<size_t>(i)) % kKeys.size();
    const auto guard = co_await shared.latches.Lock(kKeys[k]);
    if (Executor::Current() != &executor) shared.was_violated = true;
    if (shared.inside[k].fetch_add(1) != 0) shared.was_violated = true;
    const int64_t before = shared.counters[k];
    // Held across a suspension, as a commit on a remote engine does.
    if (i % 3 == 0) co_await SwitchTo{executor};
    shared.counters[k] = before + 1;
    shared.inside[k].fetch_sub(1);
  }
}

TEST(Latches, ExcludeEachOtherOverThreadsAndLoseNoWaiter) {
  constexpr int kCoroutines = 24, kRounds = 1000;
  Shared shared;
  std::vector<std::unique_ptr<ThreadExecutor>> executors;
  for (int i = 0; i < 3; ++i) executors.push_back(std::make_unique<ThreadExecutor>());
  for (size_t i = 0; i < kCoroutines; ++i) {
    auto& executor = *executors[i % executors.size()];
    executor.Spawn(Count(shared, executor, kRounds, i));
  }
  for (auto& executor : executors) executor->WaitIdle();
  EXPECT_FALSE(shared.was_violated);
  int64_t total = 0;
  for (const int64_t counter : shared.counters) total += counter;
  EXPECT_EQ(total, kCoroutines * kRounds);
}

Task<void> TakeSeveral(LatchTable& latches, std::vector<std::string_view> keys, int rounds, int64_t& counter) {
  for (int i = 0; i < rounds; ++i) {
    std::vector<LatchTable::Guard> guards;
    for (const size_t stripe : StripesOf(latches, keys)) guards.push_back(co_await latches.LockStripe(stripe));
    ++counter;
    std::rotate(keys.begin(), keys.begin() + 1, keys.end());
  }
}

TEST(Latches, SeveralAtOnceInAscendingOrderNeverDeadlock) {
  LatchTable latches;
  int64_t counter = 0;  // every writer takes "shared" among others
  std::vector<std::unique_ptr<ThreadExecutor>> executors;
  for (int i = 0; i < 3; ++i) executors.push_back(std::make_unique<ThreadExecutor>());
  const std::vector<std::vector<std::string_view>> sets = {
      {"shared", "x", "y"}, {"y", "shared", "z"}, {"z", "x", "shared"}, {"shared"}};
  for (size_t i = 0; i < 12; ++i)
    executors[i % executors.size()]->Spawn(TakeSeveral(latches, sets[i % sets.size()], 500, counter));
  for (auto& executor : executors) executor->WaitIdle();
  EXPECT_EQ(counter, 12 * 500);
}

}  // namespace
}  // namespace armature::table
