#include "table/lanes/lane_changes.h"

#include <algorithm>

namespace armature::table {

namespace {

const LanePlace* FindPlace(std::span<const LanePlace> places, storage::PartitionId partition) {
  const auto it =
      std::find_if(places.begin(), places.end(), [&](const auto& place) { return place.partition.id == partition; });
  return it == places.end() ? nullptr : &*it;
}

void OpenLane(JournalState& state, const Lane* parent, const LanePlace& place, int64_t now_millis) {
  Lane lane;
  lane.id = state.next_lane++;
  lane.partition = place.partition.id;
  lane.hashes = place.partition.hashes;
  // The numbers of a partition go on in those it was split into: what they have by now is behind the parent's end.
  lane.first = lane.trimmed = parent ? parent->end : place.next;
  lane.parent = parent ? parent->id : 0;
  // Never before an older lane's: shards are listed in the order of their ids, which begin with the time.
  lane.created_millis = std::max(now_millis, state.lanes.empty() ? 0 : state.lanes.back().created_millis);
  state.lanes.push_back(lane);
}

}  // namespace

bool AlignLanes(JournalState& state, std::span<const LanePlace> places, const std::function<bool(const Lane&)>& renews,
                int64_t now_millis) {
  const bool is_followed = state.is_followed();
  std::vector<Lane> closed;
  for (Lane& lane : state.lanes) {
    if (!lane.is_open()) continue;
    const LanePlace* const place = FindPlace(places, lane.partition);
    if (is_followed && place && !place->partition.is_ended && !renews(lane)) continue;
    lane.end = std::max(lane.trimmed, place ? place->next : lane.first);
    lane.closed_millis = now_millis;
    closed.push_back(lane);
  }
  bool is_changed = !closed.empty();
  if (!is_followed) return is_changed;
  for (const LanePlace& place : places) {
    if (place.partition.is_ended) continue;
    const auto is_here = [&](const Lane& lane) { return lane.is_open() && lane.partition == place.partition.id; };
    if (std::any_of(state.lanes.begin(), state.lanes.end(), is_here)) continue;
    const auto parent = std::find_if(closed.begin(), closed.end(), [&](const Lane& lane) {
      return lane.hashes.Contains(place.partition.hashes.first);
    });
    OpenLane(state, parent == closed.end() ? nullptr : &*parent, place, now_millis);
    is_changed = true;
  }
  return is_changed;
}

}  // namespace armature::table
