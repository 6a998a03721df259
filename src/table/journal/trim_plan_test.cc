#include "table/journal/trim_plan.h"

#include <gtest/gtest.h>

#include "table/lanes/lane_changes.h"

namespace armature::table {
namespace {

constexpr int64_t kDay = int64_t{24} * 3600 * 1000;

class TrimPlanTest : public testing::Test {
 protected:
  TrimPlanTest() {
    facts_.now_millis = 10 * kDay;
    facts_.retention_millis = kDay;
    facts_.records = 400;
    facts_.bytes = 4000;
    facts_.ends = {{1, 500}};
    state_.streams.push_back({"label", model::kNoImages, 0, 1, 0, 0});
    Align(100, facts_.now_millis - kDay / 2, false);
    Mark(facts_.now_millis, 500, 400);
  }
  // The table's partition is 7.
  void Align(Position next, int64_t now_millis, bool renews) {
    const LanePlace place{{.id = 7, .keyspace = 5, .epoch = 1}, next};
    AlignLanes(
        state_, {&place, 1}, [&](const Lane&) { return renews; }, now_millis);
  }
  // All records below `position`, so many, were written by then.
  void Mark(int64_t millis, Position position, uint64_t records) {
    state_.marks.insert(state_.marks.begin(), {millis, records, records * 10, {{1, position}}});
  }
  Lane& lane() { return state_.lanes.front(); }
  TrimPlan Plan() const { return PlanTrim(state_, facts_); }

  JournalState state_;
  TrimFacts facts_;
};

TEST_F(TrimPlanTest, WhatIsYoungAndShownStays) {
  EXPECT_FALSE(Plan().is_needed);
  facts_.slowest[lane().id] = UINT64_MAX;  // no follower needs it
  EXPECT_FALSE(Plan().is_needed) << "but a stream shows it";
}

TEST_F(TrimPlanTest, RecordsGoByTheLastMarkThatIsOldEnough) {
  Mark(facts_.now_millis - kDay, 300, 200);
  Mark(facts_.now_millis - kDay - 1, 200, 100);
  const TrimPlan plan = Plan();
  ASSERT_TRUE(plan.is_needed);
  ASSERT_EQ(plan.rows.size(), 1u);
  EXPECT_EQ(plan.rows[0].partition, 7u);
  EXPECT_EQ(plan.rows[0].begin, 0u) << "what is before the first lane is nobody's";
  EXPECT_EQ(plan.rows[0].end, 300u);
  EXPECT_EQ(plan.announced.lanes[0].trimmed, 300u);
  EXPECT_EQ(plan.kept.trimmed_records, 200u);
  EXPECT_EQ(plan.kept.marks.size(), 2u) << "one at the age is kept, older ones are of no use";
}

TEST_F(TrimPlanTest, NothingGoesThatMayBeUnderWay) {
  Mark(facts_.now_millis - kDay, 300, 200);
  facts_.ends = {{1, 250}};
  EXPECT_EQ(Plan().announced.lanes[0].trimmed, 250u);
}

TEST_F(TrimPlanTest, WhatNoStreamShowsGoesWithItsSlowestFollower) {
  state_.streams.clear();
  EXPECT_FALSE(Plan().is_needed) << "nobody has looked at the cursors";
  facts_.slowest[lane().id] = 180;
  EXPECT_EQ(Plan().announced.lanes[0].trimmed, 180u);
  facts_.slowest[lane().id] = 50;
  EXPECT_FALSE(Plan().is_needed) << "it has not begun";
}

TEST_F(TrimPlanTest, NothingGoesBeforeWhoMustHaveItHasPassed) {
  Mark(facts_.now_millis - kDay, 300, 200);
  state_.followers.push_back({"replica", model::kBothImages, 1, Retention::kUntilPassed});
  EXPECT_FALSE(Plan().is_needed) << "nobody has looked how far it is";
  facts_.slowest[lane().id] = facts_.needed[lane().id] = 180;
  EXPECT_EQ(Plan().announced.lanes[0].trimmed, 180u);
  facts_.slowest[lane().id] = facts_.needed[lane().id] = 400;
  EXPECT_EQ(Plan().announced.lanes[0].trimmed, 300u) << "a stream shows the rest";

  // A closed lane waits as well, however old it is.
  Align(500, facts_.now_millis - 2 * kDay, true);
  facts_.needed[lane().id] = 499;
  EXPECT_EQ(Plan().announced.lanes[0].trimmed, 499u);
  EXPECT_EQ(Plan().kept.lanes.size(), 2u);
  facts_.needed[lane().id] = 500;
  EXPECT_EQ(Plan().kept.lanes.size(), 1u);

  // What is before its time is none of its business, and who follows by AWS's rule holds nothing up.
  facts_.needed[lane().id] = 0;
  state_.followers[0].first_lane = 2;
  EXPECT_EQ(Plan().kept.lanes.size(), 1u);
  state_.followers[0] = {"kinesis", model::kBothImages, 1, Retention::kAtMostADay};
  EXPECT_EQ(Plan().kept.lanes.size(), 1u);
}

TEST_F(TrimPlanTest, AStreamIsForgottenADayAfterItsEnd) {
  state_.streams[0].end_lane = 2;
  state_.streams[0].disabled_millis = facts_.now_millis - kDay + 1;
  EXPECT_FALSE(Plan().is_needed);
  ++facts_.now_millis;
  const TrimPlan plan = Plan();
  EXPECT_TRUE(plan.is_needed);
  EXPECT_TRUE(plan.kept.streams.empty());
}

TEST_F(TrimPlanTest, ALaneIsAnnouncedUntilItsRowsAreGone) {
  Align(400, facts_.now_millis - kDay, true);
  const TrimPlan plan = Plan();
  EXPECT_EQ(plan.announced.lanes.size(), 2u);
  ASSERT_EQ(plan.kept.lanes.size(), 1u);
  EXPECT_EQ(plan.kept.lanes[0].parent, state_.lanes[0].id);
}

TEST_F(TrimPlanTest, RowsThatWereAnnouncedAndNotDeletedAreFoundAgain) {
  lane().trimmed = 300;
  facts_.swept[lane().id] = 200;
  const TrimPlan plan = Plan();
  ASSERT_TRUE(plan.is_needed);
  ASSERT_EQ(plan.rows.size(), 1u);
  EXPECT_EQ(plan.rows[0].begin, 200u);
  EXPECT_EQ(plan.rows[0].end, 300u);
  facts_.swept[lane().id] = 300;
  EXPECT_FALSE(Plan().is_needed);
}

TEST_F(TrimPlanTest, WhatIsLeftBehindTheLastLaneGoesWithIt) {
  state_.streams[0].end_lane = 2;
  Align(400, facts_.now_millis - kDay, false);
  const TrimPlan plan = Plan();
  ASSERT_EQ(plan.rows.size(), 1u);
  EXPECT_EQ(plan.rows[0].begin, 0u);
  EXPECT_EQ(plan.rows[0].end, UINT64_MAX);
}

TEST_F(TrimPlanTest, NewRecordsGetAMarkNowAndThen) {
  facts_.records = 401;
  EXPECT_FALSE(Plan().is_needed) << "the last mark is of this moment";
  facts_.now_millis += 5 * 60 * 1000;
  const TrimPlan plan = Plan();
  EXPECT_TRUE(plan.is_needed);
  EXPECT_EQ(plan.kept.marked_records(), 401u);
  EXPECT_EQ(plan.kept.marks.back().PositionIn(1), 500u);
}

}  // namespace
}  // namespace armature::table
