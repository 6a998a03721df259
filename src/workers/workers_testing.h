// What the tests of workers that change live tables share: a process over an engine that can crash, and its one table.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "table/table_testing.h"

namespace armature::workers {

class WorkerFixture : public testing::Test {
 protected:
  explicit WorkerFixture(int64_t control_plane_delay_millis) : control_plane_delay_(control_plane_delay_millis) {}

  // A process over what the engine has: StartHouse, then the workers.
  virtual void Start() = 0;
  void StartHouse() {
    layer_ = std::make_unique<table::TableLayer>(*engine_, clock_, control_plane_delay_);
    ASSERT_TRUE(RunBlocking(layer_->catalog.Load()).ok());
    metrics_ = std::make_unique<Metrics>();
    table_ = layer_->catalog.Find(table::kScope, "tbl");
  }
  void Crash() {
    engine_->Crash();
    Start();
  }

  // The machine stops while a worker waits for its rows to become durable.
  template <class Worker>
  void CrashDuring(Worker& worker) {
    {
      StepExecutor executor;
      bool has_ended = false;
      const auto step = [&]() -> Task<void> {
        co_await worker.Step();
        has_ended = true;
      };
      engine_->SetAutoSync(false);
      executor.Start(step());
      executor.RunQueued();
      EXPECT_GT(engine_->unsynced_commits(), 0u);
      EXPECT_FALSE(has_ended) << "nothing is recorded of rows that a crash can take";
      engine_->Crash();
      executor.RunUntil([&] { return has_ended; });
    }
    engine_->SetAutoSync(true);
    Start();
  }

  void Put(const std::string& item) {
    EXPECT_EQ(RunBlocking(table::TestWrite::Put(*table_, item)->Execute(layer_->writes)), "ok");
  }

  // How many steps a worker takes until it has nothing left to do.
  template <class Worker>
  static int StepsToEndOf(Worker& worker) {
    int steps = 1;
    while (RunBlocking(worker.Step())) ++steps;
    return steps;
  }

  // Keys and values.
  std::vector<std::pair<std::string, std::string>> Scan(const storage::KeyRange& range,
                                                        const storage::OpenPartition& partition) {
    storage::ScanOp scan;
    scan.partition = &partition;
    scan.begin = range.begin;
    scan.end = range.end;
    scan.at.view = storage::View::kLatest;
    RunBlocking(Await(scan));
    EXPECT_TRUE(scan.status.ok()) << scan.status.ToString();
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& row : scan.rows) rows.emplace_back(row.key, row.value);
    return rows;
  }

  const int64_t control_plane_delay_;
  ManualClock clock_;
  Metrics engine_metrics_;
  std::unique_ptr<storage::FaultyEngine> engine_ = storage::OpenFaultyEngine({}, engine_metrics_);
  std::unique_ptr<Metrics> metrics_;
  std::unique_ptr<table::TableLayer> layer_;
  std::shared_ptr<table::Table> table_;

 private:
  Task<void> Await(storage::ScanOp& scan) {
    engine_->Scan(scan);
    co_await scan.done;
  }
};

// Runs `write` on `writers` threads at once, and `meanwhile` while they are at it.
inline void WriteConcurrently(int writers, const std::function<Task<void>(int writer)>& write,
                              const std::function<void()>& meanwhile) {
  std::vector<std::unique_ptr<ThreadExecutor>> executors;
  for (int writer = 0; writer < writers; ++writer) {
    executors.push_back(std::make_unique<ThreadExecutor>());
    executors.back()->Spawn(write(writer));
  }
  meanwhile();
  for (auto& executor : executors) executor->WaitIdle();
}

}  // namespace armature::workers
