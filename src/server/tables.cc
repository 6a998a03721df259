#include "server/tables.h"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "base/log.h"
#include "server/failure_log.h"
#include "workers/stats_recount.h"

namespace armature::server {

namespace {

constexpr int kCrashExit = 137;  // as if by SIGKILL

table::JournalOptions JournalOptionsFrom(const ServeOptions& options) {
  table::JournalOptions journal;
  journal.lane_age_millis = options.stream_shard_millis;
  journal.split.writes_per_second = options.stream_split_rate;
  journal.split.seconds = options.stream_split_seconds;
  return journal;
}

table::WriteOptions WriteOptionsFrom(const ServeOptions& options) {
  table::WriteOptions writes;
  writes.conflicts = options.transaction_conflicts;
  if (!options.crash_at.empty()) {
    writes.at_step = [at = options.crash_at](std::string_view step) {
      if (step == at) std::_Exit(kCrashExit);  // nothing is flushed, nobody is told
    };
  }
  return writes;
}

// How long an index may lag behind its table while nobody reads it.
constexpr std::chrono::milliseconds kFollowInterval(10);

}  // namespace

Tables::Tables(const ServeOptions& options, Store& store)
    : options_(options),
      store_(store),
      catalog_(*store.engine, store.clock, options.control_plane_delay_millis),
      journal_(*store.engine, store.clock, catalog_, store.metrics, JournalOptionsFrom(options)),
      writes_(*store.engine, store.clock, WriteOptionsFrom(options)),
      tokens_(*store.engine, store.clock) {}

Status Tables::Load() {
  if (Status status = RunBlocking(catalog_.Load()); !status.ok()) return status;
  if (Status status = RunBlocking(journal_.Load()); !status.ok()) return status;
  if (!store_.engine->capabilities().multi_partition_atomic) FollowIndexes();
  const Result<bool> was_clean = RunBlocking(catalog_.TakeCleanStop());
  // The mark was found, and there was no space to take it away. Nothing has changed since; it goes when there is space.
  must_take_clean_stop_ = !was_clean && was_clean.error().code() == StatusCode::kNoSpace;
  if (!was_clean && !must_take_clean_stop_) return was_clean.error();
  if (was_clean && !*was_clean) StartRecount();
  if (options_.eventual_lag_millis > 0) {
    lagged_view_.emplace(*store_.engine, store_.clock, options_.eventual_lag_millis);
    view_sampling_.emplace(lagged_view_->interval(), [this] { lagged_view_->Sample(); });
  }
  reads_.emplace(*store_.engine, lagged_view_ ? &*lagged_view_ : nullptr);
  return Status::Ok();
}

// After a crash: counts in the background what the stored statistics missed.
void Tables::StartRecount() {
  auto recount = std::make_shared<workers::StatsRecount>(*store_.engine, catalog_);
  if (recount->empty()) return;
  is_counted_ = false;
  try {
    recount_ = std::jthread([this, recount](const std::stop_token& stop) {
      const Status status = recount->Run(stop);
      LogFailure("counting items", status);
      is_counted_ = status.ok() && !stop.stop_requested();
    });
  } catch (const std::system_error& error) {
    LogError("counting items: no thread can be started ({}); the next start counts", error.what());
  }
}

// What a crash has left half done is finished before anybody asks.
void Tables::FollowIndexes() {
  LogFailure("transactions and indexes", RunBlocking(writes_.KeepHouse(catalog_.AllTables())));
  index_following_.emplace(kFollowInterval, [this] {
    for (const auto& table : catalog_.AllTables()) {
      if (table::IndexFollower::Lag(*table) == 0) continue;
      const Status status = RunBlocking(writes_.follower().CatchUp(*table));
      if (status.code() != StatusCode::kNotFound) LogFailure("indexes", status);
    }
  });
  store_.metrics.AddGauge("armature_index_lag_items", "Items whose rows in global indexes are yet to follow", [this] {
    size_t lag = 0;
    for (const auto& table : catalog_.AllTables()) lag += table::IndexFollower::Lag(*table);
    return static_cast<double>(lag);
  });
}

void Tables::Start() {
  if (index_following_) index_following_->Start();
  if (view_sampling_) view_sampling_->Start();
}

void Tables::KeepHouse() {
  if (must_take_clean_stop_) must_take_clean_stop_ = !RunBlocking(catalog_.TakeCleanStop()).has_value();
  LogFailure("table transitions", RunBlocking(catalog_.RunDueTransitions()));
  LogFailure("table statistics", RunBlocking(catalog_.PersistStats()));
  LogFailure("journal", RunBlocking(journal_.KeepHouse()));
  LogFailure("client tokens", RunBlocking(tokens_.RemoveExpired()));
  LogFailure("transactions and indexes", RunBlocking(writes_.KeepHouse(catalog_.AllTables())));
}

void Tables::Stop() {
  if (index_following_) index_following_->Stop();
  if (view_sampling_) view_sampling_->Stop();
  if (lagged_view_) lagged_view_->Release();
  recount_ = {};
  LogFailure("journal", RunBlocking(journal_.StoreTotals()));
  LogFailure("table statistics", RunBlocking(is_counted_.load() ? catalog_.MarkCleanStop() : catalog_.PersistStats()));
}

}  // namespace armature::server
