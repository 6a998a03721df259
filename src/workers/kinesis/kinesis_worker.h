// KinesisWorker: delivers for every table that has a live Kinesis destination.
//
// Owns a bounded pool of threads and what they share; each table is a task in it, which holds a thread only while it
// reads or sends. Start takes up the destinations the catalogue knows, and the catalogue
// tells, from any thread, of one that is made or changed; Stop ends requests under way and waits. A table's task ends
// when its destination is disabled or failed. Made by server/.
#pragma once

#include <map>
#include <memory>
#include <stop_token>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/tasks/task_pool.h"
#include "table/catalog.h"
#include "table/journal/journal.h"
#include "table/journal/journal_watch.h"
#include "workers/kinesis/kinesis_client.h"
#include "workers/kinesis/kinesis_delivery.h"

namespace armature::workers {

class KinesisWorker final : public table::CatalogListener {
 public:
  KinesisWorker(KinesisOptions options, table::Catalog& catalog, table::Journal& journal, const Clock& clock,
                RandomSource& random, Metrics& metrics);
  ~KinesisWorker() override;

  void Start();  // REQUIRES: catalogue and journal are loaded
  void Stop();
  void Announce(const std::shared_ptr<table::Table>& table);
  // Announces a table whose destinations a client has changed.
  Task<void> OnTableChange(const table::TableChange& change) override;
  // To be called now and then: starts threads that could not be started when they were wanted, and forgets tables that
  // have nothing to deliver any more.
  void Tend();
  // Tables that are delivered for, or were lately.
  size_t runners() const;

 private:
  struct Runner {
    Runner(const KinesisDelivery::Deps& deps, std::shared_ptr<table::Table> of)
        : table(std::move(of)), delivery(deps, table) {}
    const std::shared_ptr<table::Table> table;
    KinesisDelivery delivery;  // the task's own
    bool has_ended = false;    // guarded by mutex_
    TaskPool::Handle task;     // guarded by mutex_
  };
  TaskPool::Next Step(Runner& runner);
  // True if the runner's table has nothing more to deliver to, and the runner is marked accordingly.
  bool EndIfIdle(Runner& runner);
  void Drop(Runner& runner);

  table::Catalog& catalog_;
  KinesisClient client_;
  KinesisMeters meters_;
  const KinesisDelivery::Deps deps_;

  std::stop_source stop_;
  mutable Mutex mutex_;
  bool is_running_ ARMATURE_GUARDED_BY(mutex_) = false;
  std::map<uint64_t, std::unique_ptr<Runner>> runners_ ARMATURE_GUARDED_BY(mutex_);  // by table id
  TaskPool pool_;
  table::JournalWatch watch_;
};

}  // namespace armature::workers
