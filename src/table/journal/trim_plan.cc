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
  state.marks.push_back({facts.now_millis, facts.records, facts.bytes, facts.ends});
  return true;
}

bool IsShown(const JournalState& state, const Lane& lane) {
  return std::any_of(state.streams.begin(), state.streams.end(),
                     [&](const StreamWindow& stream) { return stream.Shows(lane); });
}

// Behind what somebody must have who has not passed it, nothing goes.
Position NeededFrom(const JournalState& state, const Lane& lane, const TrimFacts& facts) {
  const bool is_needed = std::any_of(state.followers.begin(), state.followers.end(), [&](const Follower& follower) {
    return follower.retention == Retention::kUntilPassed && follower.Follows(lane);
  });
  if (!is_needed) return UINT64_MAX;
  const auto needed = facts.needed.find(lane.id);
  return needed == facts.needed.end() ? 0 : needed->second;
}

Position EndOf(const Lane& lane, const TrimFacts& facts) {
  if (!lane.is_open()) return lane.end;
  for (const LanePosition& end : facts.ends)
    if (end.lane == lane.id) return end.position;
  return lane.trimmed;
}

// Below which position of the lane nothing can be read any more. `expired`: the last mark that is old enough, or null.
Position TrimLimit(const JournalState& state, const Lane& lane, const JournalMark* expired, const TrimFacts& facts) {
  Position limit = lane.trimmed;
  if (!lane.is_open() && lane.closed_millis <= facts.now_millis - facts.retention_millis)
    limit = std::max(limit, lane.end);
  if (expired) limit = std::max(limit, expired->PositionIn(lane.id));
  if (const auto slowest = facts.slowest.find(lane.id); slowest != facts.slowest.end() && !IsShown(state, lane))
    limit = std::max(limit, slowest->second);
  return std::max(lane.trimmed, std::min({limit, EndOf(lane, facts), NeededFrom(state, lane, facts)}));
}

// The rows that go with what the lane has lost. Before its first lane and behind its last a partition may have records
// that are nobody's, made while somebody began or ceased to follow.
TrimPlan::Rows RowsToDelete(const JournalState& state, const Lane& lane, Position swept) {
  const auto has_other = [&](auto is_beyond) {
    return std::any_of(state.lanes.begin(), state.lanes.end(),
                       [&](const Lane& other) { return other.partition == lane.partition && is_beyond(other.id); });
  };
  TrimPlan::Rows rows{lane.partition, std::max(lane.first, swept), lane.trimmed};
  if (swept == 0 && !has_other([&](LaneId other) { return other < lane.id; })) rows.begin = 0;
  const bool is_over = !lane.is_open() && lane.trimmed >= lane.end && !state.is_followed();
  if (is_over && !has_other([&](LaneId other) { return other > lane.id; })) rows.end = UINT64_MAX;
  return rows;
}

// Whether all that was written when the mark was made is gone.
bool IsPassed(const JournalState& state, const JournalMark& mark) {
  const LaneId first = mark.positions.empty() ? state.next_lane : mark.positions.front().lane;
  return std::all_of(state.lanes.begin(), state.lanes.end(), [&](const Lane& lane) {
    if (lane.id < first) return !lane.is_open() && lane.trimmed >= lane.end;
    return lane.trimmed >= mark.PositionIn(lane.id);
  });
}

// What is gone by now, as well as the marks tell.
void CountTrimmed(JournalState& state, const TrimFacts& facts) {
  const auto has_records = [&](const Lane& lane) { return lane.trimmed < EndOf(lane, facts) || lane.is_open(); };
  if (std::none_of(state.lanes.begin(), state.lanes.end(), has_records)) {
    state.trimmed_records = facts.records;
    state.trimmed_bytes = facts.bytes;
    return;
  }
  for (const JournalMark& mark : state.marks) {
    if (!IsPassed(state, mark)) break;
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
    const Position so_far = swept == facts.swept.end() ? 0 : swept->second;
    if (lane.trimmed > std::max(lane.first, so_far)) plan.rows.push_back(RowsToDelete(state, lane, so_far));
  }
  plan.is_needed = plan.is_needed || !plan.rows.empty();
  if (!plan.is_needed) return plan;

  CountTrimmed(state, facts);
  if (expired) {
    const int64_t expired_millis = expired->millis;
    std::erase_if(state.marks, [&](const JournalMark& mark) { return mark.millis < expired_millis; });
  }
  plan.kept = state;
  std::erase_if(plan.kept.lanes, [&](const Lane& lane) {
    if (lane.is_open() || lane.trimmed < lane.end) return false;
    return !IsShown(state, lane) || lane.closed_millis <= oldest_kept;
  });
  return plan;
}

}  // namespace armature::table
