// The bound of memory, at sizes and histories made to break it, and what small entries cost.
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/random.h"
#include "dax/cache/entry_store.h"

namespace armature::dax {
namespace {

constexpr size_t kBound = size_t{16} << 20;

class EntryStoreMemoryTest : public testing::Test {
 protected:
  // Writes about so many bytes in entries of such sizes, and touches some older ones at random.
  void Write(uint64_t bytes, size_t least, size_t most) {
    for (uint64_t written = 0; written < bytes;) {
      const size_t size = least + random_.Below(most - least + 1);
      store_.Put("key " + std::to_string(next_++), std::string_view(filling_).substr(0, size), 0);
      written += size;
      for (int i = 0; i < 2 && next_ > 0; ++i) Touch(next_ - 1 - random_.Below(std::min<uint64_t>(next_, 50'000)));
      ASSERT_LE(store_.figures().memory_bytes, kBound);
    }
  }
  bool Touch(uint64_t number) {
    found_.clear();
    if (!store_.Find("key " + std::to_string(number), 1, found_)) return false;
    EXPECT_TRUE(filling_.starts_with(found_));
    return true;
  }

  // What is kept is not much less than what there is memory for: a part of the bound.
  double Used() const { return static_cast<double>(store_.figures().kept_bytes) / static_cast<double>(kBound); }

  EntryStore store_{{.max_bytes = kBound, .shards = 2, .seed = 5}};
  SeededRandom random_{11};
  uint64_t next_ = 0;
  const std::string filling_ = std::string(size_t{1} << 20, 'v');
  std::string found_;
};

TEST_F(EntryStoreMemoryTest, SmallThenLargeAndBack) {
  for (int round = 0; round < 2; ++round) {
    Write(2 * kBound, 100, 100);
    EXPECT_GT(Used(), 0.6);
    Write(3 * kBound, 1 << 20, 1 << 20);
    EXPECT_GT(Used(), 0.8);
    Write(2 * kBound, 400, 4'000);
    EXPECT_GT(Used(), 0.8);
    Write(2 * kBound, 100, 1 << 20);
    EXPECT_GT(Used(), 0.8);
  }
}

// Every second of many small entries is touched again and again, so that what goes leaves holes of one entry; then
// large ones come, which fit in no hole.
TEST_F(EntryStoreMemoryTest, HolesEverywhere) {
  Write(kBound / 2, 90, 110);
  while (store_.figures().evictions < 1'000) Write(100'000, 90, 110);
  const uint64_t end = next_;
  for (uint64_t number = 0; number < end; number += 2) Touch(number);
  Write(kBound / 4, 300'000, 400'000);
  size_t still_there = 0;
  for (uint64_t number = end - 100'000; number < end; number += 2) still_there += Touch(number) ? 1 : 0;
  EXPECT_GT(still_there, 10'000u);
  EXPECT_GT(Used(), 0.6);
  Write(4 * kBound, 100, 1 << 20);
  EXPECT_GT(Used(), 0.8);
}

TEST_F(EntryStoreMemoryTest, EntriesWithoutValues) {
  for (int i = 0; i < 1'000'000; ++i) store_.Put(std::to_string(next_++), {}, 0);
  EXPECT_LE(store_.figures().memory_bytes, kBound);
  EXPECT_GT(store_.figures().entries, kBound / 80);
  Write(2 * kBound, 1 << 20, 1 << 20);
  EXPECT_GT(Used(), 0.8);
}

#if !defined(ARMATURE_ADDRESS_SANITIZER) && !defined(ARMATURE_THREAD_SANITIZER)
size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST_F(EntryStoreMemoryTest, TheProcessTakesNoMoreThanIsCounted) {
  const size_t before = ResidentBytes();
  Write(2 * kBound, 100, 1'000);
  Write(2 * kBound, 100, 1 << 20);
  Write(2 * kBound, 100, 100);
  EXPECT_LT(ResidentBytes(), before + kBound + (size_t{4} << 20));
}
#endif

TEST(EntryStoreCostTest, AMillionItemsOf200BytesCostAtMost30PercentMore) {
  EntryStore store({.max_bytes = size_t{512} << 20, .seed = 5});
  // As the item cache has them: a kind, a table and a key, then the item.
  const std::string item(177, 'i');
  for (uint64_t i = 0; i < 1'000'000; ++i) {
    std::string key = "\x01\x01user0000000000000000";
    const std::string number = std::to_string(i);
    key.replace(key.size() - number.size(), number.size(), number);
    store.Put(key, item, 0);
  }
  const EntryFigures figures = store.figures();
  EXPECT_EQ(figures.entries, 1'000'000u);
  EXPECT_EQ(figures.evictions, 0u);
  EXPECT_LE(static_cast<double>(figures.memory_bytes), 1.3 * static_cast<double>(figures.kept_bytes));
  RecordProperty("bytes_per_entry", static_cast<int>(figures.memory_bytes / figures.entries));
}

}  // namespace
}  // namespace armature::dax
