// PortionedJob: what the workers that change live tables in portions have in common.
//
// A table's definition says whether there is work on it; a record in the system partition says how far that has got, so
// that after a crash it goes on where it was. One portion runs at a time, for one table after the other; what fails is
// tried again later. Thread-safe. Driven by a Periodic of server/ and, for a table's first portion, by the catalogue's
// news that its definition has changed, as a part of that change, so that a small table is ready when the reply is out.
// Base of TtlSetup and IndexBackfill, which say what the work is; must not know what their records hold.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/log.h"
#include "storage/delete_rows.h"
#include "storage/engine.h"
#include "storage/engine_calls.h"
#include "table/catalog.h"
#include "table/partition/latches.h"
#include "table/system_records.h"
#include "workers/table_walk.h"

namespace armature::workers {

using Pause = std::optional<std::chrono::milliseconds>;

// `Work`: a TableWalk and what else the worker has to know of its work on one table.
template <class Work>
class PortionedJob : public table::CatalogListener {
 public:
  PortionedJob(const PortionedJob&) = delete;
  PortionedJob& operator=(const PortionedJob&) = delete;

  // Called (from any thread) when there is work for Step. Set before requests are served.
  void OnWork(std::function<void()> wake) { wake_ = std::move(wake); }

  // Finds what a crash or shut-down left to do. REQUIRES: the catalogue is loaded and nobody writes yet.
  Task<Status> Load();

  // Takes up a table whose definition now has work. Does the first portion at once unless StartsLater.
  Task<void> Announce(std::shared_ptr<table::Table> table);
  // Announces it if the change made that work.
  Task<void> OnTableChange(const table::TableChange& change) override;

  // One portion for every table that has work. When to come back; nothing if all is done.
  Task<Pause> Step();

 protected:
  // `task` is what the log calls the work, `records` where the worker keeps its records.
  PortionedJob(storage::Engine& engine, table::Catalog& catalog, std::string_view task, storage::KeyRange records)
      : engine_(engine), catalog_(catalog), task_(task), records_(std::move(records)) {}

  // Whether the change of a definition made work; not so of the changes this worker makes itself.
  virtual bool MakesWork(const model::TableDef& before, const model::TableDef& after) const = 0;
  // The work on a table from its start, if its definition says that there is some.
  virtual std::optional<Work> FindWork(const std::shared_ptr<table::Table>& table) const = 0;
  // A record found by Load: puts the work on where it was, or removes what it no longer needs. kCorruption: it cannot
  // be read; what there is to do is done from the start.
  virtual Task<Status> TakeRecord(std::string_view key, std::string_view record) = 0;
  // One portion. How long to rest then; nothing if the work is done.
  virtual Task<Result<Pause>> Advance(Work& work) = 0;
  virtual bool StartsLater() const { return false; }
  // After every change of works_, under the latch.
  virtual void ShowProgress() const {}

  // Neither waits for the disk: a record that is lost only repeats work. REQUIRES: the rows it speaks of are durable
  // (WalkPortion waits for them).
  Task<Status> StoreRecord(std::string key, std::string record);
  Task<Status> RemoveRecord(std::string key);
  // Durable when the newest commits of the table's partitions are.
  Task<Status> DeleteRows(const table::Table& table, const storage::KeyRange& rows);
  // Durable before it is shown, and so is every row that was committed before it. REQUIRES: `change` outlives the task.
  Task<Status> ChangeDefinition(const table::Table& table, const table::Catalog::Change& change);

  storage::Engine& engine_;
  table::Catalog& catalog_;
  std::map<uint64_t, Work> works_;  // by table id; guarded by latch_

 private:
  static constexpr std::chrono::milliseconds kPauseAfterFailure{1000};

  Task<Pause> AdvanceOrRetry(Work& work);
  // A record's key: two bytes, the table's id, and what the worker likes.
  static uint64_t TableIdOf(std::string_view key) {
    return key.size() < 1 + sizeof(uint64_t) ? 0 : ReadBigEndian<uint64_t>(key.data() + 1);
  }

