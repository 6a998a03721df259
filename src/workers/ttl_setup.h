// TtlSetup: turns Time to Live on and off for live tables.
//
// From the moment UpdateTimeToLive has stored ENABLING every write keeps expiry rows. What is left to do is making
// those of the items that were there before, in portions, each item under its own latch; then TTL is ENABLED. DISABLING
// writes keep none any more: the rows go in one range, then TTL is DISABLED. The definition says what is to be done and
// a record in the system partition how far it has got, so after a crash it goes on where it was. Thread-safe; portions
// exclude each other. Driven by a Periodic of server/ and, for the first portion, by UpdateTimeToLive itself, so that a
// small table is ready when the reply is out.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "storage/engine.h"
#include "table/catalog.h"
#include "table/latches.h"
#include "table/write_path.h"

namespace armature::workers {

class TtlSetup {
 public:
  // How many items are looked at in one go: the first portion is part of the reply, later ones are for readers not to
  // feel.
  struct Portions {
    size_t first = 500;
    size_t later = 50;
  };

  TtlSetup(storage::Engine& engine, const Clock& clock, table::Catalog& catalog, table::WritePath& writes,
           Metrics& metrics);
  TtlSetup(storage::Engine& engine, const Clock& clock, table::Catalog& catalog, table::WritePath& writes,
           Metrics& metrics, Portions portions);

  // Called (from any thread) when there is work for Step. Set before requests are served.
  void OnWork(std::function<void()> wake) { wake_ = std::move(wake); }

  // Finds what a crash or shut-down left to do. REQUIRES: the catalogue is loaded and nobody writes yet.
  Task<Status> Load();

  // To be told of every table that became ENABLING or DISABLING. Does the first portion at once.
  Task<void> Announce(std::shared_ptr<table::Table> table);

  // One portion for every table that has work. When to come back; nothing if all is done.
  Task<std::optional<std::chrono::milliseconds>> Step();

 private:
  struct Work {
    std::shared_ptr<table::Table> table;
    model::TtlStatus status = model::TtlStatus::kDisabled;  // what this is the work of
    bool has_begun = false;                                 // no write under the older definition runs any more
    bool is_done = false;                                   // only the state is left to change
    std::string cursor;                                     // items before this key have their rows
  };
  using Pause = std::optional<std::chrono::milliseconds>;

  Task<Pause> AdvanceOrRetry(Work& work);
  Task<Result<Pause>> Advance(Work& work);
  Task<Status> Enable(Work& work);
  Task<Status> Disable(Work& work);
  Task<Status> ChangeStatus(const Work& work, model::TtlStatus status);
  Task<Status> Record(const Work& work);
  Task<Status> Forget(uint64_t table_id);
  Task<Status> Commit(storage::PartitionId partition, storage::Epoch epoch, const storage::Batch& batch);

  storage::Engine& engine_;
  const Clock& clock_;
  table::Catalog& catalog_;
  table::WritePath& writes_;
  const Portions portions_;
  Counter& items_read_;
  std::function<void()> wake_;

  table::LatchTable latch_{1};      // one portion at a time
  std::map<uint64_t, Work> works_;  // by table id; guarded by latch_
};

}  // namespace armature::workers
