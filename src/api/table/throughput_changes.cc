#include "api/table/throughput_changes.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "model/messages/capacity.h"

namespace armature::api {

using model::ApiResult;
namespace messages = model::messages;

namespace {

constexpr int64_t kHourMillis = 3'600'000;
constexpr int64_t kDayMillis = 24 * kHourMillis;
constexpr int64_t kFreeDecreasesPerDay = 4;
constexpr size_t kSwitchesPerDay = 4;

std::tm UtcOf(int64_t millis) { return fmt::gmtime(static_cast<std::time_t>(millis / 1000)); }

// "Friday, September 18, 2026 at 8:15:44 AM Coordinated Universal Time"
std::string LongTime(int64_t millis) {
  const std::tm utc = UtcOf(millis);
  const int hour = utc.tm_hour % 12 == 0 ? 12 : utc.tm_hour % 12;
  return fmt::format("{:%A, %B} {}, {:%Y} at {}:{:%M:%S} {} Coordinated Universal Time", utc, utc.tm_mday, utc, hour,
                     utc, utc.tm_hour < 12 ? "AM" : "PM");
}

// "Fri Sep 18 09:01:50 UTC 2026"
std::string ShortTime(int64_t millis) { return fmt::format("{:%a %b %d %H:%M:%S UTC %Y}", UtcOf(millis)); }

int64_t DecreasesToday(const model::ProvisionedThroughput& throughput, int64_t now_millis) {
  const bool is_same_day = throughput.last_decrease_millis / kDayMillis == now_millis / kDayMillis;
  return is_same_day ? throughput.decreases_today : 0;
}

void NoteDecrease(int64_t now_millis, model::ProvisionedThroughput& current) {
  current.decreases_today = DecreasesToday(current, now_millis) + 1;
  current.last_decrease_millis = now_millis;
}

}  // namespace

ApiResult<void> ChangeThroughput(const model::ProvisionedThroughput& requested, int64_t now_millis,
                                 model::ProvisionedThroughput& current) {
  const bool is_decrease = requested.read_units < current.read_units || requested.write_units < current.write_units;
  const bool is_increase = requested.read_units > current.read_units || requested.write_units > current.write_units;
  if (is_decrease) {
    const int64_t today = DecreasesToday(current, now_millis);
    const int64_t midnight = (now_millis / kDayMillis + 1) * kDayMillis;
    const int64_t next = std::min(current.last_decrease_millis + kHourMillis, midnight);
    if (today >= kFreeDecreasesPerDay && now_millis < next)
      return model::LimitExceededException(
          fmt::format(messages::kTooManyDecreases, today, LongTime(current.last_decrease_millis), LongTime(next)));
    NoteDecrease(now_millis, current);
  }
  if (is_increase) current.last_increase_millis = now_millis;
  current.read_units = requested.read_units;
  current.write_units = requested.write_units;
  return {};
}

void DropThroughput(int64_t now_millis, model::ProvisionedThroughput& current) {
  if (current.read_units > 0 || current.write_units > 0) NoteDecrease(now_millis, current);
  current.read_units = current.write_units = 0;
}

ApiResult<void> CountSwitchToOnDemand(int64_t now_millis, model::TableDef& table) {
  std::vector<int64_t>& switches = table.switches_to_on_demand;
  std::erase_if(switches, [&](int64_t at) { return at <= now_millis - kDayMillis; });
  if (switches.size() >= kSwitchesPerDay)
    return model::LimitExceededException(fmt::format(messages::kTooManySwitchesToOnDemand, kSwitchesPerDay,
                                                     ShortTime(switches.back()),
                                                     ShortTime(switches.front() + kDayMillis)));
  switches.push_back(now_millis);
  return {};
}

}  // namespace armature::api
