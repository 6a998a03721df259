// RowList without RocksDB: its order, against a model, and readers beside the writer. None of RocksDB's frames stands
// between, so ThreadSanitizer judges every access here (tools/tsan.supp).
#include "storage/rocksdb/memtable/row_list.h"

#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "storage/testing/arena.h"

namespace armature::storage {
namespace {

#if defined(ARMATURE_ADDRESS_SANITIZER) || defined(ARMATURE_THREAD_SANITIZER)
constexpr uint64_t kSlowness = 8;
#else
constexpr uint64_t kSlowness = 1;
#endif

struct OwnKey {
  std::string key;
  uint64_t packed = 0;

  bool operator==(const OwnKey&) const = default;
  // By the key's bytes, then newest first.
  bool operator<(const OwnKey& other) const { return key != other.key ? key < other.key : packed > other.packed; }
  std::string internal() const {
    std::string bytes = key;
    bytes.append(reinterpret_cast<const char*>(&packed), sizeof(packed));
    return bytes;
  }
};

class ListAndBlocks {
 public:
  void Insert(const OwnKey& key, std::string_view value) {
    const std::string internal = key.internal();
    std::string entry;
    for (size_t size = internal.size();; size >>= 7) {
      entry.push_back(static_cast<char>(size < 0x80 ? size : (size & 0x7F) | 0x80));
      if (size < 0x80) break;
    }
    entry += internal;
    entry.push_back(static_cast<char>(value.size()));
    entry += value;
    RowList::Row* const row = list.Allocate(entry.size());
    std::memcpy(row->entry(), entry.data(), entry.size());
    list.Insert(row);
  }

