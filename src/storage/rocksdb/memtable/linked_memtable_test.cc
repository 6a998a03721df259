#include "storage/rocksdb/memtable/linked_memtable.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <rocksdb/cache.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/write_buffer_manager.h>

#include "base/random.h"

namespace armature::storage {
namespace {

using Rows = std::map<std::string, std::string>;

// A RocksDB in memory whose rows all stay in the memtable.
class LinkedMemtableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    rocksdb::Options options;
    options.env = env_.get();
    options.create_if_missing = true;
    options.write_buffer_manager = budget_;
    options.memtable_factory = MakeLinkedMemtables(kBlock, 0, budget_);
    options.allow_concurrent_memtable_write = false;
    options.write_buffer_size = size_t{64} << 20;
    options.arena_block_size = size_t{64} << 10;
    Change(options);
    rocksdb::DB* db = nullptr;
    const auto status = rocksdb::DB::Open(options, "/memtable", &db);
    ASSERT_TRUE(status.ok()) << status.ToString();
    db_.reset(db);
  }

  virtual void Change(rocksdb::Options&) {}

  std::unique_ptr<rocksdb::Iterator> NewIterator(const rocksdb::Snapshot* at = nullptr) {
    rocksdb::ReadOptions options;
    options.snapshot = at;
    return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(options));
  }

  void ExpectRows(const Rows& expected, const rocksdb::Snapshot* at = nullptr) {
    const auto rows = NewIterator(at);
    auto row = expected.begin();
    for (rows->SeekToFirst(); rows->Valid(); rows->Next(), ++row) {
      ASSERT_NE(row, expected.end());
      ASSERT_EQ(rows->key().ToString(), row->first);
      ASSERT_EQ(rows->value().ToString(), row->second);
    }
    ASSERT_EQ(row, expected.end());
    auto back = expected.rbegin();
    for (rows->SeekToLast(); rows->Valid(); rows->Prev(), ++back) {
      ASSERT_NE(back, expected.rend());
      ASSERT_EQ(rows->key().ToString(), back->first);
      ASSERT_EQ(rows->value().ToString(), back->second);
    }
    ASSERT_EQ(back, expected.rend());
  }

  void ExpectFinds(const Rows& expected, const std::string& key) {
    std::string value;
    const auto status = db_->Get(rocksdb::ReadOptions(), key, &value);
    const auto exact = expected.find(key);
    ASSERT_EQ(status.ok(), exact != expected.end());
    if (status.ok()) { ASSERT_EQ(value, exact->second); }
    const auto rows = NewIterator();
    rows->Seek(key);
    const auto after = expected.lower_bound(key);
    ASSERT_EQ(rows->Valid(), after != expected.end());
    if (rows->Valid()) { ASSERT_EQ(rows->key().ToString(), after->first); }
    rows->SeekForPrev(key);
    auto before = expected.upper_bound(key);
    ASSERT_EQ(rows->Valid(), before != expected.begin());
    if (rows->Valid()) { ASSERT_EQ(rows->key().ToString(), (--before)->first); }
  }

  uint64_t Property(const std::string& name) {
    uint64_t value = 0;
    EXPECT_TRUE(db_->GetIntProperty(name, &value));
    return value;
  }

  static constexpr size_t kBlock = size_t{2} << 20;
  const std::shared_ptr<rocksdb::Cache> cache_ = rocksdb::NewLRUCache(size_t{512} << 20);
  const std::shared_ptr<rocksdb::WriteBufferManager> budget_ =
      std::make_shared<rocksdb::WriteBufferManager>(size_t{256} << 20, cache_);
  std::unique_ptr<rocksdb::Env> env_{rocksdb::NewMemEnv(rocksdb::Env::Default())};
  std::unique_ptr<rocksdb::DB> db_;
};

// Keys that are prefixes of each other, differ at every place of a word, hold bytes on both sides of the sign, and some
// whose length takes two bytes.
std::string RandomKey(RandomSource& random) {
  std::string key(random.Below(2) * 8, 'p');
  const size_t size = random.Below(8) == 0 ? 100 + random.Below(60) : random.Below(12);
  for (size_t i = 0; i < size; ++i) key.push_back("\x00\x01\x7f\x80\xff"[random.Below(5)]);
  return key;
}

