#include "table/partition/meter.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/testing/test_engine.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

TEST(MeterTest, HalvesAddUpExactlyAndEachKindByItself) {
  Meter meter;
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i)
    readers.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) meter.AddRead(0.5);
    });
  for (auto& reader : readers) reader.join();
  meter.AddWrite(400);
  meter.AddBackgroundWrite(3);
  EXPECT_EQ(meter.read_units(), 2000);
  EXPECT_EQ(meter.write_units(), 400);
  EXPECT_EQ(meter.background_write_units(), 3);
}

class MeterOfPartitionTest : public testing::Test {
 protected:
  std::shared_ptr<Partition> Whole() { return table_->partitions().Find(0); }
  void Put() { ASSERT_EQ(RunBlocking(TestWrite::Put(*table_, "pk=S:k")->Execute(layer_.writes)), "ok"); }

  Metrics metrics_;
  ManualClock clock_;
  std::unique_ptr<storage::Engine> engine_ = storage::MakeTestEngine(metrics_);
  TableLayer layer_{*engine_, clock_};
  std::shared_ptr<Table> table_ = layer_.CreateTable("tbl");
};

TEST_F(MeterOfPartitionTest, GoesOnWhenThePartitionIsOpenedAgain) {
  Put();
  const auto before = Whole();
  ASSERT_TRUE(RunBlocking(engine_->OpenPartitionAt(before->id(), before->epoch() + 1)));
  Put();
  ASSERT_NE(Whole(), before);
  EXPECT_EQ(Whole()->meter().write_units(), 2);
  EXPECT_EQ(&Whole()->meter(), &before->meter()) << "who still counts in the dead one is counted";
}

TEST_F(MeterOfPartitionTest, ChildrenBeginAtNothingAndTheirParentKeepsIts) {
  Put();
  const storage::PartitionId parent = Whole()->id();
  ASSERT_TRUE(RunBlocking(table_->partitions().Split(*engine_, parent, uint64_t{1} << 63, 100, 101)).ok());
  Put();
  double of_children = 0;
  for (const auto& child : *table_->partitions().list()) of_children += child->meter().write_units();
  EXPECT_EQ(of_children, 1);
  EXPECT_EQ(table_->partitions().FindById(parent)->meter().write_units(), 1);
}

}  // namespace
}  // namespace armature::table
