// The rules of engine.h on partitions, run against every engine: handles and epochs, keys, numbers, counts, splits.
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "storage/contract/contract_testing.h"
#include "storage/engine.h"
#include "storage/storage_testing.h"

namespace armature::storage {
namespace {

class PartitionContractTest : public ContractTest {};

INSTANTIATE_TEST_SUITE_P(Engines, PartitionContractTest, ::testing::ValuesIn(EngineKinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(PartitionContractTest, AHandleOfAnOlderEpochIsDead) {
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

TEST_P(PartitionContractTest, UnknownPartitionsAreRefused) {
  EXPECT_EQ(RunBlocking(engine_->OpenPartitionAt(99, 1)).error().code(), StatusCode::kNotFound);
  EXPECT_EQ(RunBlocking(engine_->DropPartition(99)).code(), StatusCode::kNotFound);
  EXPECT_EQ(RunBlocking(engine_->SplitPartition(99, 1, 100, 101)).code(), StatusCode::kNotFound);
}

TEST_P(PartitionContractTest, KeysOfOthersAreRefused) {
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

TEST_P(PartitionContractTest, AScanNeverLeavesItsPartition) {
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

TEST_P(PartitionContractTest, NumbersAreDenseAndOfOnePartition) {
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

TEST_P(PartitionContractTest, WhatAnEngineCannotItRefuses) {
  if (!engine_->capabilities().multi_partition_atomic) {
    CommitManyOp op;
    engine_->CommitMany(op);
    Await(op.done);
    EXPECT_EQ(op.status.code(), StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(engine_->TakeSnapshot() != nullptr, engine_->capabilities().snapshots);
}

TEST_P(PartitionContractTest, CountsAreThoseOfTheCommits) {
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

TEST_P(PartitionContractTest, CommitManyCountsInEachPartition) {
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

TEST_P(PartitionContractTest, ASplitDividesTheCounts) {
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

TEST_P(PartitionContractTest, CommitManyIsAllOrNothing) {
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

TEST_P(PartitionContractTest, SystemPartitionAlwaysExists) {
  auto partitions = RunBlocking(engine_->ListPartitions());
  ASSERT_TRUE(partitions.has_value());
  ASSERT_EQ(partitions->size(), 1u);
  EXPECT_EQ((*partitions)[0].id, kSystemPartition);
  EXPECT_EQ(RunBlocking(engine_->DropPartition(kSystemPartition)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RunBlocking(engine_->SplitPartition(kSystemPartition, 1, 2, 3)).code(), StatusCode::kInvalidArgument);
}

TEST_P(PartitionContractTest, PartitionsAreCreatedOnce) {
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

TEST_P(PartitionContractTest, ASplitMovesNothingAndLosesNothing) {
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

TEST_P(PartitionContractTest, WhatIsDroppedIsGoneAndNothingElse) {
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

TEST_P(PartitionContractTest, RowsOfHashesGoWithoutThePartition) {
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

TEST_P(PartitionContractTest, FenceIsACleanCutUnderLoad) {
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

}  // namespace
}  // namespace armature::storage
