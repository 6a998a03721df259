#include "storage/delete_rows.h"

#include <memory>
#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/metrics.h"
#include "storage/faulty/faulty_engine.h"
#include "storage/storage_testing.h"

namespace armature::storage {
namespace {

class DeleteRowsTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_TRUE(engine_->Close().ok()); }

  void Put(int rows) {
    Batch batch;
    for (int i = 0; i < rows; ++i) batch.Put(fmt::format("row{:05}", i), "value");
    for (const char* key : {"ro", "row", "rox"}) batch.Put(key, "stays");
    ASSERT_TRUE(CommitAndWait(*engine_, batch).ok());
  }
  size_t Count() {
    ScanOp scan;
    scan.at.view = View::kLatest;
    return RunScan(*engine_, scan).rows.size();
  }
  Status Delete() { return RunBlocking(DeleteRows(*engine_, engine_->system(), {"row0", "rox"})); }

  Metrics metrics_;
  std::unique_ptr<FaultyEngine> engine_ = OpenFaultyEngine({.is_auto_sync = true}, metrics_);
};

TEST_F(DeleteRowsTest, MoreThanOnePortionGoesAndNothingBesides) {
  for (const int rows : {0, 1, 1000, 1001, 3500}) {
    SCOPED_TRACE(rows);
    Put(rows);
    ASSERT_EQ(Count(), static_cast<size_t>(rows) + 3);
    ASSERT_TRUE(Delete().ok());
    EXPECT_EQ(Count(), 3u);
  }
}

TEST_F(DeleteRowsTest, WhatFailsIsToldAndIsDoneByTheNextTry) {
  Put(3500);
  engine_->FailNext(FaultyEngine::Point::kCommit, 1, Status::IoError("the disk is gone"));
  EXPECT_EQ(Delete().code(), StatusCode::kIoError);
  ASSERT_TRUE(Delete().ok());
  EXPECT_EQ(Count(), 3u);
}

}  // namespace
}  // namespace armature::storage
