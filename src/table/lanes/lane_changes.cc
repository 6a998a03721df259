#include "table/lanes/lane_changes.h"

#include <algorithm>

namespace armature::table {

namespace {

void OpenLane(JournalState& state, LaneId parent, uint64_t hash_first, uint64_t hash_last, Position from,
              int64_t now_millis) {
  Lane lane;
  lane.id = state.next_lane++;
  lane.parent = parent;
  lane.hash_first = hash_first;
  lane.hash_last = hash_last;
  lane.first = lane.trimmed = from;
  // Never before an older lane's: shards are listed in the order of their ids, which begin with the time.
  lane.created_millis = std::max(now_millis, state.lanes.empty() ? 0 : state.lanes.back().created_millis);
  state.lanes.push_back(lane);
}

void CloseLane(Lane& lane, Position from, int64_t now_millis) {
  lane.end = from;
  lane.closed_millis = now_millis;
}

}  // namespace

bool RenewLane(JournalState& state, LaneId id, bool into_two, Position from, int64_t now_millis) {
  for (Lane& lane : state.lanes) {
    if (lane.id != id || !lane.is_open()) continue;
    if (into_two && lane.hash_first == lane.hash_last) return false;
    CloseLane(lane, from, now_millis);
    const uint64_t first = lane.hash_first, last = lane.hash_last;  // adding lanes moves this one
    const uint64_t middle = into_two ? first + (last - first) / 2 : last;
    OpenLane(state, id, first, middle, from, now_millis);
    if (into_two) OpenLane(state, id, middle + 1, last, from, now_millis);
    return true;
  }
  return false;
}

void RenewAllLanes(JournalState& state, Position from, int64_t now_millis) {
  const bool goes_on = state.is_followed();
  bool had_open = false;
  const size_t count = state.lanes.size();
  for (size_t i = 0; i < count; ++i) {
    Lane lane = state.lanes[i];
    if (!lane.is_open()) continue;
    had_open = true;
    CloseLane(state.lanes[i], from, now_millis);
    if (goes_on) OpenLane(state, lane.id, lane.hash_first, lane.hash_last, from, now_millis);
  }
  if (goes_on && !had_open) OpenLane(state, 0, 0, UINT64_MAX, from, now_millis);
}

}  // namespace armature::table
