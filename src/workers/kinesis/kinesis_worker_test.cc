// Deliveries that nobody drives: their tasks come and go with the destinations.
#include "workers/kinesis/kinesis_worker.h"

#include <future>

#include <gmock/gmock.h>

#include "workers/kinesis/kinesis_testing.h"

namespace armature::workers {
namespace {

using testing::ElementsAre;
using KinesisWorkerTest = KinesisDeliveryTest;

TEST_F(KinesisWorkerTest, DeliversWithoutBeingDriven) {
  std::promise<void> delivered;
  kinesis_.on_put = [&] {
    if (kinesis_.received().size() == 3) delivered.set_value();
  };
  KinesisWorker worker({.endpoint = kinesis_.Url(), .access_key_id = {}, .secret_access_key = {}, .session_token = {}},
                       layer_->catalog, *journal_, clock_, random_, *metrics_);
  worker.Announce(table_);  // not started: nothing happens
  MakeActive();
  Put("a", "1");
  worker.Start();
  Put("a", "2");
  Put("a", "3");
  delivered.get_future().wait();
  worker.Stop();
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\"", "\"2\"", "\"3\""));
}

// One of each table that ever had a destination stayed, and with it the table.
TEST_F(KinesisWorkerTest, ForgetsTablesThatHaveNothingToDeliverAndHearsOfThoseThatHave) {
  KinesisWorker worker({.endpoint = kinesis_.Url(), .access_key_id = {}, .secret_access_key = {}, .session_token = {}},
                       layer_->catalog, *journal_, clock_, random_, *metrics_);
  layer_->catalog.AddListener(worker);
  MakeActive();
  worker.Start();
  EXPECT_EQ(worker.runners(), 1u);
  worker.Tend();
  EXPECT_EQ(worker.runners(), 1u);
  SetStatus(KinesisStatus::kDisabling);
  while (worker.runners() > 0) worker.Tend();
  EXPECT_EQ(State(), "DISABLED");
  // And takes them up again.
  Enable(kArn, {});
  EXPECT_EQ(worker.runners(), 1u);
  worker.Stop();
}

}  // namespace
}  // namespace armature::workers
