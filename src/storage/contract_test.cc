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
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/mutex.h"
#include "storage/engine.h"
#include "storage/faulty/faulty_engine.h"
#include "storage/memory/memory_engine.h"
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
  op.keys = keys;
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
  batch.DeleteRange("x", "y");
  batch.Put("x2", "new");
  batch.Put("k", "1");
  batch.Delete("k");
  batch.DeleteRange("z", "a");  // empty: nothing
  ASSERT_TRUE(CommitAndWait(*engine_, batch).ok());
  EXPECT_EQ(ScanKeys("", ""), "x2=new;");
}

TEST_P(ContractTest, EmptyBatchCommits) {
  EXPECT_TRUE(CommitAndWait(*engine_, Batch()).ok());
  EXPECT_EQ(ScanKeys("", ""), "");
}

TEST_P(ContractTest, SequencesRiseAndDurabilityFollows) {
  Sequence last = 0;
  for (int i = 0; i < 10; ++i) {
    Batch batch;
    batch.Put("k", std::to_string(i));
    CommitOp op;
    op.batch = &batch;
    engine_->Commit(op);
    Await(op.done);
    ASSERT_TRUE(op.status.ok());
    EXPECT_GT(op.sequence, last);
    last = op.sequence;
    DurableOp durable;
    durable.sequence = op.sequence;
    engine_->WhenDurable(durable);
    Await(durable.done);
    EXPECT_TRUE(durable.status.ok());
    EXPECT_GE(engine_->DurableUpTo(), last);
    EXPECT_EQ(Read("k"), std::to_string(i)) << "acknowledged means visible";
  }
  DurableOp past;
  past.sequence = 1;
  engine_->WhenDurable(past);
  Await(past.done);
  EXPECT_TRUE(past.status.ok());
}

TEST_P(ContractTest, SnapshotStaysAsItWas) {
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
  batch.DeleteRange("a", "z");
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

TEST_P(ContractTest, StaleEpochIsFenced) {
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({7, 3, {"a", "z"}})).ok());
  Batch batch;
  batch.Put("k", "old owner");
  EXPECT_EQ(CommitAndWait(*engine_, batch, 7, 2).code(), StatusCode::kFenced);
  EXPECT_TRUE(CommitAndWait(*engine_, batch, 7, 3).ok());
  ASSERT_TRUE(RunBlocking(engine_->FencePartition(7, 5)).ok());
  batch.Clear();
  batch.Put("k", "stale");
  EXPECT_EQ(CommitAndWait(*engine_, batch, 7, 4).code(), StatusCode::kFenced);
  EXPECT_EQ(Read("k", {View::kLatest}), "old owner");
  EXPECT_TRUE(CommitAndWait(*engine_, batch, 7, 5).ok());
  EXPECT_EQ(RunBlocking(engine_->FencePartition(7, 4)).code(), StatusCode::kFenced);
}

TEST_P(ContractTest, UnknownPartitionsAreRefused) {
  Batch batch;
  batch.Put("k", "v");
  EXPECT_EQ(CommitAndWait(*engine_, batch, 99, 0).code(), StatusCode::kNotFound);
  EXPECT_EQ(RunBlocking(engine_->DropPartition(99)).code(), StatusCode::kNotFound);
  EXPECT_EQ(RunBlocking(engine_->SplitPartition(99, "m", 100)).code(), StatusCode::kNotFound);
  EXPECT_EQ(RunBlocking(engine_->FencePartition(99, 1)).code(), StatusCode::kNotFound);
  EXPECT_EQ(Read("k", {View::kLatest}), "-");
}

