// The way through the lanes of a journal: order, cursors, lag, end.
#include "followers/lane_walker.h"

#include <random>

#include <gmock/gmock.h>

#include "followers/followers_testing.h"

namespace armature::followers {
namespace {

using table::LaneId;
using table::Position;
using testing::ElementsAre;

using LaneWalkerTest = FollowersTest;

TEST_F(LaneWalkerTest, AChildsTurnComesWhenItsParentIsDone) {
  const auto table = CreateFollowed("f");
  PutNumber(*table, 1);
  PutNumber(*table, 2);
  EndAll(table, true);
  PutNumber(*table, 3);
  TestFollower follower;
  const auto walker = Open(table, "f");
  EXPECT_TRUE(Walk(*walker, follower).has_news);
  EXPECT_THAT(follower.seen, ElementsAre("N:1", "N:2"));
  EXPECT_EQ(walker->lanes().size(), 1u);
  follower.Finish(0);
  EXPECT_FALSE(Walk(*walker, follower).has_news) << "one record of the parent is under way";
  follower.Finish(0);
  EXPECT_FALSE(walker->is_drained());
  EXPECT_TRUE(Walk(*walker, follower).has_news);
  EXPECT_THAT(follower.seen, ElementsAre("N:1", "N:2", "N:3"));
  EXPECT_EQ(walker->lanes().size(), 2u) << "its children, side by side";
}

TEST_F(LaneWalkerTest, ALaneWithoutRecordsIsDoneWhenItsParentIs) {
  const auto table = CreateFollowed("f");
  PutNumber(*table, 1);
  EndAll(table, false);
  EndAll(table, false);  // without a record
  PutNumber(*table, 2);
  TestFollower follower;
  const auto walker = Open(table, "f");
  Walk(*walker, follower);
  Walk(*walker, follower);
  EXPECT_THAT(follower.seen, ElementsAre("N:1")) << "the grandchild waits";
  follower.FinishAll();
  WalkAll(*walker, follower);
  EXPECT_THAT(follower.seen, ElementsAre("N:1", "N:2"));
}

TEST_F(LaneWalkerTest, WhatIsNotFinishedComesAgain) {
  auto table = CreateFollowed("f");
  for (int number = 1; number <= 5; ++number) PutNumber(*table, number);
  {
    TestFollower follower;
    const auto walker = Open(table, "f");
    Walk(*walker, follower);
    follower.Finish(3);
    follower.Finish(1);
    follower.Finish(0);
    ASSERT_TRUE(RunBlocking(walker->Checkpoint()).ok());
    follower.Finish(0);  // behind the checkpoint
  }
  table.reset();
  Restart();
  TestFollower again;
  WalkAll(*Open(Find("t"), "f"), again);
  EXPECT_THAT(again.seen, ElementsAre("N:3", "N:4", "N:5"));
}

TEST_F(LaneWalkerTest, ACheckpointThatFailsIsMadeLater) {
  const auto table = CreateFollowed("f");
  PutNumber(*table, 1);
  TestFollower follower;
  const auto walker = Open(table, "f");
  Walk(*walker, follower);
  follower.FinishAll();
  disk().FailNext(storage::FaultyEngine::Point::kCommit, 1, Status::IoError("test"));
  EXPECT_FALSE(RunBlocking(walker->Checkpoint()).ok());
  EXPECT_TRUE(RunBlocking(journal_->LoadCursors(*table, "f"))->empty());
  EXPECT_TRUE(RunBlocking(walker->Checkpoint()).ok());
  const auto cursors = RunBlocking(journal_->LoadCursors(*table, "f"));
  ASSERT_EQ(cursors->size(), 1u);
  EXPECT_EQ(cursors->front().next, Latest(*table, cursors->front().lane));
}

TEST_F(LaneWalkerTest, WhatHasNoRoomIsOfferedAgain) {
  const auto table = CreateFollowed("f");
  for (int number = 1; number <= 3; ++number) PutNumber(*table, number);
  TestFollower follower;
  follower.room = 2;
  const auto walker = Open(table, "f");
  const auto lane = walker->BeginLanes().begin()->second;
  const Deliver deliver = follower.deliver();
  auto advanced = RunBlocking(lane->Advance({}, deliver));
  EXPECT_EQ(advanced->step, FollowedLane::Step::kNoRoom);
  EXPECT_EQ(advanced->taken, 2u);
  advanced = RunBlocking(lane->Advance({}, deliver));
  EXPECT_EQ(advanced->taken, 0u);
  follower.FinishAll();
  EXPECT_TRUE(lane->view().is_behind);
  EXPECT_LT(lane->view().next, Latest(*table, lane->id())) << "the third is not dealt with";
  advanced = RunBlocking(lane->Advance({}, deliver));
  EXPECT_EQ(advanced->step, FollowedLane::Step::kCaughtUp);
  follower.FinishAll();
  EXPECT_THAT(follower.seen, ElementsAre("N:1", "N:2", "N:3"));
  EXPECT_FALSE(lane->view().is_behind);
  EXPECT_EQ(lane->view().next, Latest(*table, lane->id()));
}

TEST_F(LaneWalkerTest, AWalkHasNoMoreRecordsThanAskedFor) {
  const auto table = CreateFollowed("f");
  EndAll(table, true);
  for (int number = 0; number < 40; ++number) PutNumber(*table, number, fmt::format("k{}", number));
  TestFollower follower;
  const auto walker = Open(table, "f");
  size_t walks = 0;
  for (; Walk(*walker, follower, 7).has_news; ++walks) {
    EXPECT_LE(follower.under_way.size(), 7u);
    follower.FinishAll();
  }
  EXPECT_EQ(follower.seen.size(), 40u);
  EXPECT_LE(walks, 8u) << "lanes share a walk";
}

TEST_F(LaneWalkerTest, TheLagIsOfTheOldestUnderWayAndOfTheFurthestBehind) {
  const auto table = CreateFollowed("f");
  const int64_t written = clock_.NowMillis();
  PutNumber(*table, 1);
  clock_.AdvanceMillis(5000);
  PutNumber(*table, 2);
  TestFollower follower;
  const auto walker = Open(table, "f");
  EXPECT_EQ(walker->oldest_millis(), 0);
  Walk(*walker, follower);
  EXPECT_EQ(walker->oldest_millis(), written);
  EXPECT_EQ(walker->records_behind(), 2u);
  follower.Finish(0);
  EXPECT_EQ(walker->oldest_millis(), written + 5000);
  EXPECT_EQ(walker->records_behind(), 1u);
  follower.Finish(0);
  EXPECT_EQ(walker->oldest_millis(), 0);
  EXPECT_EQ(walker->records_behind(), 0u);
}

TEST_F(LaneWalkerTest, NothingBeginsOrAdvancesOnceItIsStopped) {
  const auto table = CreateFollowed("f");
  PutNumber(*table, 1);
  TestFollower follower;
  const auto walker = Open(table, "f");
  const auto lane = walker->BeginLanes().begin()->second;
  walker->RequestStop();
  const Deliver deliver = follower.deliver();
  EXPECT_EQ(RunBlocking(lane->Advance({}, deliver))->step, FollowedLane::Step::kStopped);
  EXPECT_FALSE(Walk(*walker, follower).has_news);
  EXPECT_TRUE(follower.seen.empty());
}

TEST_F(LaneWalkerTest, AFollowerThatIsRemovedLeavesNothing) {
  const auto table = CreateFollowed("f");
  PutNumber(*table, 1);
  TestFollower follower;
  auto walker = Open(table, "f");
  WalkAll(*walker, follower);
  ASSERT_TRUE(RunBlocking(walker->Checkpoint()).ok());
  EXPECT_EQ(RunBlocking(journal_->LoadCursors(*table, "f"))->size(), 1u);
  ASSERT_TRUE(RunBlocking(LaneWalker::Remove(*journal_, table, "f")).ok());
  EXPECT_TRUE(RunBlocking(journal_->LoadCursors(*table, "f"))->empty());
  EXPECT_FALSE(table->journal().is_followed());
  EXPECT_TRUE(Open(table, "f")->is_drained());
  // One who reads a stream's lanes is not known to the journal, but has cursors.
  SetStream("t", "NEW_IMAGE");
  const LaneId lane = table->journal().state()->lanes.back().id;
  ASSERT_TRUE(RunBlocking(journal_->StoreCursors(*table, "reader", {{lane, 7}})).ok());
  ASSERT_TRUE(RunBlocking(LaneWalker::Remove(*journal_, table, "reader")).ok());
  EXPECT_TRUE(RunBlocking(journal_->LoadCursors(*table, "reader"))->empty());
  EXPECT_TRUE(table->journal().is_followed());
}

TEST_F(LaneWalkerTest, WhatWasTrimmedIsTold) {
  options_.lane_age_millis = 1000 * options_.retention_millis;
  Stop();
  Start();
  const auto table = CreateFollowed("f");
  PutNumber(*table, 1);
  ASSERT_TRUE(RunBlocking(journal_->KeepHouse()).ok());
  clock_.AdvanceMillis(options_.retention_millis);
  ASSERT_TRUE(RunBlocking(journal_->KeepHouse()).ok());
  PutNumber(*table, 2);
  TestFollower follower;
  const auto walker = Open(table, "f");
  bool was_trimmed = false;
  for (bool has_news = true; has_news; follower.FinishAll()) {
    const auto walked = Walk(*walker, follower);
    was_trimmed |= walked.was_trimmed;
    has_news = walked.has_news;
  }
  EXPECT_TRUE(was_trimmed);
  EXPECT_THAT(follower.seen, ElementsAre("N:2"));
}

TEST_F(LaneWalkerTest, ACursorGoesWithItsLane) {
  const auto table = CreateFollowed("f");
  PutNumber(*table, 1);
  EndAll(table, false);
  PutNumber(*table, 2);
  TestFollower follower;
  const auto walker = Open(table, "f");
  WalkAll(*walker, follower);
  ASSERT_TRUE(RunBlocking(walker->Checkpoint()).ok());
  EXPECT_EQ(RunBlocking(journal_->LoadCursors(*table, "f"))->size(), 2u);
  clock_.AdvanceMillis(60'000);
  ASSERT_TRUE(RunBlocking(journal_->KeepHouse()).ok());
  ASSERT_EQ(table->journal().state()->lanes.size(), 1u);
  ASSERT_TRUE(RunBlocking(walker->Checkpoint()).ok());
  EXPECT_EQ(RunBlocking(journal_->LoadCursors(*table, "f"))->size(), 1u) << "though its partition is still there";
}

// Whatever crashes and splits, and in whichever order records are finished: an item's records come in their order, none
// is left out, and what is repeated is repeated in order too.
class LaneWalkerModelTest : public FollowersTest, public testing::WithParamInterface<uint32_t> {
 protected:
  // What the follower's own store has: it outlives crashes of the server.
  void Apply(const model::ChangeRecord& record) {
    const std::string key = expr::Show(record.keys);
    auto& positions = positions_[key];
    if (positions.contains(record.position)) {
      ++repeated_;
      return;
    }
    EXPECT_TRUE(positions.empty() || record.position > *positions.rbegin()) << "out of order";
    EXPECT_EQ(record.has_old ? expr::Show(record.old_image) : "", items_[key]) << "one was left out";
    positions.insert(record.position);
    items_[key] = record.has_new ? expr::Show(record.new_image) : "";
  }
  std::map<std::string, std::set<Position>> positions_;
  std::map<std::string, std::string> items_;
  size_t repeated_ = 0;
};

TEST_P(LaneWalkerModelTest, NothingIsLostOrDisordered) {
  std::mt19937 random(GetParam());
  const auto pick = [&](size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); };
  CreateFollowed("f");
  std::map<std::string, std::string> expected;
  int number = 0;
  for (int life = 0; life < 6; ++life) {
    if (life > 0) Restart();
    const auto table = Find("t");
    TestFollower follower;
    follower.on_record = [&](const model::ChangeRecord& record) { Apply(record); };
    const auto walker = Open(table, "f");
    for (size_t step = 0; step < 60; ++step) {
      switch (pick(8)) {
        case 0: EndAll(table, table->journal().state()->lanes.size() < 20 && pick(3) == 0); break;
        case 1: ASSERT_TRUE(RunBlocking(walker->Checkpoint()).ok()); break;
        case 2:
        case 3:
          follower.room = follower.under_way.size() + pick(4);
          Walk(*walker, follower, 1 + pick(5));
          break;
        case 4:
          if (!follower.under_way.empty()) follower.Finish(pick(follower.under_way.size()));
          break;
        case 5: follower.FinishAll(); break;
        default: {
          const std::string key = fmt::format("k{}", pick(5));
          PutNumber(*table, ++number, key);
          expected["pk=S:" + key] = fmt::format("n=N:{},pk=S:{}", number, key);
        }
      }
    }
  }
  TestFollower follower;
  follower.on_record = [&](const model::ChangeRecord& record) { Apply(record); };
  WalkAll(*Open(Find("t"), "f"), follower);
  EXPECT_EQ(items_, expected);
  EXPECT_GT(repeated_, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LaneWalkerModelTest, testing::Range(1u, 21u));

}  // namespace
}  // namespace armature::followers
