// Items in the cache: what is found, how long, and that it is what the table has.
#include "dax/cache/item_cache.h"

#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace armature::dax {
namespace {

using Found = ItemCache::Found;

class ItemCacheTest : public testing::Test {
 protected:
  std::string Blob(std::string_view key, uint32_t table = kTable) {
    std::string blob;
    switch (cache_.Find(table, key, blob)) {
      case Found::kNothing: return "nothing";
      case Found::kAbsent: return "absent";
      case Found::kItem: break;
    }
    return blob;
  }
  void Read(std::string_view key, std::string_view blob) {
    cache_.KeepItem(cache_.BeginRead(kTable, key), kTable, key, blob);
  }

  static constexpr uint32_t kTable = 300;
  ManualClock clock_;
  CacheSettings settings_;
  EntryStore store_{{.max_bytes = 4 << 20, .seed = 1}};
  Counter hits_, misses_;
  ItemCache cache_{store_, settings_, clock_, 2, {.hits = hits_, .misses = misses_}};
};

TEST_F(ItemCacheTest, ReadsAreKeptAndCounted) {
  EXPECT_EQ(Blob("key"), "nothing");
  Read("key", "blob");
  const ReadTicket ticket = cache_.BeginRead(kTable, "none");
  cache_.KeepAbsent(ticket, kTable, "none");
  EXPECT_EQ(Blob("key"), "blob");
  EXPECT_EQ(Blob("none"), "absent");
  EXPECT_EQ(Blob("key", kTable + 1), "nothing");
  EXPECT_EQ(hits_.value(), 2u);
  EXPECT_EQ(misses_.value(), 2u);
  std::string again;
  EXPECT_EQ(cache_.FindAgain(kTable, "key", again), Found::kItem);
  EXPECT_EQ(hits_.value(), 2u);
}

TEST_F(ItemCacheTest, BlobsAreAppended) {
  Read("key", "blob");
  std::string answer = "head ";
  EXPECT_EQ(cache_.Find(kTable, "key", answer), Found::kItem);
  EXPECT_EQ(answer, "head blob");
}

TEST_F(ItemCacheTest, KeysOfAnyLengthAndContentAreDifferent) {
  const std::vector<std::string> keys = {"",
                                         std::string(1, '\0'),
                                         std::string(2, '\0'),
                                         std::string(150, 'k'),
                                         std::string(157, 'k'),
                                         std::string(158, 'k'),
                                         std::string(3'000, 'k')};
  for (const std::string& key : keys) Read(key, "blob of " + std::to_string(key.size()));
  for (const std::string& key : keys) EXPECT_EQ(Blob(key), "blob of " + std::to_string(key.size()));
}

TEST_F(ItemCacheTest, EntriesEndAfterTheirTime) {
  Read("key", "blob");
  clock_.AdvanceMillis(299'999);
  EXPECT_EQ(Blob("key"), "blob");
  clock_.AdvanceMillis(1);
  EXPECT_EQ(Blob("key"), "nothing");
}

TEST_F(ItemCacheTest, ZeroMeansForEver) {
  settings_.record_ttl_millis = 0;
  Read("key", "blob");
  clock_.AdvanceMillis(int64_t{100} * 365 * 86'400'000);
  EXPECT_EQ(Blob("key"), "blob");
}

TEST_F(ItemCacheTest, AnotherTimeIsForWhatIsKeptFromThenOn) {
  Read("before", "blob");
  settings_.record_ttl_millis = 1'000;
  Read("behind", "blob");
  clock_.AdvanceMillis(1'000);
  EXPECT_EQ(Blob("before"), "blob");
  EXPECT_EQ(Blob("behind"), "nothing");
  // Writing gives an entry its whole time again.
  settings_.record_ttl_millis = 500'000;
  cache_.BeginWrite(kTable, "before").EndItem("new");
  clock_.AdvanceMillis(499'999);
  EXPECT_EQ(Blob("before"), "new");
}

TEST_F(ItemCacheTest, AWriteLeavesWhatTheTableHas) {
  Read("key", "old");
  {
    ItemWrite write = cache_.BeginWrite(kTable, "key");
    EXPECT_EQ(Blob("key"), "old");  // nobody was told of the new one yet
    write.EndItem("new");
    write.EndUnknown();  // it has ended
  }
  EXPECT_EQ(Blob("key"), "new");
  cache_.BeginWrite(kTable, "key").EndUnchanged();
  EXPECT_EQ(Blob("key"), "new");
  cache_.BeginWrite(kTable, "key").EndAbsent();
  EXPECT_EQ(Blob("key"), "absent");
}

TEST_F(ItemCacheTest, AWriteWithoutAnEndRemovesTheEntry) {
  Read("key", "old");
  { const ItemWrite cut_off = cache_.BeginWrite(kTable, "key"); }
  EXPECT_EQ(Blob("key"), "nothing");
  Read("key", "old");
  {
    ItemWrite first = cache_.BeginWrite(kTable, "key");
    const ItemWrite moved = std::move(first);
  }
  EXPECT_EQ(Blob("key"), "nothing");
  Read("key", "again");  // no write is under way any more
  EXPECT_EQ(Blob("key"), "again");
  cache_.Invalidate(kTable, "key");
  EXPECT_EQ(Blob("key"), "nothing");
}

TEST_F(ItemCacheTest, AReadAcrossAWriteIsNotKept) {
  const ReadTicket ticket = cache_.BeginRead(kTable, "key");
  cache_.BeginWrite(kTable, "key").EndItem("new");
  cache_.KeepItem(ticket, kTable, "key", "old");
  EXPECT_EQ(Blob("key"), "new");
  const ReadTicket second = cache_.BeginRead(kTable, "key");
  cache_.Invalidate(kTable, "key");
  cache_.KeepItem(second, kTable, "key", "old");
  EXPECT_EQ(Blob("key"), "nothing");
}

TEST_F(ItemCacheTest, WritesAtOnceLeaveNothing) {
  Read("key", "old");
  ItemWrite first = cache_.BeginWrite(kTable, "key");
  ItemWrite second = cache_.BeginWrite(kTable, "key");
  first.EndItem("first");
  EXPECT_EQ(Blob("key"), "nothing");
  second.EndItem("second");
  EXPECT_EQ(Blob("key"), "nothing");
}

// Readers, writers and others who write behind the cache's back and tell it; an item's entry is checked in moments in
// which nobody is at it.
TEST_F(ItemCacheTest, ThreadsLeaveWhatTheTableHas) {
  constexpr size_t kKeys = 4;
  Mutex mutex;
  std::vector<std::string> table(kKeys, "at first");  // guarded by it; empty: absent
  const auto work = [&](uint64_t id) {
    SeededRandom random(id);
    for (int round = 0; round < 20'000; ++round) {
      const size_t at = random.Below(kKeys);
      const std::string key = "key " + std::to_string(at);
      const uint64_t dice = random.Below(20);
      if (dice < 14) {
        const ReadTicket ticket = cache_.BeginRead(kTable, key);
        std::string read;
        {
          MutexLock lock(mutex);
          read = table[at];
        }
        if (read.empty()) cache_.KeepAbsent(ticket, kTable, key);
        else cache_.KeepItem(ticket, kTable, key, read);
        continue;
      }
      const std::string image = dice == 14 ? "" : std::to_string(id) + " in " + std::to_string(round);
      std::optional<ItemWrite> write;
      if (dice < 19) write.emplace(cache_.BeginWrite(kTable, key));
      if (dice != 15) {
        MutexLock lock(mutex);
        table[at] = image;
      }
      if (dice == 19) cache_.Invalidate(kTable, key);
      else if (dice == 15) write->EndUnchanged();
      else if (image.empty()) write->EndAbsent();
      else if (dice < 18) write->EndItem(image);
    }
  };
  for (uint64_t part = 0; part < 5; ++part) {
    std::vector<std::thread> threads;
    for (uint64_t id = 0; id < 3; ++id) threads.emplace_back(work, part * 10 + id);
    for (std::thread& thread : threads) thread.join();
    for (size_t at = 0; at < kKeys; ++at) {
      const std::string blob = Blob("key " + std::to_string(at));
      EXPECT_TRUE(blob == "nothing" || blob == (table[at].empty() ? "absent" : table[at])) << blob;
    }
  }
}

}  // namespace
}  // namespace armature::dax
