#include "table/partition/split_chooser.h"

#include <algorithm>
#include <utility>

namespace armature::table {

std::vector<storage::PartitionId> SplitChooser::Choose(storage::KeyspaceId keyspace, const PartitionSet& partitions,
                                                       int64_t now_millis) {
  Heat& heat = heat_[keyspace];
  const double seconds = std::max(1.0, static_cast<double>(now_millis - heat.asked_millis) / 1000.0);
  const auto list = partitions.list();
  uint32_t wanted = partitions.throttle().wanted_partitions();
  if (partitions.throttle().grows_with_use()) wanted = std::max(wanted, heat.peak.Wanted(partitions, now_millis));
  std::vector<storage::PartitionId> chosen;
  std::map<storage::PartitionId, int> busy;
  for (const auto& partition : *list) {
    const storage::PartitionId id = partition->id();
    const double rate = static_cast<double>(partition->TakeWrites()) / seconds;
    if (rate >= static_cast<double>(rules_.writes_per_second)) {
      const auto before = heat.seconds.find(id);
      busy[id] = (before == heat.seconds.end() ? 0 : before->second) + 1;
    }
    const bool is_hot = busy.contains(id) && busy[id] >= rules_.seconds;
    const int64_t bytes = partition->handle().count().bytes;
    const bool is_large = bytes > 0 && static_cast<uint64_t>(bytes) > rules_.bytes;
    const storage::HashRange& hashes = partition->hashes();
    const bool is_wide = wanted > 1 && hashes.last - hashes.first > UINT64_MAX / wanted;
    if (list->size() + chosen.size() >= kMostPartitions) break;
    if (is_large || is_wide || (is_hot && list->size() + chosen.size() < rules_.most_for_heat)) chosen.push_back(id);
  }
  heat.asked_millis = now_millis;
  heat.seconds = std::move(busy);
  return chosen;
}

}  // namespace armature::table
