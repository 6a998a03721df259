// The rules of engine.h, run against every engine.

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/mutex.h"
#include "storage/engine.h"
#include "storage/faulty/faulty_engine.h"
#include "storage/memory/memory_engine.h"
#include "storage/narrow/narrow_engine.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/storage_testing.h"

namespace armature::storage {
namespace {

struct EngineKind {
  std::string name;
  std::function<std::unique_ptr<Engine>(const std::string& directory, Metrics& metrics)> open;
};

std::unique_ptr<Engine> OpenRocks(const std::string& directory, Metrics& metrics, Durability durability,
                                  MemtableKind memtable = MemtableKind::kLinked) {
  RocksDbOptions options;
  options.directory = directory;
  options.durability = durability;
  options.memory_bytes = 16 << 20;
  options.memtable = memtable;
  auto engine = OpenRocksDbEngine(options, metrics);
  EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().ToString());
  return engine ? std::move(*engine) : nullptr;
}

std::vector<EngineKind> Kinds() {
  std::vector<EngineKind> kinds{
      {"Memory", [](const std::string&, Metrics& metrics) { return OpenMemoryEngine(metrics); }},
      {"RocksDbFsync",
       [](const std::string& d, Metrics& metrics) { return OpenRocks(d, metrics, Durability::kFsync); }},
      {"RocksDbInterval",
       [](const std::string& d, Metrics& metrics) { return OpenRocks(d, metrics, Durability::kInterval); }},
      {"RocksDbNone", [](const std::string& d, Metrics& metrics) { return OpenRocks(d, metrics, Durability::kNone); }},
      {"Faulty",
       [](const std::string&, Metrics& metrics) -> std::unique_ptr<Engine> { return OpenFaultyEngine({}, metrics); }},
      {"FaultyDelayed",
       [](const std::string&, Metrics& metrics) -> std::unique_ptr<Engine> {
         return OpenFaultyEngine({.is_auto_sync = true, .is_delayed = true}, metrics);
       }},
      {"Narrow",
       [](const std::string&, Metrics& metrics) -> std::unique_ptr<Engine> {
         return OpenNarrowEngine(OpenMemoryEngine(metrics), {.seed = 13, .slowest_micros = 100});
       }},
      {"NarrowOverRocksDb",
       [](const std::string& d, Metrics& metrics) -> std::unique_ptr<Engine> {
         return OpenNarrowEngine(OpenRocks(d, metrics, Durability::kFsync), {.seed = 13});
       }},
  };
#if !defined(ARMATURE_THREAD_SANITIZER)  // which sees nothing of the atomics of RocksDB's own list
  kinds.push_back({"RocksDbStockMemtable", [](const std::string& d, Metrics& metrics) {
                     return OpenRocks(d, metrics, Durability::kFsync, MemtableKind::kStock);
                   }});
#endif
  return kinds;
}

class ContractTest : public ::testing::TestWithParam<EngineKind> {
 protected:
  void SetUp() override { Open(); }
  void TearDown() override {
    if (!engine_) return;
    EXPECT_TRUE(engine_->Close().ok());
  }
  void Open() { engine_ = GetParam().open(directory_.path(), metrics_); }

  void Put(std::string_view key, std::string_view value) {
    Batch batch;
    batch.Put(key, value);
    EXPECT_TRUE(CommitAndWait(*engine_, batch).ok());
  }
  std::string Read(std::string_view key, ReadAt at = {}) { return GetOr(*engine_, key, "-", at); }
  std::string ScanKeys(std::string_view begin, std::string_view end, bool is_reverse = false, ReadAt at = {}) {
    ScanOp op;
    op.begin = begin, op.end = end, op.is_reverse = is_reverse, op.at = at;
    return Join(RunScan(*engine_, op));
  }
  // A key that belongs to a hash, in the space of items unless told.
  static std::string KeyOf(uint64_t hash, std::string_view rest = {}, std::string_view front = "\x10") {
    std::string key(front);
    AppendBigEndian(key, hash);
    return key.append(rest);
  }
  std::shared_ptr<OpenPartition> OpenAt(PartitionId id, Epoch epoch) {
    auto opened = RunBlocking(engine_->OpenPartitionAt(id, epoch));
    EXPECT_TRUE(opened.has_value()) << (opened ? "" : opened.error().ToString());
    return opened ? *opened : nullptr;
  }
  std::shared_ptr<OpenPartition> Make(const PartitionInfo& info) {
    EXPECT_TRUE(RunBlocking(engine_->CreatePartition(info)).ok());
    return OpenAt(info.id, info.epoch);
  }
  Status PutIn(OpenPartition& partition, std::string_view key, std::string_view value) {
    return PutAndWait(*engine_, key, value, &partition);
  }
  std::string ReadIn(const OpenPartition& partition, std::string_view key, ReadAt at = {}) {
    return GetOr(*engine_, key, "-", at, &partition);
  }
  // The values of the rows, in their order.
  std::string ScanIn(const OpenPartition& partition, std::string_view begin, std::string_view end = {},
                     bool is_reverse = false) {
    ScanOp op;
    op.partition = &partition, op.begin = begin, op.end = end, op.is_reverse = is_reverse, op.at.view = View::kLatest;
    RunScan(*engine_, op);
    if (!op.status.ok()) return std::string(StatusCodeName(op.status.code()));
    std::string text;
    for (const auto& row : op.rows) text += std::string(row.value) + ';';
    return text;
  }
  Sequence CommitIn(OpenPartition& partition, const Batch& batch) {
    CommitOp op;
    op.partition = &partition, op.batch = &batch;
    engine_->Commit(op);
    Await(op.done);
    EXPECT_TRUE(op.status.ok()) << op.status.ToString();
    return op.sequence;
  }

