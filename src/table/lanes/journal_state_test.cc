#include "table/lanes/journal_state.h"

#include <gtest/gtest.h>

#include "model/sequence_number.h"
#include "table/lanes/lane_changes.h"

namespace armature::table {
namespace {

TEST(JournalState, IsReadAsItWasWritten) {
  JournalState state;
  state.next_position = 77;
  state.streams.push_back({"2026-11-15T08:00:00.000", model::kNewImage, 5, 10, 0, 0});
  state.followers.push_back({"kinesis/1", model::kBothImages, 12});
  state.marks.push_back({1000, 20, 3, 400});
  state.trimmed_records = 2;
  state.trimmed_bytes = 9;
  RenewAllLanes(state, 10, 100);
  ASSERT_TRUE(RenewLane(state, 1, true, 50, 200));
  const auto read = DecodeJournalState(EncodeJournalState(state));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(EncodeJournalState(*read), EncodeJournalState(state));
  ASSERT_EQ(read->lanes.size(), 3u);
  EXPECT_EQ(read->lanes[2].hash_last, UINT64_MAX);
  EXPECT_EQ(read->images(), model::kBothImages);
  EXPECT_TRUE(read->is_followed());
  EXPECT_EQ(read->FindShard(state.lanes[1].shard_id())->id, 2u);
  EXPECT_EQ(read->ChildrenOf(1).size(), 2u);
}

TEST(JournalState, DamageIsNoticed) {
  EXPECT_EQ(DecodeJournalState("{").error().code(), StatusCode::kCorruption);
  EXPECT_EQ(DecodeJournalState("{}").error().code(), StatusCode::kCorruption);
  EXPECT_EQ(DecodeJournalState(R"({"version":99})").error().code(), StatusCode::kFormat);
  EXPECT_EQ(DecodeJournalState(R"({"version":1,"nextPosition":1,"nextLane":1,"lanes":[3]})").error().code(),
            StatusCode::kCorruption);
}

TEST(LaneChanges, CloseAndGoOn) {
  JournalState state;
  state.followers.push_back({"f", 0, 1});
  RenewAllLanes(state, 1, 100);
  ASSERT_EQ(state.lanes.size(), 1u);
  ASSERT_TRUE(RenewLane(state, 1, true, 5, 90));
  EXPECT_FALSE(RenewLane(state, 1, true, 6, 90)) << "closed";
  EXPECT_EQ(state.lanes[0].end, 5u);
  EXPECT_EQ(state.lanes[1].created_millis, 100) << "a clock that steps back does not disorder the shards";
  EXPECT_LT(state.lanes[1].shard_id(), state.lanes[2].shard_id());
  RenewAllLanes(state, 9, 300);
  EXPECT_EQ(state.lanes.size(), 5u);
  state.followers.clear();
  RenewAllLanes(state, 12, 400);
  EXPECT_EQ(state.lanes.size(), 5u) << "nobody follows: no new lanes";
  for (const Lane& lane : state.lanes) EXPECT_FALSE(lane.is_open());
}

TEST(SequenceNumbers, AreTextOfFixedLength) {
  EXPECT_EQ(model::SequenceNumber(42), "100000000000000000042");
  EXPECT_EQ(model::SequenceNumber(UINT64_MAX), "118446744073709551615");
  EXPECT_EQ(model::ParseSequenceNumber("100000000000000000042"), 42u);
  EXPECT_EQ(model::ParseSequenceNumber("000100000000000000000042"), 42u);
  EXPECT_EQ(model::ParseSequenceNumber("118446744073709551616"), UINT64_MAX);
  EXPECT_EQ(model::ParseSequenceNumber("999999999999999999999999"), UINT64_MAX);
  EXPECT_EQ(model::ParseSequenceNumber("000000000000000000001"), 0u);
  EXPECT_FALSE(model::ParseSequenceNumber("10000000000000000004x"));
  EXPECT_FALSE(model::ParseSequenceNumber(""));
}

}  // namespace
}  // namespace armature::table
