#include "table/partition/peak_watch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace armature::table {

namespace {
constexpr int64_t kMinuteMillis = 60'000;
constexpr double kMostWanted = 512;
}  // namespace

uint32_t PeakWatch::Wanted(const PartitionSet& partitions, int64_t now_millis) {
  const bool is_first = minute_began_millis_ == 0;
  if (is_first) minute_began_millis_ = now_millis;
  std::map<storage::PartitionId, Units> now;
  const auto list = partitions.list();
  for (const auto& partition : *list) {
    const Units units{partition->meter().read_units(), partition->meter().write_units()};
    now[partition->id()] = units;
    if (is_first) continue;  // in how long that was is not known
    const auto before = counted_.find(partition->id());
    const Units seen = before == counted_.end() ? Units{} : before->second;
    minute_.reads += units.reads - seen.reads;
    minute_.writes += units.writes - seen.writes;
  }
  counted_ = std::move(now);
  const int64_t passed = now_millis - minute_began_millis_;
  if (passed < kMinuteMillis) return wanted_;
  const double seconds = static_cast<double>(passed) / 1000;
  const double partitions_used = std::max(minute_.reads / static_cast<double>(kPartitionReadUnits),
                                          minute_.writes / static_cast<double>(kPartitionWriteUnits)) /
                                 seconds;
  const double wanted = std::clamp(std::ceil(2 * partitions_used), 1.0, kMostWanted);
  wanted_ = std::max(wanted_, std::bit_ceil(static_cast<uint32_t>(wanted)));
  minute_ = {};
  minute_began_millis_ = now_millis;
  return wanted_;
}

}  // namespace armature::table
