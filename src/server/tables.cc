#include "server/tables.h"

#include "server/failure_log.h"

namespace armature::server {

namespace {

table::JournalOptions JournalOptionsFrom(const ServeOptions& options) {
  table::JournalOptions journal;
  journal.lane_age_millis = options.stream_shard_millis;
  journal.split.writes_per_second = options.stream_split_rate;
  journal.split.seconds = options.stream_split_seconds;
  return journal;
}

}  // namespace

Tables::Tables(const ServeOptions& options, Store& store)
    : options_(options),
      store_(store),
      catalog_(*store.engine, store.clock, options.control_plane_delay_millis),
      journal_(*store.engine, store.clock, catalog_, store.metrics, JournalOptionsFrom(options)),
      writes_(*store.engine, store.clock),
      tokens_(*store.engine, store.clock) {}

Status Tables::Load() {
  if (Status status = RunBlocking(catalog_.Load()); !status.ok()) return status;
  if (Status status = RunBlocking(journal_.Load()); !status.ok()) return status;
  if (options_.eventual_lag_millis > 0) {
    lagged_view_.emplace(*store_.engine, store_.clock, options_.eventual_lag_millis);
    view_sampling_.emplace(lagged_view_->interval(), [this] { lagged_view_->Sample(); });
  }
  reads_.emplace(*store_.engine, lagged_view_ ? &*lagged_view_ : nullptr);
  return Status::Ok();
}

void Tables::Start() {
  if (view_sampling_) view_sampling_->Start();
}

void Tables::KeepHouse() {
  LogFailure("table transitions", RunBlocking(catalog_.RunDueTransitions()));
  LogFailure("journal", RunBlocking(journal_.KeepHouse()));
  LogFailure("client tokens", RunBlocking(tokens_.RemoveExpired()));
}

void Tables::Stop() {
  if (view_sampling_) view_sampling_->Stop();
  if (lagged_view_) lagged_view_->Release();
  LogFailure("journal", RunBlocking(journal_.StoreTotals()));
}

}  // namespace armature::server
