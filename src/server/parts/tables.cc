#include "server/parts/tables.h"

#include <chrono>
#include <cstdlib>

#include "server/process/failure_log.h"

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

table::ThrottleRules ThrottleRulesFrom(const ServeOptions& options, const table::RunningClock& clock) {
  return {options.throttles ? &clock : nullptr, options.has_partition_limits};
}

// How long an index may lag behind its table while nobody reads it.
constexpr std::chrono::milliseconds kFollowInterval(10);

}  // namespace

Tables::Tables(const ServeOptions& options, Store& store)
    : options_(options),
      store_(store),
      throttle_clock_(store.clock),
      catalog_(*store.engine, store.clock, options.control_plane_delay_millis,
               ThrottleRulesFrom(options, throttle_clock_)),
      journal_(*store.engine, store.clock, catalog_, store.metrics, JournalOptionsFrom(options)),
      writes_(*store.engine, store.clock, WriteOptionsFrom(options)),
      tokens_(*store.engine, store.clock) {}

Status Tables::Load() {
  if (Status status = RunBlocking(catalog_.Load()); !status.ok()) return status;
  if (Status status = RunBlocking(journal_.Load()); !status.ok()) return status;
  if (!store_.engine->capabilities().multi_partition_atomic) FollowIndexes();
  if (options_.eventual_lag_millis > 0) {
    if (!store_.engine->capabilities().snapshots)
      return Status::InvalidArgument("--eventual-lag needs an engine that has snapshots");
    lagged_view_.emplace(*store_.engine, store_.clock, options_.eventual_lag_millis);
    view_sampling_.emplace(lagged_view_->interval(), [this] { lagged_view_->Sample(); });
  }
  reads_.emplace(*store_.engine, lagged_view_ ? &*lagged_view_ : nullptr);
  return Status::Ok();
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
  LogFailure("table transitions", RunBlocking(catalog_.RunDueTransitions()));
  LogFailure("journal", RunBlocking(journal_.KeepHouse()));
  LogFailure("client tokens", RunBlocking(tokens_.RemoveExpired()));
  LogFailure("transactions and indexes", RunBlocking(writes_.KeepHouse(catalog_.AllTables())));
}

void Tables::Stop() {
  if (index_following_) index_following_->Stop();
  if (view_sampling_) view_sampling_->Stop();
  if (lagged_view_) lagged_view_->Release();
  LogFailure("journal", RunBlocking(journal_.StoreTotals()));
}

}  // namespace armature::server
