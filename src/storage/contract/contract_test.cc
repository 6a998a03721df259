// The rules of engine.h, run against every engine: reads, commits, durability, snapshots, closing and opening.
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/mutex.h"
#include "storage/contract/contract_testing.h"
#include "storage/engine.h"
#include "storage/storage_testing.h"

namespace armature::storage {
namespace {

INSTANTIATE_TEST_SUITE_P(Engines, ContractTest, ::testing::ValuesIn(EngineKinds()),
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
