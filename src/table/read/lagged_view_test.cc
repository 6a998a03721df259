#include "table/read/lagged_view.h"

#include <gtest/gtest.h>

#include "storage/memory/memory_engine.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

constexpr int64_t kLag = 1000;

class LaggedViewTest : public testing::Test {
 protected:
  LaggedViewTest() : layer_(*engine_, clock_) {
    EXPECT_TRUE(RunBlocking(layer_.catalog.Load()).ok());
    table_ = layer_.CreateTable("tbl");
  }
  void Put(const std::string& item) {
    EXPECT_EQ(RunBlocking(TestWrite::Put(*table_, item)->Execute(layer_.writes)), "ok");
  }
  std::string Read(const ReadPath& reads, bool is_consistent) { return RunBlocking(ReadTask(reads, is_consistent)); }
  Task<std::string> ReadTask(const ReadPath& reads, bool is_consistent) {
    Arena arena;
    ItemRead read;
    read.table = table_.get();
    read.key = expr::MakeItem(arena, "pk=S:k");
    const ReadView view = reads.ViewFor(is_consistent);
    read.at = view.at;
    const auto done = co_await reads.Get(read);
    EXPECT_TRUE(done.has_value());
    co_return std::string(read.found ? "found" : "(none)");
  }

  Metrics metrics_;
  ManualClock clock_;
  std::unique_ptr<storage::Engine> engine_ = storage::OpenMemoryEngine(metrics_);
  TableLayer layer_;
  std::shared_ptr<Table> table_;
};

TEST_F(LaggedViewTest, StaleReadsSeeAWriteOnceTheLagHasPassed) {
  LaggedView lagged(*engine_, clock_, kLag);
  const ReadPath reads(*engine_, &lagged);
  Put("pk=S:k");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(Read(reads, true), "found");
    EXPECT_EQ(Read(reads, false), "(none)") << i;
    clock_.AdvanceMillis(kLag / 4);
    lagged.Sample();
  }
  // The first sample with the write in it was taken a quarter of the lag after it.
  clock_.AdvanceMillis(kLag / 4 - 1);
  EXPECT_EQ(Read(reads, false), "(none)");
  clock_.AdvanceMillis(1);
  EXPECT_EQ(Read(reads, false), "found");
}

TEST_F(LaggedViewTest, WithoutSamplesTheFirstViewStays) {
  LaggedView lagged(*engine_, clock_, kLag);
  const ReadPath reads(*engine_, &lagged);
  Put("pk=S:k");
  clock_.AdvanceMillis(10 * kLag);
  EXPECT_EQ(Read(reads, false), "(none)");
  lagged.Sample();
  EXPECT_EQ(Read(reads, false), "(none)") << "a sample becomes visible only after the lag";
  clock_.AdvanceMillis(kLag);
  EXPECT_EQ(Read(reads, false), "found");
}

TEST_F(LaggedViewTest, AClockThatIsSetBackDoesNotHoldTheViewStill) {
  LaggedView lagged(*engine_, clock_, kLag);
  const ReadPath reads(*engine_, &lagged);
  clock_.AdvanceMillis(kLag);
  lagged.Sample();
  Put("pk=S:k");
  clock_.AdvanceMillis(-int64_t{3600} * 1000);
  const ReadView before = reads.ViewFor(false);
  for (int i = 0; i < 5; ++i) {
    lagged.Sample();
    clock_.AdvanceMillis(kLag / 4);
  }
  EXPECT_EQ(Read(reads, false), "found");
  lagged.Sample();
  EXPECT_EQ(before.snapshot.use_count(), 1) << "nor are samples kept until the old time comes again";
}

TEST_F(LaggedViewTest, AReadKeepsItsViewWhileOlderOnesAreLetGo) {
  LaggedView lagged(*engine_, clock_, kLag);
  const ReadPath reads(*engine_, &lagged);
  const ReadView view = reads.ViewFor(false);
  Put("pk=S:k");
  for (int i = 0; i < 20; ++i) {
    clock_.AdvanceMillis(kLag / 4);
    lagged.Sample();
  }
  EXPECT_EQ(view.snapshot.use_count(), 1) << "nobody else holds it any more";
  Arena arena;
  ItemRead read;
  read.table = table_.get();
  read.key = expr::MakeItem(arena, "pk=S:k");
  read.at = view.at;
  EXPECT_TRUE(RunBlocking(reads.Get(read)).has_value());
  EXPECT_FALSE(read.found);
}

TEST_F(LaggedViewTest, WithoutALagAllReadsAreCurrent) {
  Put("pk=S:k");
  EXPECT_EQ(Read(layer_.reads, false), "found");
  EXPECT_EQ(layer_.reads.ViewFor(false).snapshot, nullptr);
}

}  // namespace
}  // namespace armature::table
