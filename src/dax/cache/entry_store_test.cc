// What the store gives and forgets: against a simple model, at the edges of time, and from several threads.
#include "dax/cache/entry_store.h"

#include <list>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"

namespace armature::dax {
namespace {

std::optional<std::string> FindIn(EntryStore& store, std::string_view key, int64_t now_millis = 1) {
  std::string value = "before ";
  if (!store.Find(key, now_millis, value)) {
    EXPECT_EQ(value, "before ");
    return std::nullopt;
  }
  return value.substr(7);
}

TEST(EntryStoreTest, GivesWhatWasPut) {
  EntryStore store({.max_bytes = 1 << 20, .shards = 4, .seed = 3});
  EXPECT_EQ(FindIn(store, "a"), std::nullopt);
  store.Put("a", "first", 0);
  store.Put("b", "", 0);
  store.Put("", "of no key", 0);
  EXPECT_EQ(FindIn(store, "a"), "first");
  EXPECT_EQ(FindIn(store, "b"), "");
  EXPECT_EQ(FindIn(store, ""), "of no key");
  store.Put("a", "second", 0);
  EXPECT_EQ(FindIn(store, "a"), "second");
  EXPECT_EQ(store.figures().entries, 3u);
  EXPECT_EQ(store.figures().kept_bytes, 1 + 6 + 1 + 9u);
  store.Erase("a");
  store.Erase("never there");
  EXPECT_EQ(FindIn(store, "a"), std::nullopt);
  EXPECT_EQ(store.figures().entries, 2u);
}

TEST(EntryStoreTest, AnEntryIsOverAtItsMoment) {
  ManualClock clock(1'000'000);
  EntryStore store({.max_bytes = 1 << 20, .seed = 3});
  store.Put("ends", "x", clock.NowMillis() + 300'000);
  store.Put("never", "y", 0);
  store.Put("in 100 years", "z", int64_t{100} * 365 * 86'400'000);
  store.Put("beyond all time", "w", INT64_MAX);
  clock.AdvanceMillis(299'999);
  EXPECT_EQ(FindIn(store, "ends", clock.NowMillis()), "x");
  clock.AdvanceMillis(1);
  EXPECT_EQ(FindIn(store, "ends", clock.NowMillis()), std::nullopt);
  EXPECT_EQ(store.figures().expirations, 1u);
  EXPECT_EQ(store.figures().entries, 3u);
  clock.AdvanceMillis(int64_t{1} << 45);
  EXPECT_EQ(FindIn(store, "never", clock.NowMillis()), "y");
  EXPECT_EQ(FindIn(store, "in 100 years", clock.NowMillis()), std::nullopt);
  EXPECT_EQ(FindIn(store, "beyond all time", clock.NowMillis()), "w");
  store.Put("over before it began", "x", 5);
  EXPECT_EQ(FindIn(store, "over before it began", 5), std::nullopt);
}

TEST(EntryStoreTest, WhatIsTooLargeIsNotKeptAndWhatItReplacesIsGone) {
  EntryStore store({.max_bytes = 1 << 20, .shards = 1, .seed = 3, .max_entry_bytes = 100'000});
  store.Put("key", "small", 0);
  store.Put("key", std::string(100'001, 'x'), 0);
  EXPECT_EQ(FindIn(store, "key"), std::nullopt);
  store.Put("key", std::string(99'000, 'x'), 0);
  EXPECT_EQ(FindIn(store, "key"), std::string(99'000, 'x'));
  EntryStore tiny({.max_bytes = 1'000, .seed = 3});
  tiny.Put("key", "small", 0);
  EXPECT_EQ(FindIn(tiny, "key"), std::nullopt);
  EXPECT_EQ(tiny.figures().memory_bytes, 0u);
}

TEST(EntryStoreTest, KeysMayBeLong) {
  EntryStore store({.max_bytes = 4 << 20, .shards = 1, .seed = 3});
  for (const size_t length : {127, 128, 16'383, 16'384, 70'000}) {
    store.Put(std::string(length, 'k'), std::to_string(length), 0);
    EXPECT_EQ(FindIn(store, std::string(length, 'k')), std::to_string(length));
  }
}

TEST(EntryStoreTest, ClearGivesTheMemoryBack) {
  EntryStore store({.max_bytes = 8 << 20, .shards = 2, .seed = 3});
  for (int i = 0; i < 10'000; ++i) store.Put(std::to_string(i), std::string(300, 'v'), 0);
  store.Clear();
  EXPECT_EQ(store.figures().entries, 0u);
  EXPECT_EQ(store.figures().kept_bytes, 0u);
  EXPECT_EQ(store.figures().memory_bytes, 0u);
  EXPECT_EQ(FindIn(store, "1"), std::nullopt);
  store.Put("1", "again", 0);
  EXPECT_EQ(FindIn(store, "1"), "again");
}

TEST(EntryStoreTest, PiecesComeInOrder) {
  EntryStore store({.max_bytes = 1 << 20, .shards = 1, .seed = 3});
  // Small ones everywhere, of which every second is the first to go: so a large one has to lie in many holes.
  int count = 0;
  while (store.figures().evictions == 0) store.Put(std::to_string(count++), std::string(60, 'v'), 0);
  for (int i = 0; i < count; i += 2) FindIn(store, std::to_string(i));
  std::string value;
  for (int i = 0; value.size() < 150'000; ++i) value += std::to_string(i) + ",";
  store.Put("large", value, 0);
  size_t announced = 0, pieces = 0;
  std::string read;
  EXPECT_TRUE(store.FindPieces(
      "large", 1, [&](size_t bytes) { announced = bytes; },
      [&](std::string_view piece) {
        ++pieces;
        read += piece;
      }));
  EXPECT_EQ(announced, value.size());
  EXPECT_EQ(read, value);
  EXPECT_GT(pieces, 100u);
}

// --- a model: what is there, newest first

class UseOrderModel {
 public:
  void Put(const std::string& key, std::string value) {
    Erase(key);
    order_.emplace_front(key, std::move(value));
    places_[key] = order_.begin();
  }
  void Erase(const std::string& key) {
    const auto it = places_.find(key);
    if (it == places_.end()) return;
    order_.erase(it->second);
    places_.erase(it);
  }
  std::optional<std::string> Get(const std::string& key) {
    const auto it = places_.find(key);
    if (it == places_.end()) return std::nullopt;
    order_.splice(order_.begin(), order_, it->second);
    return it->second->second;
  }
  // Whatever had to go, the oldest went.
  void ShrinkTo(size_t entries) {
    while (order_.size() > entries) Erase(std::string(order_.back().first));
  }
  size_t size() const { return order_.size(); }
  std::vector<std::string> OldestFirst() const {
    std::vector<std::string> keys;
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) keys.push_back(it->first);
    return keys;
  }

 private:
  using Order = std::list<std::pair<std::string, std::string>>;
  Order order_;
  std::map<std::string, Order::iterator> places_;
};

void ExpectSame(EntryStore& store, UseOrderModel& model) {
  ASSERT_EQ(store.figures().entries, model.size());
  size_t kept_bytes = 0;
  // In this order the order stays what it was.
  for (const std::string& key : model.OldestFirst()) {
    const auto value = FindIn(store, key);
    ASSERT_EQ(value, model.Get(key)) << key;
    kept_bytes += key.size() + value->size();
  }
  ASSERT_EQ(store.figures().kept_bytes, kept_bytes);
}

class EntryStoreModelTest : public testing::TestWithParam<uint64_t> {};

TEST_P(EntryStoreModelTest, ForgetsTheOldestOnly) {
  constexpr size_t kModelBound = size_t{192} << 10;
  EntryStore store({.max_bytes = kModelBound, .shards = 1, .seed = GetParam()});
  UseOrderModel model;
  SeededRandom random(GetParam());
  const size_t most_of_a_phase[] = {30, 300, 30'000, 10, 3'000};
  for (int round = 0; round < 30'000; ++round) {
    const std::string key = "key " + std::to_string(random.Below(4'000));
    const uint64_t dice = random.Below(100);
    if (dice < 50) {
      std::string value(random.Below(most_of_a_phase[round / 1'500 % 5]), static_cast<char>(random.Below(256)));
      const bool is_kept = value.size() + key.size() < 40'000;
      store.Put(key, value, 0);
      ASSERT_TRUE(is_kept);
      model.Put(key, std::move(value));
      model.ShrinkTo(store.figures().entries);
    } else if (dice < 95) {
      ASSERT_EQ(FindIn(store, key), model.Get(key));
    } else {
      store.Erase(key);
      model.Erase(key);
    }
    ASSERT_LE(store.figures().memory_bytes, kModelBound);
    if (round % 500 == 0) { ASSERT_NO_FATAL_FAILURE(ExpectSame(store, model)); }
  }
  ASSERT_NO_FATAL_FAILURE(ExpectSame(store, model));
  EXPECT_GT(store.figures().evictions, 1'000u);
}
INSTANTIATE_TEST_SUITE_P(Seeds, EntryStoreModelTest, testing::Values(1, 2, 3));

TEST(EntryStoreTest, ThreadsSeeWholeValuesOnly) {
  EntryStore store({.max_bytes = 1 << 20, .shards = 4, .seed = 9});
  std::vector<std::thread> threads;
  for (uint64_t id = 0; id < 4; ++id) {
    threads.emplace_back([&store, id] {
      SeededRandom random(id);
      for (int round = 0; round < 20'000; ++round) {
        const std::string key = std::to_string(random.Below(500));
        const uint64_t dice = random.Below(10);
        if (dice == 0) store.Erase(key);
        if (dice > 0 && dice < 4) store.Put(key, std::string(1 + random.Below(9'000), static_cast<char>('a' + id)), 0);
        const auto value = FindIn(store, key).value_or("none of it");
        EXPECT_TRUE(value == "none of it" || value.find_first_not_of(value[0]) == std::string::npos);
        if (round % 5'000 == 4'999) store.Clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(store.figures().memory_bytes, size_t{1} << 20);
}

}  // namespace
}  // namespace armature::dax
