#include "table/lanes/table_journal.h"

#include <gtest/gtest.h>

namespace armature::table {
namespace {

std::shared_ptr<const JournalState> Followed(model::Images images) {
  auto state = std::make_shared<JournalState>();
  state->followers.push_back({"f", images, 1});
  return state;
}

TEST(TableJournal, NobodyFollowsAtFirst) { EXPECT_FALSE(TableJournal().is_followed()); }

TEST(TableJournal, WhatIsWantedIsWantedBeforeAndUntilAfter) {
  TableJournal journal;
  journal.WantAlso(*Followed(model::kNewImage));
  EXPECT_TRUE(journal.is_followed());
  EXPECT_EQ(journal.wanted(), model::kNewImage);
  journal.Publish(Followed(model::kNewImage));
  journal.WantAlso(*Followed(model::kOldImage));
  EXPECT_EQ(journal.wanted(), model::kBothImages);
  journal.WantAlso(JournalState());
  EXPECT_EQ(journal.wanted(), model::kBothImages) << "whoever ceases to follow does so with the state";
  journal.Publish(Followed(model::kOldImage));
  EXPECT_EQ(journal.wanted(), model::kOldImage);
  journal.Publish(std::make_shared<JournalState>());
  EXPECT_FALSE(journal.is_followed());
}

TEST(TableJournal, CountsAndRings) {
  TableJournal journal;
  journal.Count(1, 10);
  JournalBell bell;
  const uint64_t seen = bell.Await(0, std::chrono::milliseconds(0));
  journal.Attach(bell);
  journal.Count(2, 30);
  EXPECT_EQ(journal.records(), 3u);
  EXPECT_EQ(journal.bytes(), 40u);
  EXPECT_GT(bell.Await(seen, std::chrono::milliseconds(0)), seen);
}

}  // namespace
}  // namespace armature::table