  RowBlocks blocks{size_t{64} << 10};
  RowList list{blocks};
};

RowKey SeekKey(const std::string& internal) { return RowKey::OfInternal(internal.data(), internal.size()); }

OwnKey KeyOf(const RowList::Row* row) {
  const RowKey key = row->key();
  return {std::string(key.bytes, key.size), key.packed};
}

std::string_view ValueOf(const RowList::Row* row) {
  const RowKey key = row->key();
  const char* const value = key.bytes + key.size + sizeof(uint64_t);
  return {value + 1, static_cast<uint8_t>(*value)};
}

// Keys that are prefixes of each other, differ at every place of a word, hold bytes on both sides of the sign, and some
// whose length takes two bytes.
std::string RandomKey(RandomSource& random) {
  std::string key(random.Below(2) * 8, 'p');
  const size_t size = random.Below(8) == 0 ? 100 + random.Below(60) : random.Below(6);
  for (size_t i = 0; i < size; ++i) key.push_back("\x00\x01\x7f\x80\xff"[random.Below(5)]);
  return key;
}

TEST(RowListTest, AnEmptyListHasNoRows) {
  ListAndBlocks rows;
  const std::string key = OwnKey{"k", 1}.internal();
  EXPECT_EQ(rows.list.First(), nullptr);
  EXPECT_EQ(rows.list.Last(), nullptr);
  EXPECT_EQ(rows.list.AtOrAfter(SeekKey(key)), nullptr);
  EXPECT_EQ(rows.list.AtOrBefore(SeekKey(key)), nullptr);
  EXPECT_FALSE(rows.list.Contains(SeekKey(key)));
}

TEST(RowListTest, VersionsOfAKeyAreNewestFirst) {
  ListAndBlocks rows;
  for (const uint64_t packed : {2, 9, 5}) rows.Insert({"k", packed}, std::to_string(packed));
  rows.Insert({"j", 7}, "j");
  std::string forwards, backwards;
  for (auto* row = rows.list.First(); row; row = RowList::Next(row)) forwards += ValueOf(row);
  for (auto* row = rows.list.Last(); row; row = rows.list.Previous(row)) backwards += ValueOf(row);
  EXPECT_EQ(forwards, "j952");
  EXPECT_EQ(backwards, "259j");
  const auto at = [&](uint64_t packed) {
    const std::string key = OwnKey{"k", packed}.internal();
    return rows.list.AtOrAfter(SeekKey(key));
  };
  EXPECT_EQ(ValueOf(at(100)), "9") << "a reader sees the newest version that is not newer than itself";
  EXPECT_EQ(ValueOf(at(8)), "5");
  EXPECT_EQ(ValueOf(at(5)), "5");
  EXPECT_EQ(at(1), nullptr);
}

using Model = std::map<OwnKey, std::string>;

void ExpectSameRows(const RowList& list, const Model& model) {
  auto expected = model.begin();
  for (auto* row = list.First(); row; row = RowList::Next(row), ++expected) {
    ASSERT_NE(expected, model.end());
    ASSERT_EQ(KeyOf(row), expected->first);
    ASSERT_EQ(ValueOf(row), expected->second);
  }
  ASSERT_EQ(expected, model.end());
  auto back = model.rbegin();
  for (auto* row = list.Last(); row; row = list.Previous(row), ++back) {
    ASSERT_NE(back, model.rend());
    ASSERT_EQ(KeyOf(row), back->first);
  }
  ASSERT_EQ(back, model.rend());
}

// Seeks both ways, and goes a few steps from there, turning now and then.
void ExpectSameWalk(const RowList& list, const Model& model, const OwnKey& from, RandomSource& random) {
  const std::string internal = from.internal();
  auto* row = list.AtOrAfter(SeekKey(internal));
  auto expected = model.lower_bound(from);
  ASSERT_EQ(list.Contains(SeekKey(internal)), model.contains(from));
  for (int step = 0; step < 6; ++step) {
    ASSERT_EQ(row == nullptr, expected == model.end());
    if (row == nullptr) break;
    ASSERT_EQ(KeyOf(row), expected->first);
    if (random.Below(2) == 0) {
      row = RowList::Next(row);
      ++expected;
    } else {
      row = list.Previous(row);
      ASSERT_EQ(row == nullptr, expected == model.begin());
      if (row == nullptr) break;
      --expected;
    }
  }
  auto* const before = list.AtOrBefore(SeekKey(internal));
  auto last = model.upper_bound(from);
  ASSERT_EQ(before == nullptr, last == model.begin());
  if (before) { ASSERT_EQ(KeyOf(before), (--last)->first); }
}

TEST(RowListTest, AgreesWithAModel) {
  SeededRandom random(ArenaSeed());
  for (ArenaClock clock(4); clock.GoesOn();) {
    ListAndBlocks rows;
    Model model;
    uint64_t sequence = 0;
    for (uint64_t i = 0; i < 6000 / kSlowness; ++i) {
      const OwnKey key{RandomKey(random), ++sequence << 8 | random.Below(2)};
      const std::string value = fmt::format("{}", i);
      rows.Insert(key, value);
      model.emplace(key, value);
      const OwnKey from{RandomKey(random), random.Below(sequence << 8)};
      ASSERT_NO_FATAL_FAILURE(ExpectSameWalk(rows.list, model, from, random));
      if (i % 1000 == 0) { ASSERT_NO_FATAL_FAILURE(ExpectSameRows(rows.list, model)); }
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSameRows(rows.list, model));
  }
}

// What the writer remembers of a key's newest row is of use, or is not believed: rows may come in any order, and keys
// share places.
TEST(RowListTest, VersionsInAnyOrderAgreeWithAModel) {
  SeededRandom random(ArenaSeed());
  for (const uint64_t keys : {1, 3, 500, 5000}) {
    ListAndBlocks rows;
    Model model;
    for (uint64_t i = 0; i < 20000 / kSlowness; ++i) {
      // Mostly newer than all before, as a store writes them.
      const uint64_t packed = random.Below(8) == 0 ? random.Below(i + 1) << 8 | (1 + random.Below(255)) : i << 8;
      const OwnKey key{fmt::format("key{}", random.Below(keys)), packed};
      if (!model.emplace(key, "v").second) continue;
      rows.Insert(key, "v");
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSameRows(rows.list, model)) << keys;
    for (int i = 0; i < 1000; ++i) {
      const OwnKey from{fmt::format("key{}", random.Below(keys)), random.Below(20000 << 8)};
      ASSERT_NO_FATAL_FAILURE(ExpectSameWalk(rows.list, model, from, random));
    }
  }
}

// --- readers beside the writer

// Every other row comes behind all others, as in a log; those between anywhere.
std::string KeyNumber(uint64_t i, uint64_t count) {
  return i % 2 == 0 ? fmt::format("b{:06}", i) : fmt::format("a{:06}", i * 7919 % count);
}

// What a reader must find: an ordered list, whole rows, and no fewer than were there when it began. Those written since
// are handed over by the list alone, so a missing order of its own is a race for ThreadSanitizer.
class BesideTheWriter {
 public:
  void Write() {
    for (uint64_t i = 0; i < kRows && failures_.load() == 0; ++i) {
      const std::string key = KeyNumber(i, kRows);
      rows_.Insert({key, i + 1}, key);
      written_.store(i + 1, std::memory_order_release);
    }
    is_done_.store(true, std::memory_order_relaxed);
  }
  void ReadForwards() {
    while (!is_done_.load(std::memory_order_relaxed)) {
      const uint64_t least = written_.load(std::memory_order_acquire);
      uint64_t count = 0;
      std::string last;
      for (auto* row = rows_.list.First(); row; row = RowList::Next(row), ++count) Check(row, last, count, true);
      if (count < least) Fail("forwards", count, least);
    }
  }
  void ReadBackwards() {
    while (!is_done_.load(std::memory_order_relaxed)) {
      const uint64_t least = written_.load(std::memory_order_acquire);
      uint64_t count = 0;
      std::string last;
      for (auto* row = rows_.list.Last(); row; row = rows_.list.Previous(row), ++count) Check(row, last, count, false);
      if (count < least) Fail("backwards", count, least);
    }
  }
  // Every row written before the look began is found by its key, from both sides.
  void LookUp(uint64_t seed) {
    SeededRandom random(seed);
    while (!is_done_.load(std::memory_order_relaxed)) {
      const uint64_t least = written_.load(std::memory_order_acquire);
      if (least == 0) continue;
      const uint64_t i = random.Below(least);
      const OwnKey key{KeyNumber(i, kRows), i + 1};
      const std::string internal = key.internal();
      auto* const at = rows_.list.AtOrAfter(SeekKey(internal));
      auto* const before = rows_.list.AtOrBefore(SeekKey(internal));
      if (at == nullptr || ValueOf(at) != key.key) Fail("look-up", i, least);
      if (before == nullptr || ValueOf(before) != key.key) Fail("look-up from behind", i, least);
    }
  }

