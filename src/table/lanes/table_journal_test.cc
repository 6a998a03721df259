#include "table/lanes/table_journal.h"

#include <gtest/gtest.h>

#include "table/lanes/lane_changes.h"

namespace armature::table {
namespace {

class TableJournalTest : public testing::Test {
 protected:
  TableJournalTest() { journal_.Attach(clock_, bell_); }

  // One lane with all hashes, or two halves, from a position on.
  static std::shared_ptr<const JournalState> Followed(Position from, model::Images images, bool is_split = false) {
    auto state = std::make_shared<JournalState>();
    state->followers.push_back({"f", images, from});
    RenewAllLanes(*state, from, 0);
    if (is_split) RenewLane(*state, 1, true, from + 1, 0);
    return state;
  }

  ManualClock clock_;
  JournalBell bell_;
  TableJournal journal_;
};

TEST_F(TableJournalTest, NobodyFollowsAtFirst) {
  EXPECT_FALSE(journal_.is_followed());
  EXPECT_FALSE(journal_.Take(1));
}

TEST_F(TableJournalTest, TheHorizonIsTheLowestSlotThatIsOut) {
  ASSERT_TRUE(journal_.Switch(TableJournal::Ready(Followed(10, model::kNewImage)), 10));
  const auto first = journal_.Take(1), second = journal_.Take(2);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->position, 10u);
  EXPECT_EQ(first->images, model::kNewImage);
  EXPECT_EQ(second->position, 11u);
  journal_.GiveBack(second->position, 7, 100);
  EXPECT_EQ(journal_.horizon().position, 10u);
  EXPECT_EQ(journal_.horizon().mark, 7u);
  journal_.GiveBack(first->position, 0, 100);
  EXPECT_EQ(journal_.horizon().position, 12u) << "one that came to nothing holds nobody up";
  EXPECT_EQ(journal_.records(), 1u);
  EXPECT_EQ(journal_.bytes(), 100u);
}

TEST_F(TableJournalTest, TheHorizonStaysBehindTheLastRecordWhenSlotsComeToNothing) {
  ASSERT_TRUE(journal_.Switch(TableJournal::Ready(Followed(10, model::kNewImage)), 10));
  Position slots[6];
  for (Position& slot : slots) slot = journal_.Take(1)->position;
  journal_.GiveBack(slots[0], 1, 100);
  for (const int i : {2, 4, 3, 1}) journal_.GiveBack(slots[i], 0, 100);
  EXPECT_EQ(journal_.horizon().position, slots[1]);
  journal_.GiveBack(slots[5], 2, 100);
  EXPECT_EQ(journal_.horizon().position, slots[5] + 1) << "with a record behind them they are passed";
  const Position vain = journal_.Take(1)->position, late = journal_.Take(1)->position;
  journal_.GiveBack(vain, 0, 100);
  ASSERT_TRUE(journal_.Switch(TableJournal::Ready(Followed(100, model::kNewImage)), 100));
  EXPECT_EQ(journal_.horizon().position, late);
  journal_.GiveBack(late, 3, 100);
  EXPECT_EQ(journal_.horizon().position, 100u) << "what new lanes began with is stored";
}

TEST_F(TableJournalTest, LanesChangeBetweenTwoSlots) {
  ASSERT_TRUE(journal_.Switch(TableJournal::Ready(Followed(10, model::kNewImage)), 10));
  const auto before = journal_.Take(UINT64_MAX);
  EXPECT_FALSE(journal_.Switch(TableJournal::Ready(Followed(5, 0)), 10))
      << "position 10 is taken: too late for lanes that begin there";
  EXPECT_EQ(journal_.Take(0)->position, 11u);
  ASSERT_TRUE(journal_.Switch(TableJournal::Ready(Followed(99, model::kOldImage, true)), 100));
  const auto low = journal_.Take(0), high = journal_.Take(UINT64_MAX);
  EXPECT_EQ(before->lane, 1u);
  EXPECT_EQ(low->lane, 2u);
  EXPECT_EQ(high->lane, 3u);
  EXPECT_EQ(low->position, 100u);
  EXPECT_EQ(low->images, model::kOldImage);
  EXPECT_EQ(journal_.horizon().position, 10u) << "slots of the old lanes are still waited for";
  EXPECT_EQ(journal_.Take(UINT64_MAX / 2)->lane, 2u);
  EXPECT_EQ(journal_.Take(UINT64_MAX / 2 + 1)->lane, 3u);
}

TEST_F(TableJournalTest, TimeDoesNotRunBackwardsAlongPositions) {
  ASSERT_TRUE(journal_.Switch(TableJournal::Ready(Followed(1, 0)), 1));
  const int64_t first = journal_.Take(1)->created_millis;
  clock_.AdvanceMillis(-5000);
  EXPECT_EQ(journal_.Take(1)->created_millis, first);
}

TEST_F(TableJournalTest, SlotsAreCountedByLane) {
  ASSERT_TRUE(journal_.Switch(TableJournal::Ready(Followed(1, 0, true)), 2));
  for (int i = 0; i < 3; ++i) journal_.Take(0);
  journal_.Take(UINT64_MAX);
  const auto counts = journal_.TakeCounts();
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts[0].slots, 3u);
  EXPECT_EQ(counts[1].slots, 1u);
  EXPECT_EQ(journal_.TakeCounts()[0].slots, 0u);
}

}  // namespace
}  // namespace armature::table