TEST_F(LinkedMemtableTest, KeepsTheOrderOfBytesInBothDirections) {
  SeededRandom random(7);
  Rows model;
  ExpectRows(model);
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 100; ++i) {
      const std::string key = RandomKey(random);
      if (random.Below(4) == 0) {
        ASSERT_TRUE(db_->Delete(rocksdb::WriteOptions(), key).ok());
        model.erase(key);
      } else {
        const std::string value = fmt::format("{}-{}", round, i);
        ASSERT_TRUE(db_->Put(rocksdb::WriteOptions(), key, value).ok());
        model[key] = value;
      }
    }
    ASSERT_NO_FATAL_FAILURE(ExpectRows(model));
    for (int i = 0; i < 50; ++i) ASSERT_NO_FATAL_FAILURE(ExpectFinds(model, RandomKey(random)));
  }
}

TEST_F(LinkedMemtableTest, ASnapshotSeesTheVersionsOfItsTime) {
  SeededRandom random(11);
  Rows model;
  std::vector<std::pair<const rocksdb::Snapshot*, Rows>> times;
  for (int i = 0; i < 2000; ++i) {
    const std::string key = fmt::format("{}", random.Below(50));
    model[key] = std::to_string(i);
    ASSERT_TRUE(db_->Put(rocksdb::WriteOptions(), key, model[key]).ok());
    if (i % 200 == 0) times.emplace_back(db_->GetSnapshot(), model);
  }
  for (const auto& [snapshot, rows] : times) {
    ASSERT_NO_FATAL_FAILURE(ExpectRows(rows, snapshot));
    db_->ReleaseSnapshot(snapshot);
  }
  ASSERT_NO_FATAL_FAILURE(ExpectRows(model));
}

TEST_F(LinkedMemtableTest, WhatIsInMemoryReachesTheTableFile) {
  Rows model;
  for (int i = 0; i < 3000; ++i) {
    const std::string key = fmt::format("{:04}", i * 7919 % 3000);
    model[key] = std::to_string(i);
    ASSERT_TRUE(db_->Put(rocksdb::WriteOptions(), key, model[key]).ok());
  }
  ASSERT_TRUE(db_->Flush(rocksdb::FlushOptions()).ok());
  ASSERT_NO_FATAL_FAILURE(ExpectRows(model));
}