  int failures() const { return failures_.load(); }

 private:
  static constexpr uint64_t kRows = 60'000 / kSlowness;

  void Check(const RowList::Row* row, std::string& last, uint64_t count, bool is_forwards) {
    std::string key = KeyOf(row).key;
    if (ValueOf(row) != key) Fail("torn", count, 0);
    if (count > 0 && (is_forwards ? key <= last : key >= last)) Fail("order", count, 0);
    last = std::move(key);
  }
  void Fail(const char* what, uint64_t found, uint64_t least) {
    if (failures_.fetch_add(1) == 0) fmt::print("{}: {} of {}\n", what, found, least);
  }

  ListAndBlocks rows_;
  std::atomic<uint64_t> written_{0};
  std::atomic<bool> is_done_{false};
  std::atomic<int> failures_{0};
};

TEST(RowListTest, ReadersBesideTheWriterFindWholeRowsInOrderAndMissNone) {
  const uint64_t seed = ArenaSeed();
  for (ArenaClock clock(1); clock.GoesOn();) {
    BesideTheWriter list;
    std::vector<std::thread> readers;
    readers.emplace_back([&] { list.ReadForwards(); });
    readers.emplace_back([&] { list.ReadBackwards(); });
    readers.emplace_back([&] { list.LookUp(seed); });
    list.Write();
    for (auto& reader : readers) reader.join();
    ASSERT_EQ(list.failures(), 0);
  }
}

}  // namespace
}  // namespace armature::storage
