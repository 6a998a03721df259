// KinesisWorker: one delivering thread for every table that has a live Kinesis destination; none if no table has.
//
// Owns the threads and what they share. Start takes up the destinations the catalogue knows; Announce, callable from
// any thread, tells of one that was made or changed; Stop ends requests under way and waits. A table's thread ends when
// its destination is disabled or failed. Made by server/, told by api/kinesis.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/random.h"
#include "table/catalog.h"
#include "table/journal/journal.h"
#include "workers/kinesis_client.h"
#include "workers/kinesis_delivery.h"

namespace armature::workers {

class KinesisWorker {
 public:
  KinesisWorker(KinesisOptions options, table::Catalog& catalog, table::Journal& journal, const Clock& clock,
                RandomSource& random, Metrics& metrics);
  ~KinesisWorker();

  void Start();  // REQUIRES: catalogue and journal are loaded
  void Stop();
  void Announce(const std::shared_ptr<table::Table>& table);

 private:
  struct Runner {
    std::shared_ptr<table::Table> table;
    bool has_ended = false;  // guarded by mutex_
    uint64_t news = 0;       // how often it was told of changes; guarded by mutex_
    std::jthread thread;
  };
  void Run(Runner& runner, const std::stop_token& stop);
  // True if the runner's table has nothing more to deliver to, and the runner is marked accordingly.
  bool EndIfIdle(Runner& runner);
  void Rest(Runner& runner, uint64_t news, std::chrono::milliseconds pause, const std::stop_token& stop);

  table::Catalog& catalog_;
  table::Journal& journal_;
  KinesisClient client_;
  KinesisMeters meters_;
  const KinesisDelivery::House house_;

  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool is_running_ = false;                              // guarded by mutex_
  std::map<uint64_t, std::unique_ptr<Runner>> runners_;  // by table id; guarded by mutex_
};

}  // namespace armature::workers