#if !defined(ARMATURE_ADDRESS_SANITIZER) && !defined(ARMATURE_THREAD_SANITIZER)
// RocksDB's look-up never frees the cursor it asks for.
TEST_F(LinkedMemtableTest, LookingUpLeaksNothing) {
  ASSERT_TRUE(db_->Put(rocksdb::WriteOptions(), "key", "value").ok());
  const auto look = [&](int times) {
    std::string value;
    for (int i = 0; i < times; ++i) ASSERT_TRUE(db_->Get(rocksdb::ReadOptions(), "key", &value).ok());
  };
  look(100);
  const size_t before = mallinfo2().uordblks;
  look(10'000);
  EXPECT_LT(mallinfo2().uordblks, before + 10'000);
}
#endif

// Readers in both directions beside the writer: each sees an ordered list with everything that was written before it
// began.
TEST_F(LinkedMemtableTest, ReadersBesideTheWriterMissNothing) {
  constexpr uint64_t kRows = 20'000;
  std::atomic<uint64_t> written{0};
  std::atomic<int> failures{0};
  const auto key_of = [](uint64_t i) { return fmt::format("{:05}", i * 7919 % kRows); };
  const auto read = [&](bool is_reverse) {
    while (written.load() < kRows && failures.load() == 0) {
      const uint64_t least = written.load();
      const auto rows = NewIterator();
      uint64_t count = 0;
      std::string last;
      for (is_reverse ? rows->SeekToLast() : rows->SeekToFirst(); rows->Valid();
           is_reverse ? rows->Prev() : rows->Next()) {
        const std::string key = rows->key().ToString();
        if (count > 0 && (is_reverse ? key >= last : key <= last)) ++failures;
        last = key;
        ++count;
      }
      if (count < least) ++failures;
    }
  };
  const auto look_up = [&] {
    SeededRandom random(3);
    std::string value;
    while (written.load() < kRows && failures.load() == 0) {
      const uint64_t least = written.load();
      if (least == 0) continue;
      const std::string key = key_of(random.Below(least));
      if (!db_->Get(rocksdb::ReadOptions(), key, &value).ok()) ++failures;
      const auto rows = NewIterator();
      rows->Seek(key);
      if (!rows->Valid() || rows->key().ToString() != key) ++failures;
    }
  };
  std::vector<std::thread> readers;
  for (const bool is_reverse : {false, true}) readers.emplace_back(read, is_reverse);
  readers.emplace_back(look_up);
  for (uint64_t i = 0; i < kRows && failures.load() == 0; ++i) {
    if (!db_->Put(rocksdb::WriteOptions(), key_of(i), "value").ok()) ++failures;
    written.store(i + 1);
  }
  written.store(kRows);
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(failures.load(), 0);
}

// --- memory

// What rows take is what RocksDB counts, what the cache is charged is what the blocks hold, and all of it is given
// back.
TEST_F(LinkedMemtableTest, MemoryIsCountedChargedAndGivenBack) {
  const size_t empty = budget_->memory_usage();
  const std::string value(1000, 'v');
  constexpr size_t kRows = 10'000;
  for (size_t i = 0; i < kRows; ++i)
    ASSERT_TRUE(db_->Put(rocksdb::WriteOptions(), fmt::format("{:06}", i), value).ok());
  const size_t counted = Property("rocksdb.cur-size-all-mem-tables");
  EXPECT_GE(counted, kRows * value.size());
  EXPECT_LE(counted, kRows * (value.size() + 110) + (size_t{1} << 20));
  EXPECT_GE(budget_->memory_usage() - empty, kRows * value.size());
  EXPECT_LE(budget_->memory_usage() - empty, counted + kBlock + (size_t{1} << 20));
  EXPECT_GE(cache_->GetPinnedUsage(), budget_->memory_usage());
  EXPECT_EQ(budget_->mutable_memtable_memory_usage(), budget_->memory_usage());

  // While something looks at it a memtable stays, but is no longer one that takes rows.
  auto rows = NewIterator();
  rows->SeekToFirst();
  ASSERT_TRUE(db_->Flush(rocksdb::FlushOptions()).ok());
  EXPECT_LE(budget_->mutable_memtable_memory_usage(), empty);
  EXPECT_GE(budget_->memory_usage() - empty, kRows * value.size());
  rows.reset();
  EXPECT_LE(budget_->memory_usage(), empty);
}

class SmallMemtableTest : public LinkedMemtableTest {
 protected:
  static constexpr size_t kWriteBuffer = size_t{4} << 20;
  void Change(rocksdb::Options& options) override { options.write_buffer_size = kWriteBuffer; }
};

TEST_F(SmallMemtableTest, AMemtableIsFlushedWhenItsRowsFillIt) {
  size_t largest = 0;
  const auto is_full = [&] {
    return Property("rocksdb.num-immutable-mem-table") + Property("rocksdb.total-sst-files-size") != 0;
  };
  for (int i = 0; !is_full(); ++i) {
    largest = std::max(largest, static_cast<size_t>(Property("rocksdb.cur-size-active-mem-table")));
    ASSERT_TRUE(db_->Put(rocksdb::WriteOptions(), fmt::format("{:06}", i), std::string(500, 'v')).ok());
    ASSERT_LT(i, 20'000);
  }
  EXPECT_GT(largest, kWriteBuffer * 95 / 100);
  EXPECT_LT(largest, kWriteBuffer * 105 / 100);
}

// --- what it does not know

// The options must not ask for what the list does not know; if they do, RocksDB's own list takes its place.
class ReversedOrderTest : public LinkedMemtableTest {
 protected:
  void Change(rocksdb::Options& options) override { options.comparator = rocksdb::ReverseBytewiseComparator(); }
};

TEST_F(ReversedOrderTest, AnotherComparatorGetsAnotherList) {
  for (const char* key : {"b", "c", "a"}) ASSERT_TRUE(db_->Put(rocksdb::WriteOptions(), key, "").ok());
  std::string keys;
  const auto rows = NewIterator();
  for (rows->SeekToFirst(); rows->Valid(); rows->Next()) keys += rows->key().ToString();
  EXPECT_EQ(keys, "cba");
}

class PrefixTest : public LinkedMemtableTest {
 protected:
  void Change(rocksdb::Options& options) override {
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(1));
  }
};

TEST_F(PrefixTest, WithPrefixesIteratorsOfAThreadAreApart) {
  for (const char* key : {"a1", "a2", "b1", "b2"}) ASSERT_TRUE(db_->Put(rocksdb::WriteOptions(), key, "").ok());
  const auto first = NewIterator(), second = NewIterator();
  first->Seek("a1");
  second->Seek("b1");
  ASSERT_TRUE(first->Valid());
  EXPECT_EQ(first->key().ToString(), "a1");
  first->Next();
  EXPECT_EQ(first->key().ToString(), "a2");
  EXPECT_EQ(second->key().ToString(), "b1");
}

}  // namespace
}  // namespace armature::storage
