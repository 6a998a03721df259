#include "table/journal/trim_plan.h"

#include <algorithm>

namespace armature::table {

namespace {

// Records outlive their time by at most this much.
constexpr int64_t kMarkIntervalMillis = int64_t{5} * 60 * 1000;

const JournalMark* LastMarkAt(const JournalState& state, int64_t millis) {
  const JournalMark* last = nullptr;
  for (const JournalMark& mark : state.marks)
    if (mark.millis <= millis) last = &mark;
  return last;
}

bool AddMark(JournalState& state, const TrimFacts& facts) {
  const int64_t interval = std::min(kMarkIntervalMillis, std::max<int64_t>(facts.retention_millis / 24, 1));
  if (facts.records == state.marked_records()) return false;
  if (!state.marks.empty() && facts.now_millis - state.marks.back().millis < interval) return false;
  state.marks.push_back({facts.now_millis, facts.next, facts.records, facts.bytes});
  return true;
}

bool IsShown(const JournalState& state, const Lane& lane) {
  return std::any_of(state.streams.begin(), state.streams.end(),
                     [&](const StreamWindow& stream) { return stream.Shows(lane); });
}

// Below which position of the lane nothing can be read any more. `expired`: the last mark that is old enough, or null.
Position TrimLimit(const JournalState& state, const Lane& lane, const JournalMark* expired, const TrimFacts& facts) {
  Position limit = lane.trimmed;
  if (!lane.is_open() && lane.closed_millis <= facts.now_millis - facts.retention_millis)
    limit = std::max(limit, lane.end);
  if (expired) limit = std::max(limit, expired->position);
  if (const auto slowest = facts.slowest.find(lane.id); slowest != facts.slowest.end() && !IsShown(state, lane))
    limit = std::max(limit, slowest->second);
  return std::min({limit, facts.horizon, lane.is_open() ? facts.horizon : lane.end});
}

// What is gone by now, as well as the marks tell.
void CountTrimmed(JournalState& state, const TrimFacts& facts) {
  Position oldest = UINT64_MAX;
  for (const Lane& lane : state.lanes)
    if (lane.is_open() || lane.trimmed < lane.end) oldest = std::min(oldest, lane.trimmed);
  if (oldest == UINT64_MAX) {
    state.trimmed_records = facts.records;
    state.trimmed_bytes = facts.bytes;
    return;
  }
  for (const JournalMark& mark : state.marks) {
    if (mark.position > oldest) break;
    state.trimmed_records = mark.records;
    state.trimmed_bytes = mark.bytes;
  }
}

}  // namespace

TrimPlan PlanTrim(const JournalState& before, const TrimFacts& facts) {
  TrimPlan plan;
  plan.announced = before;
  JournalState& state = plan.announced;
  plan.is_needed = AddMark(state, facts);
  const auto is_unreadable = [&](const StreamWindow& stream) {
    return !stream.IsReadable(facts.now_millis, facts.retention_millis);
  };
  if (std::erase_if(state.streams, is_unreadable) > 0) plan.is_needed = true;

  const int64_t oldest_kept = facts.now_millis - facts.retention_millis;
  const JournalMark* const expired = LastMarkAt(state, oldest_kept);
  for (Lane& lane : state.lanes) {
    if (const Position limit = TrimLimit(state, lane, expired, facts); limit > lane.trimmed) {
      lane.trimmed = limit;
      plan.is_needed = true;
    }
    const auto swept = facts.swept.find(lane.id);
    const Position begin = std::max(lane.first, swept == facts.swept.end() ? 0 : swept->second);
    if (lane.trimmed > begin) plan.rows.push_back({lane.id, begin, lane.trimmed});
  }
  plan.is_needed = plan.is_needed || !plan.rows.empty();
  if (!plan.is_needed) return plan;

  CountTrimmed(state, facts);
  if (expired) {
    const int64_t expired_millis = expired->millis;
    std::erase_if(state.marks, [&](const JournalMark& mark) { return mark.millis < expired_millis; });
  }
  state.next_position = facts.next;
  plan.kept = state;
  std::erase_if(plan.kept.lanes, [&](const Lane& lane) {
    if (lane.is_open() || lane.trimmed < lane.end) return false;
    return !IsShown(state, lane) || lane.closed_millis <= oldest_kept;
  });
  return plan;
}

}  // namespace armature::table
