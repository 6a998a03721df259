#include "table/partition/split_chooser.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/metrics.h"
#include "storage/engine_calls.h"
#include "storage/storage_testing.h"
#include "storage/testing/test_engine.h"

namespace armature::table {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kHalf = uint64_t{1} << 63;
constexpr storage::KeyspaceId kKeyspace = 5;

// A table of three partitions: 2 with half of the hashes, 4 and 5 with a quarter each.
class SplitChooserTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(RunBlocking(engine_->CreatePartition({.id = 1, .keyspace = kKeyspace})).ok());
    ASSERT_TRUE(RunBlocking(engine_->SplitPartition(1, kHalf, 2, 3)).ok());
    ASSERT_TRUE(RunBlocking(engine_->SplitPartition(3, kHalf + kHalf / 2, 4, 5)).ok());
    PartitionSet::List list;
    for (const storage::PartitionId id : {2, 4, 5})
      list.push_back(std::make_shared<Partition>(*RunBlocking(engine_->OpenPartitionAt(id, 0))));
    partitions_ = std::make_unique<PartitionSet>(list);
  }
  // By so many bytes, once, whatever the engine makes of the commit.
  void Grow(size_t partition, int64_t bytes) {
    storage::Batch batch;
    batch.Count(0, 1, bytes);
    for (Status status = Status::Busy(""); !status.ok();) {
      const auto grown = (*partitions_->list())[partition];
      storage::Sequence attempted = 0;
      status = RunBlocking(Commit(*grown, batch, attempted));
      if (status.ok() || status.code() == StatusCode::kBusy) continue;
      ASSERT_TRUE(IsOfDead(status)) << status.ToString();
      ASSERT_TRUE(RunBlocking(partitions_->LookAgain(*engine_, grown)).ok());
      if (grown->WasDone(attempted)) return;
    }
  }
  Task<Status> Commit(Partition& partition, const storage::Batch& batch, storage::Sequence& attempted) {
    const auto committed = co_await storage::CommitBatch(*engine_, partition.handle(), batch, &attempted);
    if (!committed) co_return committed.error();
    co_return co_await storage::AwaitDurable(*engine_, partition.handle(), committed->mark);
  }
  // One second, with so many writes to each of them.
  std::vector<storage::PartitionId> Second(int to_2, int to_4, int to_5) {
    const auto list = partitions_->list();
    for (int i = 0; i < to_2; ++i) (*list)[0]->CountWrite();
    for (int i = 0; i < to_4; ++i) (*list)[1]->CountWrite();
    for (int i = 0; i < to_5; ++i) (*list)[2]->CountWrite();
    return chooser_.Choose(kKeyspace, *partitions_, now_ += 1000);
  }

  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_ = storage::MakeTestEngine(metrics_);
  std::unique_ptr<PartitionSet> partitions_;
  SplitChooser chooser_{{.writes_per_second = 10, .seconds = 3, .most_for_heat = 4, .bytes = 1000}};
  int64_t now_ = 1'700'000'000'000;
};

TEST_F(SplitChooserTest, ThoseThatStayBusyAreChosen) {
  Second(50, 50, 50);  // in how long is not known
  EXPECT_THAT(Second(10, 9, 50), IsEmpty());
  EXPECT_THAT(Second(10, 10, 10), IsEmpty());
  EXPECT_THAT(Second(10, 10, 10), ElementsAre(2)) << "and 5, but for the limit; 4 is not busy for as long";
  EXPECT_THAT(Second(0, 10, 0), ElementsAre(4));
  EXPECT_THAT(Second(10, 9, 10), IsEmpty());
  now_ += 9000;  // as many writes in ten seconds are few
  EXPECT_THAT(Second(0, 10, 0), IsEmpty());
}

TEST_F(SplitChooserTest, TheLargeAreChosen) {
  Grow(0, 1000);
  Grow(1, -1);  // as a child of an estimate may be
  EXPECT_THAT(chooser_.Choose(kKeyspace, *partitions_, now_), IsEmpty());
  Grow(0, 1);
  EXPECT_THAT(chooser_.Choose(kKeyspace, *partitions_, now_), ElementsAre(2));
  Grow(1, 2000);
  Grow(2, 2000);
  EXPECT_THAT(chooser_.Choose(kKeyspace, *partitions_, now_), ElementsAre(2, 4, 5))
      << "not limited as those for heat are";
}

TEST_F(SplitChooserTest, TheWidestAreChosenUntilThereAreEnoughForTheThroughput) {
  ManualClock clock;
  RunningClock running(clock);
  const auto provision = [&](int64_t writes) {
    partitions_->throttle().Configure({&running, /*has_partition_limits=*/true},
                                      {model::BillingMode::kProvisioned, {.read_units = 1, .write_units = writes}});
    return chooser_.Choose(kKeyspace, *partitions_, now_);
  };
  EXPECT_THAT(provision(1500), IsEmpty()) << "none has more than half of the hashes";
  EXPECT_THAT(provision(2500), ElementsAre(2));
  EXPECT_THAT(provision(5000), ElementsAre(2, 4, 5));
  EXPECT_THAT(provision(1), IsEmpty());
}

TEST_F(SplitChooserTest, WhatIsNotAskedForIsForgotten) {
  for (int i = 0; i < 3; ++i) EXPECT_THAT(Second(50, 0, 0), IsEmpty());
  chooser_.ForgetOthers(now_ + 1);
  EXPECT_THAT(Second(50, 0, 0), IsEmpty());
}

}  // namespace
}  // namespace armature::table