TEST_P(ContractTest, CommitManyIsAllOrNothing) {
  if (!engine_->capabilities().multi_partition_atomic) return;
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({1, 1, {"a", "m"}})).ok());
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({2, 1, {"m", "z"}})).ok());
  Batch left, right;
  left.Put("a", "1");
  right.Put("m", "1");
  const CommitManyOp::Part good[] = {{1, 1, &left}, {2, 1, &right}};
  const CommitManyOp::Part bad[] = {{1, 1, &left}, {2, 0, &right}};
  auto run = [&](std::span<const CommitManyOp::Part> parts) {
    CommitManyOp op;
    op.parts = parts;
    engine_->CommitMany(op);
    Await(op.done);
    return op.status;
  };
  EXPECT_EQ(run(bad).code(), StatusCode::kFenced);
  EXPECT_EQ(ScanKeys("", "", false, {View::kLatest}), "");
  EXPECT_TRUE(run(good).ok());
  EXPECT_EQ(ScanKeys("", "", false, {View::kLatest}), "a=1;m=1;");
}

TEST_P(ContractTest, SystemPartitionAlwaysExists) {
  auto partitions = RunBlocking(engine_->ListPartitions());
  ASSERT_TRUE(partitions.has_value());
  ASSERT_EQ(partitions->size(), 1u);
  EXPECT_EQ((*partitions)[0].id, kSystemPartition);
  EXPECT_EQ((*partitions)[0].epoch, 0u);
  EXPECT_EQ(RunBlocking(engine_->DropPartition(kSystemPartition)).code(), StatusCode::kInvalidArgument);
}

TEST_P(ContractTest, PartitionsAreCreatedSplitAndDropped) {
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({1, 4, {"b", "t"}})).ok());
  EXPECT_TRUE(RunBlocking(engine_->CreatePartition({1, 4, {"b", "t"}})).ok()) << "the same again is no error";
  EXPECT_EQ(RunBlocking(engine_->CreatePartition({1, 5, {"b", "t"}})).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RunBlocking(engine_->CreatePartition({2, 0, {"x", "x"}})).code(), StatusCode::kInvalidArgument);
  for (std::string_view key : {"a", "b", "f", "m", "s", "t"}) Put(key, "");

  EXPECT_EQ(RunBlocking(engine_->SplitPartition(1, "b", 2)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RunBlocking(engine_->SplitPartition(1, "t", 2)).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(RunBlocking(engine_->SplitPartition(1, "m", 2)).ok());
  auto partitions = RunBlocking(engine_->ListPartitions());
  ASSERT_EQ(partitions->size(), 3u);
  EXPECT_EQ((*partitions)[1].range.end, "m");
  EXPECT_EQ((*partitions)[2].range.begin, "m");
  EXPECT_EQ((*partitions)[2].range.end, "t");
  EXPECT_EQ((*partitions)[2].epoch, 4u);

  ASSERT_TRUE(RunBlocking(engine_->DropPartition(2)).ok());
  EXPECT_EQ(ScanKeys("", ""), "a=;b=;f=;t=;");
  ASSERT_TRUE(RunBlocking(engine_->DropPartition(1)).ok());
  EXPECT_EQ(ScanKeys("", ""), "a=;t=;");
  EXPECT_EQ(RunBlocking(engine_->ListPartitions())->size(), 1u);
}

TEST_P(ContractTest, DropReachesTheVeryEnd) {
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({1, 0, {"b", ""}})).ok());
  for (std::string_view key : {"a", "b", "\xff\xff\xff"}) Put(key, "");
  ASSERT_TRUE(RunBlocking(engine_->DropPartition(1)).ok());
  EXPECT_EQ(ScanKeys("", ""), "a=;");
}

