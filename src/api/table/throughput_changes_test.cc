// How often throughput may be lowered and a table switched to on demand.
#include "api/table/throughput_changes.h"

#include <string>

#include <gtest/gtest.h>

namespace armature::api {
namespace {

constexpr int64_t kHourMillis = 3'600'000;
constexpr int64_t kMidnight = 1'789'689'600'000;  // Friday, September 18, 2026

class ThroughputChanges : public ::testing::Test {
 protected:
  std::string Change(int64_t now, int64_t reads, int64_t writes) {
    const auto changed = ChangeThroughput({.read_units = reads, .write_units = writes}, now, throughput_);
    return changed ? "ok" : changed.error().name + ": " + changed.error().message;
  }
  std::string Switch(int64_t now) {
    const auto counted = CountSwitchToOnDemand(now, table_);
    return counted ? "ok" : counted.error().name + ": " + counted.error().message;
  }

  model::ProvisionedThroughput throughput_{.read_units = 100, .write_units = 100};
  model::TableDef table_;
};

TEST_F(ThroughputChanges, FourDecreasesADayAndThenOneAnHour) {
  const int64_t last = kMidnight + 8 * kHourMillis + 15 * 60'000 + 44'000;
  EXPECT_EQ(Change(kMidnight + 1, 90, 100), "ok");
  EXPECT_EQ(Change(kMidnight + 2, 80, 90), "ok") << "both at once are one";
  EXPECT_EQ(Change(kMidnight + 3, 70, 200), "ok") << "and so is one down and one up";
  EXPECT_EQ(throughput_.decreases_today, 3);
  EXPECT_EQ(Change(last, 60, 200), "ok");
  EXPECT_EQ(
      Change(last + kHourMillis - 1, 50, 200),
      "LimitExceededException: Subscriber limit exceeded: Provisioned throughput decreases are limited within a "
      "given UTC day. After the first 4 decreases, each subsequent decrease in the same UTC day can be performed "
      "at most once every 3600 seconds. Number of decreases today: 4. Last decrease at Friday, September 18, 2026 "
      "at 8:15:44 AM Coordinated Universal Time. Next decrease can be made at Friday, September 18, 2026 at "
      "9:15:44 AM Coordinated Universal Time");
  EXPECT_EQ(throughput_.read_units, 60);
  EXPECT_EQ(Change(last + kHourMillis - 1, 300, 300), "ok") << "increases are always allowed";
  EXPECT_EQ(Change(last + kHourMillis, 50, 300), "ok");
  EXPECT_EQ(throughput_.decreases_today, 5);
  EXPECT_NE(Change(last + kHourMillis + 1, 40, 300), "ok") << "what was refused does not count";
  EXPECT_EQ(throughput_.decreases_today, 5);
}

TEST_F(ThroughputChanges, MidnightBeginsAnew) {
  const int64_t late = kMidnight + 23 * kHourMillis + 30 * 60'000;
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(Change(late + i, 90 - i, 100), "ok");
  EXPECT_NE(
      Change(late + 10, 50, 100).find("Next decrease can be made at Saturday, September 19, 2026 at 12:00:00 AM "),
      std::string::npos);
  EXPECT_EQ(Change(kMidnight + 24 * kHourMillis, 50, 100), "ok");
  EXPECT_EQ(throughput_.decreases_today, 1);
}

TEST_F(ThroughputChanges, GoingOnDemandIsADecreaseThatNobodyIsRefused) {
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(Change(kMidnight + i, 90 - i, 100), "ok");
  DropThroughput(kMidnight + 10, throughput_);
  EXPECT_EQ(throughput_.read_units, 0);
  EXPECT_EQ(throughput_.decreases_today, 5);
  DropThroughput(kMidnight + 11, throughput_);
  EXPECT_EQ(throughput_.decreases_today, 5) << "where there is nothing to drop";
}

TEST_F(ThroughputChanges, FourSwitchesInTwentyFourHours) {
  const int64_t first = kMidnight + 8 * kHourMillis + 58 * 60'000 + 15'000;
  const int64_t last = kMidnight + 9 * kHourMillis + 60'000 + 50'000;
  EXPECT_EQ(Switch(first), "ok");
  EXPECT_EQ(Switch(first + 1000), "ok");
  EXPECT_EQ(Switch(first + 2000), "ok");
  EXPECT_EQ(Switch(last), "ok");
  EXPECT_EQ(Switch(last + 1000),
            "LimitExceededException: Subscriber limit exceeded: Update to PayPerRequest mode are limited to 4 in 1 "
            "day(s). Last update at Fri Sep 18 09:01:50 UTC 2026. Next update can be made at Sat Sep 19 08:58:15 UTC "
            "2026");
  EXPECT_EQ(Switch(first + 24 * kHourMillis), "ok");
  EXPECT_NE(Switch(first + 24 * kHourMillis + 1), "ok");
}

}  // namespace
}  // namespace armature::api
