#include "triggers/mapping_runner.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/log_limit.h"
#include "model/names/arn.h"

namespace armature::triggers {

namespace {
// A thread is soon free on a busy day; this long it is not.
constexpr std::chrono::seconds kPatience(5);
}  // namespace

Result<std::unique_ptr<MappingRunner>> MappingRunner::Start(MappingContext context) {
  std::unique_ptr<MappingRunner> runner(new MappingRunner(std::move(context)));
  auto cursors =
      RunBlocking(runner->context_.journal.LoadCursors(*runner->context_.table, runner->context_.mapping->reader()));
  if (!cursors) return cursors.error();
  for (const auto& cursor : *cursors) runner->stored_[cursor.lane] = cursor.next;
  runner->reached_ = runner->stored_;
  return runner;
}

table::Position MappingRunner::StartOf(const table::Lane& lane) const {
  const auto reached = reached_.find(lane.id);
  if (reached != reached_.end()) return reached->second;
  return context_.mapping->StartIn(lane);
}

// A lane that is not there any more was trimmed, so all of it is old. A parent outside of the stream's window is
// another stream's, or the time before.
bool MappingRunner::IsDone(const table::JournalState& state, const table::StreamWindow& stream,
                           table::LaneId lane_id) const {
  const table::Lane* lane = state.FindLane(lane_id);
  while (lane && stream.Shows(*lane)) {
    if (lane->is_open() || StartOf(*lane) < lane->end) return false;
    if (reached_.contains(lane->id)) return true;
    // Nothing of it was wanted, as of one that has no records: it is done when what is before it is.
    lane = state.FindLane(lane->parent);
  }
  return true;
}

const table::StreamWindow* MappingRunner::StreamIn(const table::JournalState& state) const {
  const auto parts = model::ParseStreamArn(context_.mapping->event_source_arn);
  return parts ? state.FindStream(parts->label) : nullptr;
}

bool MappingRunner::is_drained() const {
  const auto state = context_.table->journal().state();
  const table::StreamWindow* stream = StreamIn(*state);
  if (!stream) return true;
  if (stream->is_enabled() || !runners_.empty()) return false;
  const auto lanes = state->LanesOf(*stream);
  return std::all_of(lanes.begin(), lanes.end(),
                     [&](const table::Lane* lane) { return IsDone(*state, *stream, lane->id); });
}

void MappingRunner::Step() {
  if (is_stopping_) return;
  const auto state = context_.table->journal().state();
  for (auto runner = runners_.begin(); runner != runners_.end();) {
    const ShardRunner::View view = runner->second->view();
    if (!view.is_done || !runner->second->has_ended()) {
      ++runner;
      continue;
    }
    const table::Lane* lane = state->FindLane(runner->first);
    reached_[runner->first] = lane ? std::max(view.next, lane->end) : view.next;
    runner = runners_.erase(runner);
  }
  const table::StreamWindow* stream = StreamIn(*state);
  if (!stream) return;
  for (const table::Lane* lane : state->LanesOf(*stream)) {
    if (runners_.contains(lane->id) || IsDone(*state, *stream, lane->id)) continue;
    if (!IsDone(*state, *stream, lane->parent)) continue;
    runners_[lane->id] = std::make_unique<ShardRunner>(context_, *lane, StartOf(*lane));
  }
}

Status MappingRunner::Checkpoint() {
  for (const auto& [lane, runner] : runners_) reached_[lane] = std::max(reached_[lane], runner->view().next);
  const auto state = context_.table->journal().state();
  std::vector<table::Journal::Cursor> moved;
  for (auto& [lane, next] : reached_) {
    if (!state->FindLane(lane) && !runners_.contains(lane)) next = 0;  // trimmed: its cursor goes too
    const auto stored = stored_.find(lane);
    if (stored == stored_.end() ? next > 0 : stored->second != next) moved.push_back({lane, next});
  }
  if (moved.empty()) return Status::Ok();
  Status status = RunBlocking(context_.journal.StoreCursors(*context_.table, context_.mapping->reader(), moved));
  if (!status.ok()) return status;
  for (const auto& cursor : moved) stored_[cursor.lane] = cursor.next;
  const auto is_gone = [](const auto& entry) { return entry.second == 0; };
  std::erase_if(stored_, is_gone);
  std::erase_if(reached_, is_gone);
  return status;
}

void MappingRunner::Measure() {
  const int64_t now = context_.clock.NowMillis();
  int64_t millis = 0, records = 0;
  for (const auto& [lane, runner] : runners_) {
    const ShardRunner::View view = runner->view();
    if (!view.is_behind) continue;
    if (view.oldest_millis > 0) millis = std::max(millis, now - view.oldest_millis);
    const table::Position latest = context_.journal.LatestNow(*context_.table, lane);
    if (latest > view.next) records = std::max(records, static_cast<int64_t>(latest - view.next));
  }
  context_.stats->lag_millis = millis;
  context_.stats->lag_records = records;
  NoteShortage();
}

// What cannot run is the mapping's own trouble, and to be seen there.
void MappingRunner::NoteShortage() {
  const auto is_short_of = [](const auto& entry) { return entry.second->WaitsForThread() > kPatience; };
  const bool is_short = std::any_of(runners_.begin(), runners_.end(), is_short_of);
  if (is_short == std::exchange(is_short_of_threads_, is_short)) return;
  context_.stats->SetHindrance(is_short ? "PROBLEM: Waiting for a free thread" : "");
  static LogLimit limit(int64_t{60} * 1'000'000'000);
  if (!is_short) return;
  if (const auto more = limit.Pass())
    LogWarn("trigger {}: waits for a free thread; calls of functions at once are limited to {} ({} more wait)",
            context_.mapping->label(), context_.followers.delivering.max_threads(), *more);
}

void MappingRunner::RequestStop() {
  is_stopping_ = true;
  for (auto& [lane, runner] : runners_) runner->RequestStop();
}

void MappingRunner::Await() {
  for (auto& [lane, runner] : runners_) runner->Await();
}

bool MappingRunner::has_stopped() const {
  return std::all_of(runners_.begin(), runners_.end(), [](const auto& entry) { return entry.second->has_ended(); });
}

}  // namespace armature::triggers