  // A row of hash 1, and what it counts.
  static Batch Counting(uint32_t slot, int64_t rows, int64_t bytes) {
    Batch batch;
    batch.Put(KeyOf(1), "");
    batch.Count(slot, rows, bytes);
    return batch;
  }
  // By slot.
  static std::string CountsOf(const OpenPartition& partition) {
    std::string text;
    partition.counts().ForEach([&](uint32_t slot, const RowCount& count) {
      EXPECT_EQ(partition.count(slot), count);
      text += fmt::format("{}: {} of {};", slot, count.rows, count.bytes);
    });
    return text;
  }

  static std::string Join(const ScanOp& op) {
    EXPECT_TRUE(op.status.ok()) << op.status.ToString();
    std::string text;
    for (const auto& row : op.rows) text += fmt::format("{}={};", row.key, row.value);
    return text;
  }

  TemporaryDirectory directory_;
  Metrics metrics_;
  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Engines, ContractTest, ::testing::ValuesIn(Kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(ContractTest, GetReturnsWhatWasCommittedLast) {
  EXPECT_EQ(Read("a"), "-");
  Put("a", "1");
  EXPECT_EQ(Read("a"), "1");
  Put("a", "2");
  EXPECT_EQ(Read("a"), "2");
  EXPECT_EQ(Read("a", {View::kLatest}), "2");
  Batch batch;
  batch.Delete("a");
  ASSERT_TRUE(CommitAndWait(*engine_, batch).ok());
  EXPECT_EQ(Read("a"), "-");
}

TEST_P(ContractTest, ValuesAreBytesOfAnyKindAndLength) {
  const std::string zeros("\1\0\0\xff", 4), large(400 * 1024, 'x');
  Put(zeros, large);
  Put("empty", "");
  EXPECT_EQ(Read(zeros), large);
  EXPECT_EQ(Read("empty"), "");
}

TEST_P(ContractTest, KeysAreOrderedAsUnsignedBytes) {
  for (std::string_view key : {"b", "a", "\xff", "ab", "\x7f", "\x80"}) Put(key, "");
  EXPECT_EQ(ScanKeys("", ""), "a=;ab=;b=;\x7f=;\x80=;\xff=;");
  EXPECT_EQ(ScanKeys("", "", true), "\xff=;\x80=;\x7f=;b=;ab=;a=;");
}

TEST_P(ContractTest, ScanCoversBeginButNotEnd) {
  for (std::string_view key : {"a", "b", "c", "d"}) Put(key, key);
  EXPECT_EQ(ScanKeys("b", "d"), "b=b;c=c;");
  EXPECT_EQ(ScanKeys("b", "d", true), "c=c;b=b;");
  EXPECT_EQ(ScanKeys("bb", "cc"), "c=c;");
  EXPECT_EQ(ScanKeys("c", ""), "c=c;d=d;");
  EXPECT_EQ(ScanKeys("c", "", true), "d=d;c=c;");
  EXPECT_EQ(ScanKeys("x", "z"), "");
  EXPECT_EQ(ScanKeys("d", "b"), "");
  EXPECT_EQ(ScanKeys("b", "b", true), "");
}

TEST_P(ContractTest, ScanStopsAfterTheRowThatReachesALimit) {
  for (std::string_view key : {"a", "b", "c", "d"}) Put(key, "12345");
  for (bool is_reverse : {false, true}) {
    ScanOp rows;
    rows.limit_rows = 2, rows.is_reverse = is_reverse;
    EXPECT_EQ(Join(RunScan(*engine_, rows)), is_reverse ? "d=12345;c=12345;" : "a=12345;b=12345;");
    EXPECT_TRUE(rows.has_more);

    ScanOp bytes;
    bytes.limit_bytes = 7, bytes.is_reverse = is_reverse;
    EXPECT_EQ(RunScan(*engine_, bytes).rows.size(), 2u);
    EXPECT_TRUE(bytes.has_more);

    ScanOp tiny;
    tiny.limit_bytes = 1, tiny.is_reverse = is_reverse;
    EXPECT_EQ(RunScan(*engine_, tiny).rows.size(), 1u);
  }
  ScanOp all;
  EXPECT_EQ(RunScan(*engine_, all).rows.size(), 4u);
  EXPECT_FALSE(all.has_more);
}

TEST_P(ContractTest, MultiGetAnswersInTheOrderOfKeys) {
  Put("a", "1");
  Put("c", "3");
  const std::string_view keys[] = {"c", "b", "a", "c"};
  MultiGetOp op;
  op.partition = &engine_->system(), op.keys = keys;
  engine_->MultiGet(op);
  Await(op.done);
  ASSERT_TRUE(op.status.ok());
  ASSERT_EQ(op.entries.size(), 4u);
  EXPECT_EQ(op.entries[0].value, "3");
  EXPECT_FALSE(op.entries[1].found);
  EXPECT_EQ(op.entries[2].value, "1");
  EXPECT_EQ(op.entries[3].value, "3");
}

TEST_P(ContractTest, BatchIsAppliedInOrder) {
  Put("x1", "old");
  Put("x2", "old");
  Batch batch;
  batch.Put("x1", "lost");
  batch.Delete("x1");
  batch.Delete("x2");
  batch.Put("x2", "new");
  batch.Put("k", "1");
  batch.Delete("k");
  batch.Delete("never there");
  ASSERT_TRUE(CommitAndWait(*engine_, batch).ok());
  EXPECT_EQ(ScanKeys("", ""), "x2=new;");
}

TEST_P(ContractTest, EmptyBatchCommits) {
  EXPECT_TRUE(CommitAndWait(*engine_, Batch()).ok());
  EXPECT_EQ(ScanKeys("", ""), "");
}

TEST_P(ContractTest, SequencesRiseAndDurabilityFollows) {
  OpenPartition& system = engine_->system();
  Mark last = 0;
  for (int i = 0; i < 10; ++i) {
    Batch batch;
    batch.Put("k", std::to_string(i));
    CommitOp op;
    op.partition = &system, op.batch = &batch;
    engine_->Commit(op);
    Await(op.done);
    ASSERT_TRUE(op.status.ok());
    EXPECT_EQ(op.sequence, static_cast<Sequence>(i) + 1);
    EXPECT_GT(op.mark, last);
    last = op.mark;
    DurableOp durable;
    durable.partition = &system, durable.mark = op.mark;
    engine_->WhenDurable(durable);
    Await(durable.done);
    EXPECT_TRUE(durable.status.ok());
    EXPECT_GE(engine_->DurableUpTo(system), last);
    EXPECT_EQ(Read("k"), std::to_string(i)) << "acknowledged means visible";
  }
  DurableOp past;
  past.partition = &system, past.mark = 1;
  engine_->WhenDurable(past);
  Await(past.done);
  EXPECT_TRUE(past.status.ok());
}

TEST_P(ContractTest, SnapshotStaysAsItWas) {
  if (!engine_->capabilities().snapshots) return;
  Put("a", "1");
  Put("b", "1");
  auto snapshot = engine_->TakeSnapshot();
  Put("a", "2");
  Batch batch;
  batch.Delete("b");
  batch.Put("c", "2");
  ASSERT_TRUE(CommitAndWait(*engine_, batch).ok());
  auto later = engine_->TakeSnapshot();
  Put("b", "3");
  batch.Clear();
  for (const char* key : {"a", "b", "c"}) batch.Delete(key);
  ASSERT_TRUE(CommitAndWait(*engine_, batch).ok());

  const ReadAt at{View::kLatest, snapshot.get()}, at_later{View::kDurable, later.get()};
  EXPECT_EQ(ScanKeys("", "", false, at), "a=1;b=1;");
  EXPECT_EQ(ScanKeys("", "", true, at), "b=1;a=1;");
  EXPECT_EQ(Read("b", at), "1");
  EXPECT_EQ(Read("c", at), "-");
  EXPECT_EQ(ScanKeys("", "", false, at_later), "a=2;c=2;");
  snapshot.reset();
  EXPECT_EQ(ScanKeys("", "", false, at_later), "a=2;c=2;");
  later.reset();
  EXPECT_EQ(ScanKeys("", ""), "");
}

TEST_P(ContractTest, SnapshotMayOutliveTheEngine) {
  Put("a", "1");
  auto snapshot = engine_->TakeSnapshot();
  EXPECT_TRUE(engine_->Close().ok());
  engine_.reset();
}

TEST_P(ContractTest, AHandleOfAnOlderEpochIsDead) {
  const auto old = Make({.id = 7, .keyspace = 1, .epoch = 3});
  const std::string key = KeyOf(1);
  EXPECT_TRUE(PutIn(*old, key, "old owner").ok());
  EXPECT_EQ(OpenAt(7, 3), old) << "the same epoch again is the same handle";
  EXPECT_TRUE(old->is_alive());

  const auto owner = OpenAt(7, 5);
  EXPECT_FALSE(old->is_alive());
  EXPECT_EQ(PutIn(*old, key, "stale").code(), StatusCode::kFenced);
  EXPECT_EQ(ReadIn(*old, key).substr(0, 6), "fenced");
  EXPECT_EQ(ScanIn(*old, "\x10"), "fenced");
  const std::string_view keys[] = {key};
  MultiGetOp get;
  get.partition = old.get(), get.keys = keys;
  engine_->MultiGet(get);
  Await(get.done);
  EXPECT_EQ(get.status.code(), StatusCode::kFenced);

  EXPECT_EQ(ReadIn(*owner, key, {View::kLatest}), "old owner");
  EXPECT_TRUE(PutIn(*owner, key, "new owner").ok());
  EXPECT_EQ(RunBlocking(engine_->OpenPartitionAt(7, 4)).error().code(), StatusCode::kFenced);
  EXPECT_TRUE(owner->is_alive());
}

TEST_P(ContractTest, UnknownPartitionsAreRefused) {
  EXPECT_EQ(RunBlocking(engine_->OpenPartitionAt(99, 1)).error().code(), StatusCode::kNotFound);
  EXPECT_EQ(RunBlocking(engine_->DropPartition(99)).code(), StatusCode::kNotFound);
  EXPECT_EQ(RunBlocking(engine_->SplitPartition(99, 1, 100, 101)).code(), StatusCode::kNotFound);
}

TEST_P(ContractTest, KeysOfOthersAreRefused) {
  const auto partition = Make({.id = 1, .keyspace = 1, .hashes = {100, 199}, .epoch = 1});
  for (const std::string& key : {KeyOf(99), KeyOf(200), KeyOf(0), std::string("\x10 short"), std::string()}) {
    EXPECT_EQ(PutIn(*partition, key, "").code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(ReadIn(*partition, key).substr(0, 16), "invalid argument");
  }
  // With a good one in front: all or nothing.
  Batch batch;
  batch.Put(KeyOf(100), "");
  batch.Put(KeyOf(200), "");
  EXPECT_EQ(CommitAndWait(*engine_, batch, partition.get()).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ScanIn(*partition, "\x10"), "");
  EXPECT_EQ(ScanIn(*partition, ""), "invalid argument");
  EXPECT_EQ(ScanIn(*partition, "\x10", "\x90"), "invalid argument");
  EXPECT_TRUE(PutIn(*partition, KeyOf(100), "").ok());
  EXPECT_TRUE(PutIn(*partition, KeyOf(199), "").ok());
  EXPECT_TRUE(PutIn(*partition, "\x90 its own", "").ok());
}

TEST_P(ContractTest, AScanNeverLeavesItsPartition) {
  const auto low = Make({.id = 1, .keyspace = 5, .hashes = {0, 99}, .epoch = 1});
  const auto high = Make({.id = 2, .keyspace = 5, .hashes = {100, UINT64_MAX}, .epoch = 1});
  const auto other = Make({.id = 3, .keyspace = 6, .epoch = 1});
  for (const uint64_t hash : {0, 50, 99, 100, 150}) {
    OpenPartition& partition = hash < 100 ? *low : *high;
    ASSERT_TRUE(PutIn(partition, KeyOf(hash), "item" + std::to_string(hash)).ok());
    // Local indexes, and what is in the order of time: of several hashes in one place.
    const std::string index("\x20\0\0\0\1", 5), time("\x50\0\0\0\0\0\0\0\7", 9);
    ASSERT_TRUE(PutIn(partition, KeyOf(hash, "", index), "row" + std::to_string(hash)).ok());
    ASSERT_TRUE(PutIn(partition, KeyOf(hash, "", time), "time" + std::to_string(hash)).ok());
  }
  ASSERT_TRUE(PutIn(*other, KeyOf(50), "other").ok());
  ASSERT_TRUE(PutIn(*low, "\x90", "low's own").ok());
  ASSERT_TRUE(PutIn(*high, "\x90", "high's own").ok());

  EXPECT_EQ(ScanIn(*low, "\x10"), "item0;item50;item99;");
  EXPECT_EQ(ScanIn(*low, "\x10", "", true), "item99;item50;item0;");
  EXPECT_EQ(ScanIn(*high, "\x10"), "item100;item150;");
  EXPECT_EQ(ScanIn(*high, KeyOf(0), KeyOf(150)), "item100;");
  EXPECT_EQ(ScanIn(*low, KeyOf(100), KeyOf(150)), "");
  EXPECT_EQ(ScanIn(*low, "\x20"), "row0;row50;row99;");
  EXPECT_EQ(ScanIn(*high, std::string("\x20\0\0\0\1", 5), std::string("\x20\0\0\0\2", 5)), "row100;row150;");
  EXPECT_EQ(ScanIn(*low, "\x50"), "time0;time50;time99;");
  EXPECT_EQ(ScanIn(*high, "\x50", "", true), "time150;time100;");
  EXPECT_EQ(ScanIn(*high, "\x10", "\x60"), "item100;item150;row100;row150;time100;time150;");
  EXPECT_EQ(ScanIn(*low, "\x90"), "low's own;");
  EXPECT_EQ(ScanIn(*high, "\x90"), "high's own;");
  EXPECT_EQ(ScanIn(*other, "\x10"), "other;");
}

TEST_P(ContractTest, NumbersAreDenseAndOfOnePartition) {
  auto first = Make({.id = 1, .keyspace = 1, .epoch = 1});
  const auto second = Make({.id = 2, .keyspace = 2, .epoch = 1});
  Batch plain, numbered;
  plain.Put(KeyOf(1), "");
  for (const char* value : {"a", "b", "c"}) numbered.PutNumbered("\x90", value);
  EXPECT_EQ(CommitIn(*first, plain), 1u);
  EXPECT_EQ(CommitIn(*second, plain), 1u);
  EXPECT_EQ(CommitIn(*first, numbered), 4u);
  EXPECT_EQ(CommitIn(*first, plain), 5u);
  Batch bad;
  bad.Put("\x10", "");
  EXPECT_FALSE(CommitAndWait(*engine_, bad, first.get()).ok());
  first = OpenAt(1, 2);
  EXPECT_EQ(CommitIn(*first, numbered), 8u);
  EXPECT_EQ(CommitIn(*second, plain), 2u);
  EXPECT_EQ(ScanIn(*first, "\x90"), "a;b;c;a;b;c;");
  const auto row = [](uint64_t number) { return KeyOf(number, "", "\x90"); };
  EXPECT_EQ(ReadIn(*first, row(2), {View::kLatest}), "a");
  EXPECT_EQ(ReadIn(*first, row(4), {View::kLatest}), "c");
  EXPECT_EQ(ReadIn(*first, row(6), {View::kLatest}), "a");
  if (!engine_->capabilities().persistent) return;
  ASSERT_TRUE(engine_->Close().ok());
  Open();
  EXPECT_EQ(CommitIn(*OpenAt(1, 2), plain), 9u);
  EXPECT_EQ(CommitIn(*OpenAt(2, 1), numbered), 5u);
}

TEST_P(ContractTest, WhatAnEngineCannotItRefuses) {
  if (!engine_->capabilities().multi_partition_atomic) {
    CommitManyOp op;
    engine_->CommitMany(op);
    Await(op.done);
    EXPECT_EQ(op.status.code(), StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(engine_->TakeSnapshot() != nullptr, engine_->capabilities().snapshots);
}

TEST_P(ContractTest, CountsAreThoseOfTheCommits) {
  auto first = Make({.id = 1, .keyspace = 1, .epoch = 1});
  const auto second = Make({.id = 2, .keyspace = 2, .epoch = 1});
  EXPECT_EQ(CountsOf(*first), "");
  Batch both = Counting(0, 1, 100);
  both.Count(0, 1, 50);
  both.Count(7, 2, 40);
  CommitIn(*first, both);
  EXPECT_EQ(CountsOf(*first), "0: 2 of 150;7: 2 of 40;") << "at once, and not only when it is durable";
  CommitIn(*first, Counting(3, 1, 10));
  CommitIn(*first, Counting(7, -2, -40));
  CommitIn(*first, Counting(0, -1, 25));
  EXPECT_EQ(CountsOf(*first), "0: 1 of 175;3: 1 of 10;");
  EXPECT_EQ(CountsOf(*second), "");

  // What is refused counts nothing: a bad key, a dead handle.
  Batch bad = Counting(0, 1, 1);
  bad.Put("\x10", "");
  EXPECT_FALSE(CommitAndWait(*engine_, bad, first.get()).ok());
  const auto stale = std::exchange(first, OpenAt(1, 2));
  EXPECT_EQ(CountsOf(*first), "0: 1 of 175;3: 1 of 10;") << "whoever opens it finds them";
  EXPECT_FALSE(CommitAndWait(*engine_, Counting(0, 1, 1), stale.get()).ok());
  EXPECT_EQ(CountsOf(*first), "0: 1 of 175;3: 1 of 10;");

  if (!engine_->capabilities().persistent) return;
  CommitIn(*second, Counting(1, 5, 6));
  const std::string killed = directory_.path() + "-killed";
  ASSERT_TRUE(CommitAndWait(*engine_, Counting(0, 1, 1), first.get()).ok());
  CopyAsIfKilled(directory_.path(), killed);
  CommitIn(*first, Counting(0, 1, 1));
  ASSERT_TRUE(engine_->Close().ok());
  Open();
  EXPECT_EQ(CountsOf(*OpenAt(1, 2)), "0: 3 of 177;3: 1 of 10;");
  EXPECT_EQ(CountsOf(*OpenAt(2, 1)), "1: 5 of 6;");
  ASSERT_TRUE(engine_->Close().ok());
  engine_ = GetParam().open(killed, metrics_);
  EXPECT_EQ(CountsOf(*OpenAt(1, 2)), "0: 2 of 176;3: 1 of 10;");
  ASSERT_TRUE(engine_->Close().ok());
  std::filesystem::remove_all(killed);
}

TEST_P(ContractTest, CommitManyCountsInEachPartition) {
  if (!engine_->capabilities().multi_partition_atomic) return;
  const auto left = Make({.id = 1, .keyspace = 1, .epoch = 1});
  const auto stale = Make({.id = 2, .keyspace = 2, .epoch = 1});
  const auto right = OpenAt(2, 2);
  const Batch of_left = Counting(0, 1, 10), of_right = Counting(4, 2, 20);
  const auto run = [&](OpenPartition& other) {
    CommitManyOp::Part parts[] = {{left.get(), &of_left}, {&other, &of_right}};
    CommitManyOp op;
    op.parts = parts;
    engine_->CommitMany(op);
    Await(op.done);
    return op.status.ok();
  };
  EXPECT_FALSE(run(*stale));
  EXPECT_EQ(CountsOf(*left), "");
  EXPECT_TRUE(run(*right));
  EXPECT_TRUE(run(*right));
  EXPECT_EQ(CountsOf(*left), "0: 2 of 20;");
  EXPECT_EQ(CountsOf(*right), "4: 4 of 40;");
}

TEST_P(ContractTest, ASplitDividesTheCounts) {
  const auto parent = Make({.id = 1, .keyspace = 5, .hashes = {0, 99}, .epoch = 4});
  CommitIn(*parent, Counting(0, 101, 1003));
  CommitIn(*parent, Counting(2, 1, 7));
  ASSERT_TRUE(RunBlocking(engine_->SplitPartition(1, 25, 2, 3)).ok());
  EXPECT_EQ(CountsOf(*parent), "0: 101 of 1003;2: 1 of 7;") << "who still has the dead handle is not told of less";
  const auto check = [&] {
    EXPECT_EQ(CountsOf(*OpenAt(2, 4)), "0: 25 of 250;2: 0 of 1;");
    EXPECT_EQ(CountsOf(*OpenAt(3, 4)), "0: 76 of 753;2: 1 of 6;");
    EXPECT_EQ(CountsOf(*OpenAt(1, 4)), "") << "its children have it";
  };
  check();
  Batch own;
  own.Put("\x91", "how far somebody has read");
  CommitIn(*OpenAt(1, 4), own);
  own.Count(0, 1, 1);
  EXPECT_EQ(CommitAndWait(*engine_, own, OpenAt(1, 4).get()).code(), StatusCode::kInvalidArgument);
  if (engine_->capabilities().persistent) {
    ASSERT_TRUE(engine_->Close().ok());
    Open();
    check();
  }
  // The share was an estimate: what is taken away may be more.
  const auto low = OpenAt(2, 4);
  CommitIn(*low, Counting(0, -26, -260));
  EXPECT_EQ(CountsOf(*low), "0: -1 of -10;2: 0 of 1;");
}

TEST_P(ContractTest, CommitManyIsAllOrNothing) {
  if (!engine_->capabilities().multi_partition_atomic) return;
  const auto left = Make({.id = 1, .keyspace = 1, .epoch = 1});
  const auto stale = Make({.id = 2, .keyspace = 2, .epoch = 1});
  const auto right = OpenAt(2, 2);
  Batch batch;
  batch.Put(KeyOf(1), "1");
  auto run = [&](OpenPartition& other, std::vector<Sequence>* numbers) {
    CommitManyOp::Part parts[] = {{left.get(), &batch}, {&other, &batch}};
    CommitManyOp op;
    op.parts = parts;
    engine_->CommitMany(op);
    Await(op.done);
    if (numbers) *numbers = {parts[0].sequence, parts[1].sequence};
    return op.status;
  };
  EXPECT_EQ(run(*stale, nullptr).code(), StatusCode::kFenced);
  EXPECT_EQ(ScanIn(*left, "\x10"), "");
  std::vector<Sequence> numbers;
  EXPECT_TRUE(run(*right, &numbers).ok());
  EXPECT_EQ(numbers, (std::vector<Sequence>{1, 1}));
  EXPECT_EQ(ScanIn(*left, "\x10"), "1;");
  EXPECT_EQ(ScanIn(*right, "\x10"), "1;");
}

TEST_P(ContractTest, SystemPartitionAlwaysExists) {
  auto partitions = RunBlocking(engine_->ListPartitions());
  ASSERT_TRUE(partitions.has_value());
  ASSERT_EQ(partitions->size(), 1u);
  EXPECT_EQ((*partitions)[0].id, kSystemPartition);
  EXPECT_EQ(RunBlocking(engine_->DropPartition(kSystemPartition)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RunBlocking(engine_->SplitPartition(kSystemPartition, 1, 2, 3)).code(), StatusCode::kInvalidArgument);
}

TEST_P(ContractTest, PartitionsAreCreatedOnce) {
  const PartitionInfo info{.id = 1, .keyspace = 2, .hashes = {5, 9}, .epoch = 4};
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition(info)).ok());
  EXPECT_TRUE(RunBlocking(engine_->CreatePartition(info)).ok()) << "the same again is no error";
  PartitionInfo other = info;
  other.epoch = 5;
  EXPECT_EQ(RunBlocking(engine_->CreatePartition(other)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RunBlocking(engine_->CreatePartition({.id = 2, .keyspace = 2, .hashes = {9, 5}})).code(),
            StatusCode::kInvalidArgument);
  const auto partitions = RunBlocking(engine_->ListPartitions());
  ASSERT_EQ(partitions->size(), 2u);
  EXPECT_EQ((*partitions)[1], info);
}

TEST_P(ContractTest, ASplitMovesNothingAndLosesNothing) {
  const auto parent = Make({.id = 1, .keyspace = 5, .epoch = 4});
  const std::string time("\x50\0\0\0\0\0\0\0\7", 9);
  for (const uint64_t hash : {1, 50, 51, 90}) {
    ASSERT_TRUE(PutIn(*parent, KeyOf(hash), "item" + std::to_string(hash)).ok());
    ASSERT_TRUE(PutIn(*parent, KeyOf(hash, "", time), "time" + std::to_string(hash)).ok());
  }
  ASSERT_TRUE(PutIn(*parent, "\x90", "the parent's").ok());
  EXPECT_EQ(RunBlocking(engine_->SplitPartition(1, 0, 2, 3)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RunBlocking(engine_->SplitPartition(1, 51, 1, 3)).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(RunBlocking(engine_->SplitPartition(1, 51, 2, 3)).ok());
  EXPECT_EQ(PutIn(*parent, KeyOf(1), "late").code(), StatusCode::kFenced);

  const auto partitions = RunBlocking(engine_->ListPartitions());
  ASSERT_EQ(partitions->size(), 4u);
  EXPECT_TRUE((*partitions)[1].is_ended);
  EXPECT_EQ((*partitions)[2], (PartitionInfo{.id = 2, .keyspace = 5, .hashes = {0, 50}, .epoch = 4}));
  EXPECT_EQ((*partitions)[3], (PartitionInfo{.id = 3, .keyspace = 5, .hashes = {51, UINT64_MAX}, .epoch = 4}));
  const auto low = OpenAt(2, 4), high = OpenAt(3, 4), ended = OpenAt(1, 4);
  EXPECT_EQ(ScanIn(*low, "\x10"), "item1;item50;");
  EXPECT_EQ(ScanIn(*high, "\x10"), "item51;item90;");
  EXPECT_EQ(ScanIn(*low, "\x50"), "time1;time50;");
  EXPECT_EQ(ScanIn(*high, "\x50"), "time51;time90;");
  EXPECT_EQ(ScanIn(*high, "\x90"), "");
  Batch batch;
  batch.Put(KeyOf(51), "changed");
  EXPECT_EQ(low->newest(), 9u) << "the parent's numbers go on in its children";
  EXPECT_EQ(CommitIn(*high, batch), 10u);
  EXPECT_EQ(low->newest(), 9u) << "in each by itself";

  // What has ended still has what is its own, and nothing else.
  EXPECT_EQ(ScanIn(*ended, "\x90"), "the parent's;");
  EXPECT_EQ(ScanIn(*ended, "\x10"), "invalid argument");
  EXPECT_EQ(PutIn(*ended, KeyOf(1), "late").code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(PutIn(*ended, "\x91", "how far somebody has read").ok());
  EXPECT_EQ(ended->newest(), 9u) << "where its children's numbers begin does not move";
  EXPECT_EQ(RunBlocking(engine_->SplitPartition(1, 51, 8, 9)).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(RunBlocking(engine_->DropPartition(1)).ok());
  EXPECT_EQ(ScanIn(*low, "\x10"), "item1;item50;");
  EXPECT_EQ(ScanIn(*high, "\x10"), "changed;item90;");
}

TEST_P(ContractTest, WhatIsDroppedIsGoneAndNothingElse) {
  const auto one = Make({.id = 1, .keyspace = 1, .epoch = 1});
  const auto two = Make({.id = 2, .keyspace = 2, .epoch = 1});
  const auto last = Make({.id = 3, .keyspace = (uint64_t{1} << 56) - 1, .epoch = 1});
  Put("system", "stays");
  for (const auto& partition : {one, two, last}) {
    ASSERT_TRUE(PutIn(*partition, KeyOf(UINT64_MAX, "\xff\xff"), "item").ok());
    ASSERT_TRUE(PutIn(*partition, "\xff", "own").ok());
  }
  for (const PartitionId id : {2, 3}) ASSERT_TRUE(RunBlocking(engine_->DropPartition(id)).ok());
  EXPECT_FALSE(two->is_alive());
  EXPECT_EQ(PutIn(*two, "\x90", "").code(), StatusCode::kNotFound);
  EXPECT_EQ(ScanIn(*one, "\x10"), "item;");
  EXPECT_EQ(ScanIn(*one, "\xff"), "own;");
  EXPECT_EQ(ScanKeys("", ""), "system=stays;");
  EXPECT_EQ(RunBlocking(engine_->ListPartitions())->size(), 2u);
}

TEST_P(ContractTest, RowsOfHashesGoWithoutThePartition) {
  const auto one = Make({.id = 1, .keyspace = 1, .epoch = 1});
  const auto two = Make({.id = 2, .keyspace = 2, .epoch = 1});
  for (const auto& partition : {one, two}) {
    ASSERT_TRUE(PutIn(*partition, KeyOf(7), "item").ok());
    ASSERT_TRUE(PutIn(*partition, "\x90", "own").ok());
  }
  ASSERT_TRUE(RunBlocking(engine_->DropRowsOfHashes(1)).ok());
  EXPECT_TRUE(one->is_alive());
  EXPECT_EQ(ScanIn(*one, "\x90"), "own;");
  EXPECT_TRUE(PutIn(*one, "\x91", "more").ok());
  EXPECT_EQ(ScanIn(*two, "\x10"), "item;");
  EXPECT_EQ(ScanIn(*two, "\x90"), "own;");
}

TEST_P(ContractTest, ConcurrentWritersLoseNothing) {
  // Each thread counts under keys of its own and one under a latch shared by all, as table/ does it.
  constexpr int kThreads = 4, kRounds = 50;
  Mutex latch;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        CommitOp op;
        Batch batch;
        {
          MutexLock lock(latch);
          const int next = std::stoi(GetOr(*engine_, "shared", "0", {View::kLatest})) + 1;
          batch.Put("shared", std::to_string(next));
          batch.Put(fmt::format("own{}", t), std::to_string(i + 1));
          op.partition = &engine_->system(), op.batch = &batch;
          engine_->Commit(op);
          Await(op.done);
        }
        EXPECT_TRUE(op.status.ok());
        DurableOp durable;
        durable.partition = op.partition, durable.mark = op.mark;
        engine_->WhenDurable(durable);
        Await(durable.done);
        EXPECT_TRUE(durable.status.ok());
        EXPECT_GE(std::stoi(GetOr(*engine_, fmt::format("own{}", t), "0")), i + 1);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(Read("shared"), std::to_string(kThreads * kRounds));
  for (int t = 0; t < kThreads; ++t) EXPECT_EQ(Read(fmt::format("own{}", t)), std::to_string(kRounds));
}

TEST_P(ContractTest, ReadersSeeWholeBatchesThatNeverRunBackwards) {
  std::atomic<bool> is_done{false};
  std::thread reader([&] {
    int newest = 0;
    while (!is_done.load()) {
      ScanOp op;
      op.begin = "p", op.end = "q";
      RunScan(*engine_, op);
      ASSERT_TRUE(op.status.ok());
      if (op.rows.empty()) continue;
      ASSERT_EQ(op.rows.size(), 2u);
      ASSERT_EQ(op.rows[0].value, op.rows[1].value);
      const int seen = std::stoi(std::string(op.rows[0].value));
      ASSERT_GE(seen, newest);
      newest = seen;
    }
  });
  for (int i = 0; i < 200; ++i) {
    Batch batch;
    batch.Put("p1", std::to_string(i));
    batch.Put("p2", std::to_string(i));
    EXPECT_TRUE(CommitAndWait(*engine_, batch).ok());
  }
  is_done = true;
  reader.join();
}

TEST_P(ContractTest, FenceIsACleanCutUnderLoad) {
  const auto old = Make({.id = 1, .keyspace = 1, .epoch = 1});
  std::atomic<int> committed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0;; ++i) {
        Batch batch;
        batch.Put(KeyOf(i, std::to_string(t)), "");
        CommitOp op;
        op.partition = old.get(), op.batch = &batch;
        engine_->Commit(op);
        Await(op.done);
        if (!op.status.ok()) {
          EXPECT_EQ(op.status.code(), StatusCode::kFenced);
          return;
        }
        ++committed;
      }
    });
  }
  while (committed.load() < 20) std::this_thread::yield();
  const auto owner = OpenAt(1, 2);
  const auto count = [&] {
    ScanOp scan;
    scan.partition = owner.get(), scan.begin = "\x10", scan.at.view = View::kLatest;
    return RunScan(*engine_, scan).rows.size();
  };
  const size_t rows = count();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(count(), rows) << "a commit got past the fence";
  EXPECT_EQ(rows, static_cast<size_t>(committed.load()));
  Batch batch;
  EXPECT_EQ(CommitIn(*owner, batch), static_cast<Sequence>(committed.load()) + 1);
}

TEST_P(ContractTest, AgreesWithAModelUnderRandomChanges) {
  std::mt19937 random(20261115);
  std::map<std::string, std::string> model;
  std::vector<std::pair<std::shared_ptr<const Snapshot>, std::map<std::string, std::string>>> snapshots;
  auto key = [&] { return fmt::format("k{:02}", random() % 40); };
  for (int step = 0; step < 400; ++step) {
    Batch batch;
    for (unsigned n = random() % 4; n-- > 0;) {
      const std::string a = key();
      switch (random() % 8) {
        case 0:
        case 1:
        case 2:
          batch.Delete(a);
          model.erase(a);
          break;
        default: batch.Put(a, std::to_string(step)); model[a] = std::to_string(step);
      }
    }
    ASSERT_TRUE(CommitAndWait(*engine_, batch).ok());
    if (random() % 10 == 0 && engine_->capabilities().snapshots) snapshots.emplace_back(engine_->TakeSnapshot(), model);
    if (snapshots.size() > 4) snapshots.erase(snapshots.begin() + static_cast<long>(random() % snapshots.size()));
    auto check = [&](const std::map<std::string, std::string>& expected, ReadAt at) {
      const std::string a = key(), b = key();
      std::string forward, reverse;
      for (auto it = expected.lower_bound(a); a < b && it != expected.lower_bound(b); ++it) {
        const std::string row = fmt::format("{}={};", it->first, it->second);
        forward += row;
        reverse.insert(0, row);
      }
      ASSERT_EQ(ScanKeys(a, b, false, at), forward);
      ASSERT_EQ(ScanKeys(a, b, true, at), reverse);
      auto found = expected.find(a);
      ASSERT_EQ(Read(a, at), found == expected.end() ? "-" : found->second);
    };
    check(model, {});
    for (const auto& [snapshot, image] : snapshots) check(image, {View::kDurable, snapshot.get()});
  }
}

TEST_P(ContractTest, CloseSettlesWhatIsParked) {
  std::vector<std::unique_ptr<DurableOp>> parked;
  for (int i = 0; i < 20; ++i) {
    Batch batch;
    batch.Put("k", std::to_string(i));
    CommitOp op;
    op.partition = &engine_->system(), op.batch = &batch;
    engine_->Commit(op);
    Await(op.done);
    parked.push_back(std::make_unique<DurableOp>());
    parked.back()->partition = op.partition, parked.back()->mark = op.mark;
    engine_->WhenDurable(*parked.back());
  }
  EXPECT_TRUE(engine_->Close().ok());
  for (auto& op : parked) {
    EXPECT_TRUE(op->done.finished());
    EXPECT_TRUE(op->status.ok()) << op->status.ToString();
  }
  Batch batch;
  batch.Put("k", "late");
  EXPECT_EQ(CommitAndWait(*engine_, batch).code(), StatusCode::kUnavailable);
  EXPECT_EQ(RunBlocking(engine_->CreatePartition({.id = 1, .keyspace = 1})).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(engine_->Close().ok()) << "closing twice is harmless";
  engine_.reset();
}

TEST_P(ContractTest, ReopeningFindsEverything) {
  if (!engine_->capabilities().persistent) return;
  const auto parent = Make({.id = 1, .keyspace = 1, .epoch = 1});
  ASSERT_TRUE(PutIn(*parent, KeyOf(70), "item").ok());
  ASSERT_TRUE(RunBlocking(engine_->SplitPartition(1, 50, 2, 3)).ok());
  ASSERT_TRUE(PutIn(*OpenAt(3, 9), KeyOf(90), "later").ok());
  Put("k", "v");
  ASSERT_TRUE(engine_->Close().ok());
  Open();
  EXPECT_EQ(Read("k"), "v");
  EXPECT_EQ(ScanKeys("", ""), "k=v;") << "records of the engine itself are nobody else's business";
  auto partitions = RunBlocking(engine_->ListPartitions());
  ASSERT_EQ(partitions->size(), 4u);
  EXPECT_TRUE((*partitions)[1].is_ended);
  EXPECT_EQ((*partitions)[2].hashes.last, 49u);
  EXPECT_EQ((*partitions)[3].epoch, 9u);
  EXPECT_EQ(RunBlocking(engine_->OpenPartitionAt(3, 8)).error().code(), StatusCode::kFenced);
  EXPECT_EQ(ScanIn(*OpenAt(3, 9), "\x10"), "item;later;");
}

TEST_P(ContractTest, CheckpointIsAStoreOfItsOwn) {
  const std::string copy = directory_.path() + "-copy";
  if (!engine_->capabilities().persistent) {
    EXPECT_EQ(RunBlocking(engine_->Checkpoint(copy)).code(), StatusCode::kInvalidArgument);
    return;
  }
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({.id = 1, .keyspace = 1, .epoch = 1})).ok());
  Put("k", "v");
  ASSERT_TRUE(RunBlocking(engine_->Checkpoint(copy)).ok());
  EXPECT_EQ(RunBlocking(engine_->Checkpoint(copy)).code(), StatusCode::kInvalidArgument);
  Put("k", "changed later");
  {
    Metrics metrics;
    auto other = GetParam().open(copy, metrics);
    EXPECT_EQ(GetOr(*other, "k", "-"), "v");
    EXPECT_EQ(RunBlocking(other->ListPartitions())->size(), 2u);
    EXPECT_TRUE(other->Close().ok());
  }
  std::filesystem::remove_all(copy);
  EXPECT_EQ(Read("k"), "changed later");
}

TEST_P(ContractTest, StatsCountCommits) {
  for (int i = 0; i < 5; ++i) Put("k", std::string(1000, 'x'));
  const EngineStats stats = engine_->stats();
  EXPECT_EQ(stats.commits, 5u);
  EXPECT_GT(stats.memory_bytes, 0u);
  EXPECT_NE(metrics_.RenderPrometheus().find("armature_engine_commits_total 5"), std::string::npos);
}

}  // namespace
}  // namespace armature::storage