  const std::string_view task_;
  const storage::KeyRange records_;
  std::function<void()> wake_;
  table::LatchTable latch_{1};  // one portion at a time
};

template <class Work>
Task<Status> PortionedJob<Work>::Load() {
  for (const auto& table : catalog_.AllTables()) {
    if (auto work = FindWork(table)) works_.emplace(table->id(), std::move(*work));
  }
  storage::ScanOp scan;
  if (Status status = co_await table::ReadSystemRecords(engine_, records_, scan); !status.ok()) co_return status;
  for (const auto& row : scan.rows) {
    // It may be that of a table which cannot be read now.
    if (catalog_.has_unreadable() && !works_.contains(TableIdOf(row.key))) continue;
    const Status status = co_await TakeRecord(row.key, row.value);
    if (status.code() == StatusCode::kCorruption)
      LogError("table id {}: {} starts anew: {}", TableIdOf(row.key), task_, status.message());
    else if (!status.ok()) co_return status;
  }
  ShowProgress();
  co_return Status::Ok();
}

template <class Work>
Task<void> PortionedJob<Work>::OnTableChange(const table::TableChange& change) {
  if (change.before && change.after && MakesWork(*change.before, *change.after)) co_await Announce(change.table);
}

template <class Work>
Task<void> PortionedJob<Work>::Announce(std::shared_ptr<table::Table> table) {
  {
    const auto guard = co_await latch_.LockStripe(0);
    auto found = FindWork(table);
    if (!found) co_return;
    const auto work = works_.try_emplace(table->id(), std::move(*found)).first;
    if (!StartsLater()) {
      const Pause pause = co_await AdvanceOrRetry(work->second);
      if (!pause) works_.erase(work);
    }
    ShowProgress();
    if (works_.empty()) co_return;
  }
  if (wake_) wake_();
}

template <class Work>
Task<Pause> PortionedJob<Work>::Step() {
  const auto guard = co_await latch_.LockStripe(0);
  Pause next;
  // Whoever changed a definition may have been given up before he could announce it, for want of memory.
  for (const auto& table : catalog_.AllTables()) {
    if (works_.contains(table->id())) continue;
    if (auto work = FindWork(table)) works_.emplace(table->id(), std::move(*work));
  }
  for (auto it = works_.begin(); it != works_.end();) {
    const Pause pause = co_await AdvanceOrRetry(it->second);
    if (pause) next = std::min(next.value_or(*pause), *pause);
    it = pause ? std::next(it) : works_.erase(it);
  }
  ShowProgress();
  co_return next;
}

template <class Work>
Task<Pause> PortionedJob<Work>::AdvanceOrRetry(Work& work) {
  auto advanced = co_await Advance(work);
  if (advanced) co_return *advanced;
  LogWarn("table {}: {} goes on later: {}", work.table->def()->name, task_, advanced.error().ToString());
  co_return kPauseAfterFailure;
}

template <class Work>
Task<Status> PortionedJob<Work>::StoreRecord(std::string key, std::string record) {
  storage::Batch batch;
  batch.Put(key, record);
  co_return co_await table::WriteSystemRecords(engine_, batch);
}

template <class Work>
Task<Status> PortionedJob<Work>::RemoveRecord(std::string key) {
  storage::Batch batch;
  batch.Delete(key);
  co_return co_await table::WriteSystemRecords(engine_, batch);
}

template <class Work>
Task<Status> PortionedJob<Work>::DeleteRows(const table::Table& table, const storage::KeyRange& rows) {
  const auto partitions = table.partitions().list();
  for (const auto& partition : *partitions) {
    Status status = co_await storage::DeleteRows(engine_, partition->handle(), rows);
    if (status.ok()) continue;
    // It is tried again later, with the partition that is there then.
    if (status.code() == StatusCode::kFenced)
      static_cast<void>(co_await table.partitions().LookAgain(engine_, partition));
    co_return status;
  }
  co_return Status::Ok();
}

template <class Work>
Task<Status> PortionedJob<Work>::ChangeDefinition(const table::Table& table, const table::Catalog::Change& change) {
  const auto def = table.def();
  const table::TableScope scope{def->account, def->region};
  auto changed = co_await catalog_.Update(scope, def->name, change);
  co_return changed ? Status::Ok() : ToStatus(changed.error());
}

}  // namespace armature::workers
