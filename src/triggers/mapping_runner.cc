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

const table::StreamWindow* StreamIn(const table::JournalState& state, const Mapping& mapping) {
  const auto parts = model::ParseStreamArn(mapping.event_source_arn);
  return parts ? state.FindStream(parts->label) : nullptr;
}

// The lanes its stream shows as shards.
followers::Following FollowingOf(const MappingContext& context) {
  const auto mapping = context.mapping;
  const auto lanes = [mapping](const table::JournalState& state) {
    const table::StreamWindow* const stream = StreamIn(state, *mapping);
    return stream ? state.LanesOf(*stream) : std::vector<const table::Lane*>();
  };
  const auto start = [mapping](const table::Lane& lane) { return mapping->StartIn(lane); };
  return {context.table, mapping->reader(), context.images, lanes, start};
}

}  // namespace

Result<std::unique_ptr<MappingRunner>> MappingRunner::Start(MappingContext context) {
  auto walker = RunBlocking(followers::LaneWalker::Open(context.journal, FollowingOf(context)));
  if (!walker) return walker.error();
  return std::unique_ptr<MappingRunner>(new MappingRunner(std::move(context), std::move(*walker)));
}

bool MappingRunner::is_drained() const {
  const auto state = context_.table->journal().state();
  const table::StreamWindow* const stream = StreamIn(*state, *context_.mapping);
  if (!stream) return true;
  return !stream->is_enabled() && runners_.empty() && walker_->is_drained();
}

void MappingRunner::Step() {
  if (walker_->is_stopping()) return;
  for (auto runner = runners_.begin(); runner != runners_.end();) {
    if (!runner->second->is_done() || !runner->second->has_ended()) {
      ++runner;
      continue;
    }
    walker_->EndLane(runner->first);
    runner = runners_.erase(runner);
  }
  for (const auto& [id, lane] : walker_->BeginLanes())
    if (!runners_.contains(id)) runners_.emplace(id, std::make_unique<LaneRunner>(context_, lane));
}

Status MappingRunner::Checkpoint() { return RunBlocking(walker_->Checkpoint()); }

void MappingRunner::Measure() {
  const int64_t oldest = walker_->oldest_millis();
  context_.stats->lag_millis = oldest > 0 ? std::max<int64_t>(context_.clock.NowMillis() - oldest, 0) : 0;
  context_.stats->lag_records = static_cast<int64_t>(walker_->records_behind());
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
            context_.mapping->label(), context_.threads.delivering.max_threads(), *more);
}

void MappingRunner::RequestStop() {
  walker_->RequestStop();
  for (auto& [lane, runner] : runners_) runner->RequestStop();
}

void MappingRunner::Await() {
  for (auto& [lane, runner] : runners_) runner->Await();
}

bool MappingRunner::has_stopped() const {
  return std::all_of(runners_.begin(), runners_.end(), [](const auto& entry) { return entry.second->has_ended(); });
}

}  // namespace armature::triggers