TEST_P(ContractTest, DropDoesNotDisturbAnOlderSnapshot) {
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({1, 0, {"a", "z"}})).ok());
  Put("k", "kept");
  auto snapshot = engine_->TakeSnapshot();
  ASSERT_TRUE(RunBlocking(engine_->DropPartition(1)).ok());
  EXPECT_EQ(Read("k"), "-");
  EXPECT_EQ(Read("k", {View::kDurable, snapshot.get()}), "kept");
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
          op.batch = &batch;
          engine_->Commit(op);
          Await(op.done);
        }
        EXPECT_TRUE(op.status.ok());
        DurableOp durable;
        durable.sequence = op.sequence;
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
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({1, 1, {"a", "z"}})).ok());
  std::atomic<int> committed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0;; ++i) {
        Batch batch;
        batch.Put(fmt::format("k{}/{:06}", t, i), "");
        CommitOp op;
        op.partition = 1, op.epoch = 1, op.batch = &batch;
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
  ASSERT_TRUE(RunBlocking(engine_->FencePartition(1, 2)).ok());
  ScanOp before;
  before.at.view = View::kLatest;
  const size_t rows = RunScan(*engine_, before).rows.size();
  for (auto& thread : threads) thread.join();
  ScanOp after;
  after.at.view = View::kLatest;
  EXPECT_EQ(RunScan(*engine_, after).rows.size(), rows) << "a commit got past the fence";
  EXPECT_EQ(rows, static_cast<size_t>(committed.load()));
}

TEST_P(ContractTest, AgreesWithAModelUnderRandomChanges) {
  std::mt19937 random(20261115);
  std::map<std::string, std::string> model;
  std::vector<std::pair<std::shared_ptr<const Snapshot>, std::map<std::string, std::string>>> snapshots;
  auto key = [&] { return fmt::format("k{:02}", random() % 40); };
  for (int step = 0; step < 400; ++step) {
    Batch batch;
    for (unsigned n = random() % 4; n-- > 0;) {
      const std::string a = key(), b = key();
      switch (random() % 8) {
        case 0:
          batch.DeleteRange(a, b);
          if (a < b) model.erase(model.lower_bound(a), model.lower_bound(b));
          break;
        case 1:
        case 2:
          batch.Delete(a);
          model.erase(a);
          break;
        default: batch.Put(a, std::to_string(step)); model[a] = std::to_string(step);
      }
    }
    ASSERT_TRUE(CommitAndWait(*engine_, batch).ok());
    if (random() % 10 == 0) snapshots.emplace_back(engine_->TakeSnapshot(), model);
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
    op.batch = &batch;
    engine_->Commit(op);
    Await(op.done);
    parked.push_back(std::make_unique<DurableOp>());
    parked.back()->sequence = op.sequence;
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
  EXPECT_EQ(RunBlocking(engine_->CreatePartition({1, 0, {"a", "b"}})).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(engine_->Close().ok()) << "closing twice is harmless";
  engine_.reset();
}

TEST_P(ContractTest, ReopeningFindsEverything) {
  if (!engine_->capabilities().persistent) return;
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({1, 1, {"a", "z"}})).ok());
  ASSERT_TRUE(RunBlocking(engine_->SplitPartition(1, "m", 2)).ok());
  ASSERT_TRUE(RunBlocking(engine_->FencePartition(2, 9)).ok());
  Put("k", "v");
  ASSERT_TRUE(engine_->Close().ok());
  Open();
  EXPECT_EQ(Read("k"), "v");
  EXPECT_EQ(ScanKeys("", ""), "k=v;") << "records of the engine itself are nobody else's business";
  auto partitions = RunBlocking(engine_->ListPartitions());
  ASSERT_EQ(partitions->size(), 3u);
  EXPECT_EQ((*partitions)[1].range.end, "m");
  EXPECT_EQ((*partitions)[2].epoch, 9u);
  Batch batch;
  batch.Put("n", "stale");
  EXPECT_EQ(CommitAndWait(*engine_, batch, 2, 8).code(), StatusCode::kFenced);
}

TEST_P(ContractTest, CheckpointIsAStoreOfItsOwn) {
  const std::string copy = directory_.path() + "-copy";
  if (!engine_->capabilities().persistent) {
    EXPECT_EQ(RunBlocking(engine_->Checkpoint(copy)).code(), StatusCode::kInvalidArgument);
    return;
  }
  ASSERT_TRUE(RunBlocking(engine_->CreatePartition({1, 1, {"a", "z"}})).ok());
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
