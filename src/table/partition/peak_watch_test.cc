#include "table/partition/peak_watch.h"

#include <memory>

#include <gtest/gtest.h>

#include "base/metrics.h"
#include "storage/storage_testing.h"
#include "storage/testing/test_engine.h"

namespace armature::table {
namespace {

class PeakWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(RunBlocking(engine_->CreatePartition({.id = 1, .keyspace = 5})).ok());
    partitions_ = std::make_unique<PartitionSet>(
        PartitionSet::List{std::make_shared<Partition>(*RunBlocking(engine_->OpenPartitionAt(1, 0)))});
  }
  // So many seconds with so many units each.
  uint32_t Pass(int seconds, double reads, double writes) {
    uint32_t wanted = 0;
    for (int second = 0; second < seconds; ++second) {
      const Partition& partition = *partitions_->list()->front();
      partition.meter().AddRead(reads);
      partition.meter().AddWrite(writes);
      wanted = watch_.Wanted(*partitions_, now_ += 1000);
    }
    return wanted;
  }

  Metrics metrics_;
  std::unique_ptr<storage::Engine> engine_ = storage::MakeTestEngine(metrics_);
  std::unique_ptr<PartitionSet> partitions_;
  PeakWatch watch_;
  int64_t now_ = 1'700'000'000'000;
};

TEST_F(PeakWatchTest, TwiceTheBusiestMinuteIsServed) {
  EXPECT_EQ(Pass(1, 1'000'000, 1'000'000), 1u) << "in how long is not known";
  EXPECT_EQ(Pass(60, 100, 400), 1u);
  EXPECT_EQ(Pass(59, 100, 3500), 1u) << "the minute is not over";
  EXPECT_EQ(Pass(1, 100, 3500), 8u);
  EXPECT_EQ(Pass(60, 100, 10), 8u) << "it is remembered";
  EXPECT_EQ(Pass(60, 20'000, 0), 16u);
  EXPECT_EQ(Pass(60, 1e9, 0), 512u);
}

TEST_F(PeakWatchTest, AShortBurstIsNoPeak) {
  Pass(1, 0, 0);
  Pass(10, 0, 3000);
  EXPECT_EQ(Pass(50, 0, 0), 1u) << "500 a second";
}

TEST_F(PeakWatchTest, PartitionsThatWereSplitGoOnTogether) {
  Pass(1, 0, 0);
  Pass(30, 0, 4000);
  ASSERT_TRUE(RunBlocking(partitions_->Split(*engine_, 1, uint64_t{1} << 63, 2, 3)).ok());
  EXPECT_EQ(Pass(30, 0, 4000), 8u);
}

}  // namespace
}  // namespace armature::table
