#include "table/lanes/journal_state.h"

#include <gtest/gtest.h>

#include "model/sequence_number.h"
#include "table/lanes/lane_changes.h"

namespace armature::table {
namespace {

constexpr storage::HashRange kLow{0, UINT64_MAX / 2}, kHigh{UINT64_MAX / 2 + 1, UINT64_MAX};

// A partition, and where its next record will be.
LanePlace Place(storage::PartitionId id, Position next, storage::HashRange hashes = {}, bool is_ended = false) {
  return {{.id = id, .keyspace = 5, .hashes = hashes, .epoch = 1, .is_ended = is_ended}, next};
}
bool None(const Lane&) { return false; }
bool All(const Lane&) { return true; }

TEST(JournalState, IsReadAsItWasWritten) {
  JournalState state;
  state.streams.push_back({"2026-11-15T08:00:00.000", model::kNewImage, 5, 1, 0, 0});
  state.followers.push_back({"kinesis/1", model::kBothImages, 2});
  state.followers.push_back({"replica", model::kBothImages, 3, Retention::kUntilPassed});
  state.marks.push_back({1000, 20, 3, {{1, 17}, {2, UINT64_MAX / 2}}});
  state.trimmed_records = 2;
  state.trimmed_bytes = 9;
  ASSERT_TRUE(AlignLanes(state, std::vector{Place(7, 10)}, None, 100));
  ASSERT_TRUE(
      AlignLanes(state, std::vector{Place(7, 50, {}, true), Place(8, 50, kLow), Place(9, 60, kHigh)}, None, 200));
  const auto read = DecodeJournalState(EncodeJournalState(state));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(EncodeJournalState(*read), EncodeJournalState(state));
  ASSERT_EQ(read->lanes.size(), 3u);
  EXPECT_EQ(read->lanes[2].hashes, kHigh);
  EXPECT_EQ(read->lanes[2].partition, 9u);
  EXPECT_EQ(read->images(), model::kBothImages);
  EXPECT_TRUE(read->is_followed());
  EXPECT_EQ(read->marks[0].PositionIn(1), 17u);
  EXPECT_EQ(read->marks[0].PositionIn(3), 0u);
  EXPECT_EQ(read->FindShard(state.lanes[1].shard_id())->id, 2u);
  EXPECT_EQ(read->ChildrenOf(1).size(), 2u);
  EXPECT_EQ(read->LanesOf(read->streams[0]).size(), 3u);
  EXPECT_EQ(read->LanesOf(read->followers[0]).size(), 2u);
  EXPECT_EQ(read->followers[0].retention, Retention::kAtMostADay);
  EXPECT_EQ(read->followers[1].retention, Retention::kUntilPassed);
}

// The example of docs/design/formats.md.
TEST(JournalState, BytesAsDocumented) {
  JournalState state;
  state.streams.push_back({"2023-11-14T22:13:20.000", model::kNewImage, 1'700'000'000'000, 1, 0, 0});
  state.followers.push_back({"replica", model::kBothImages, 1, Retention::kUntilPassed});
  state.marks.push_back({1'700'000'100'000, 3, 400, {{1, 4}}});
  ASSERT_TRUE(AlignLanes(state, std::vector{Place(7, 1)}, None, 1'700'000'000'000));
  EXPECT_EQ(
      EncodeJournalState(state),
      R"({"version":1,"nextLane":2,"trimmedRecords":0,"trimmedBytes":0,"lanes":[{"id":1,"parent":0,"partition":7,)"
      R"("hashFirst":"0000000000000000","hashLast":"ffffffffffffffff","first":1,"end":0,"trimmed":1,)"
      R"("created":1700000000000,"closed":0}],"streams":[{"label":"2023-11-14T22:13:20.000","viewType":"NEW_IMAGE",)"
      R"("created":1700000000000,"firstLane":1,"endLane":0,"disabled":0}],"followers":[{"name":"replica",)"
      R"("viewType":"NEW_AND_OLD_IMAGES","firstLane":1,"retention":"untilPassed"}],"marks":[{"at":1700000100000,)"
      R"("records":3,"bytes":400,"positions":[{"lane":1,"position":4}]}]})");
}

TEST(JournalState, DamageIsNoticed) {
  EXPECT_EQ(DecodeJournalState("{").error().code(), StatusCode::kCorruption);
  EXPECT_EQ(DecodeJournalState("{}").error().code(), StatusCode::kCorruption);
  EXPECT_EQ(DecodeJournalState(R"({"version":99})").error().code(), StatusCode::kFormat);
  EXPECT_EQ(DecodeJournalState(R"({"version":1,"nextLane":1,"lanes":[3]})").error().code(), StatusCode::kCorruption);
}

TEST(LaneChanges, ALaneIsRenewedInItsPartition) {
  JournalState state;
  state.followers.push_back({"f", 0, 1});
  EXPECT_TRUE(AlignLanes(state, std::vector{Place(7, 3)}, None, 100));
  EXPECT_FALSE(AlignLanes(state, std::vector{Place(7, 9)}, None, 100)) << "all is as it should be";
  ASSERT_EQ(state.lanes.size(), 1u);
  EXPECT_EQ(state.lanes[0].first, 3u);
  EXPECT_TRUE(AlignLanes(state, std::vector{Place(7, 9)}, All, 90));
  ASSERT_EQ(state.lanes.size(), 2u);
  EXPECT_EQ(state.lanes[0].end, 9u);
  EXPECT_EQ(state.lanes[1].first, 9u);
  EXPECT_EQ(state.lanes[1].parent, 1u);
  EXPECT_EQ(state.lanes[1].created_millis, 100) << "a clock that steps back does not disorder the shards";
  EXPECT_LT(state.lanes[0].shard_id(), state.lanes[1].shard_id());
}

TEST(LaneChanges, WhatBecameOfAPartitionGoesOnWithItsNumbers) {
  JournalState state;
  state.followers.push_back({"f", 0, 1});
  EXPECT_TRUE(AlignLanes(state, std::vector{Place(7, 3)}, None, 100));
  // The high half has been written to since.
  const std::vector places{Place(8, 20, kLow), Place(9, 26, kHigh), Place(7, 20, {}, true)};
  EXPECT_TRUE(AlignLanes(state, places, None, 200));
  ASSERT_EQ(state.lanes.size(), 3u);
  EXPECT_EQ(state.lanes[0].end, 20u);
  for (const size_t child : {1, 2}) {
    EXPECT_EQ(state.lanes[child].parent, 1u);
    EXPECT_EQ(state.lanes[child].first, 20u) << "nothing that it has is left out";
  }
  EXPECT_EQ(state.lanes[1].hashes, kLow);
  EXPECT_FALSE(AlignLanes(state, places, None, 300));
}

TEST(LaneChanges, WhenNobodyFollowsTheyEnd) {
  JournalState state;
  EXPECT_FALSE(AlignLanes(state, std::vector{Place(7, 3)}, All, 100));
  state.followers.push_back({"f", 0, 1});
  EXPECT_TRUE(AlignLanes(state, std::vector{Place(7, 3)}, All, 100));
  state.followers.clear();
  EXPECT_TRUE(AlignLanes(state, std::vector{Place(7, 12)}, None, 400));
  ASSERT_EQ(state.lanes.size(), 1u);
  EXPECT_EQ(state.lanes[0].end, 12u);
  EXPECT_EQ(state.lanes[0].closed_millis, 400);
  state.followers.push_back({"g", 0, 2});
  EXPECT_TRUE(AlignLanes(state, std::vector{Place(7, 15)}, None, 500));
  EXPECT_EQ(state.lanes[1].first, 15u);
  EXPECT_EQ(state.lanes[1].parent, 0u) << "what was between is nobody's";
}

TEST(SequenceNumbers, AreTextOfFixedLength) {
  EXPECT_EQ(model::SequenceNumber(42, 7), "10000000000000000004200000000000000007");
  EXPECT_EQ(model::SequenceNumber(UINT64_MAX, (uint64_t{1} << 56) - 1), "11844674407370955161572057594037927935");
  EXPECT_LT(model::SequenceNumber(42, 7), model::SequenceNumber(43, 2))
      << "an item's records, before and after a split";
  EXPECT_EQ(model::ParseSequenceNumber("10000000000000000004200000000000000007"), 42u);
  EXPECT_EQ(model::ParseSequenceNumber("0010000000000000000004200000000000000007"), 42u);
  EXPECT_EQ(model::ParseSequenceNumber("11844674407370955161600000000000000007"), UINT64_MAX);
  EXPECT_EQ(model::ParseSequenceNumber("9999999999999999999999999999999999999999"), UINT64_MAX);
  EXPECT_EQ(model::ParseSequenceNumber("000000000000000000001"), 0u);
  EXPECT_FALSE(model::ParseSequenceNumber("1000000000000000000420000000000000000x"));
  EXPECT_FALSE(model::ParseSequenceNumber(""));
}

}  // namespace
}  // namespace armature::table
