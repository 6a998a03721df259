// A destination's life and what reaches the stream: states, order, refusals, crashes. Kinesis is a socket server that
// answers as the test tells it; test/wire/test_kinesis.py does the same with kinesalite.
#include "workers/kinesis/kinesis_delivery.h"

#include <gmock/gmock.h>

#include "model/messages/streams.h"
#include "table/journal/lane_testing.h"
#include "workers/kinesis/kinesis_testing.h"

namespace armature::workers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Next = KinesisDelivery::Next;

TEST_F(KinesisDeliveryTest, ChangesArriveInOrderWithBothImages) {
  Put("before", "not followed yet");
  MakeActive();
  Put("a", "1");
  Put("b", "2");
  Put("a", "3");
  Put("a", "3");  // changes nothing
  EXPECT_EQ(RunBlocking(TestWrite::Delete(*table_, "pk=S:a")->Execute(layer_->writes)), "ok");
  EXPECT_EQ(Run().next, Next::kAwaitRecords);

  const auto received = kinesis_.received();
  ASSERT_EQ(received.size(), 4u);
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\"", "\"2\"", "\"3\"", "(none)"));
  EXPECT_EQ(received[0].partition_key, received[2].partition_key);
  EXPECT_EQ(received[0].partition_key, received[3].partition_key);
  EXPECT_NE(received[0].partition_key, received[1].partition_key);
  EXPECT_THAT(received[0].partition_key, testing::MatchesRegex("[0-9A-F]{32}"));

  const std::string& modified = received[2].data;
  EXPECT_EQ(Member(modified, "/eventName"), "\"MODIFY\"");
  EXPECT_EQ(Member(modified, "/tableName"), "\"tbl\"");
  EXPECT_EQ(Member(modified, "/awsRegion"), "\"r\"");
  EXPECT_EQ(Member(modified, "/eventSource"), "\"aws:dynamodb\"");
  EXPECT_EQ(Member(modified, "/recordFormat"), "\"application/json\"");
  EXPECT_EQ(Member(modified, "/userIdentity"), "null");
  EXPECT_EQ(Member(modified, "/dynamodb/Keys"), R"({"pk":{"S":"a"}})");
  EXPECT_EQ(Member(modified, "/dynamodb/OldImage/v"), R"({"S":"1"})");
  EXPECT_EQ(Member(modified, "/dynamodb/NewImage/v"), R"({"S":"3"})");
  EXPECT_EQ(Member(modified, "/dynamodb/SizeBytes"), "13") << "pk+a, and twice pk+a+v+3";
  EXPECT_EQ(Member(modified, "/dynamodb/ApproximateCreationDateTime"), fmt::format("{}", clock_.NowMillis()));
  EXPECT_EQ(Member(modified, "/dynamodb/ApproximateCreationDateTimePrecision"), "(none)");
  EXPECT_EQ(Member(received[3].data, "/eventName"), "\"REMOVE\"");
  EXPECT_EQ(Metric("armature_kinesis_records_delivered_total"), "4");
}

TEST_F(KinesisDeliveryTest, TimesAreAsPreciseAsAskedFor) {
  MakeActive("MILLISECOND");
  Put("a", "1");
  Run();
  Change([](TableDef& def) { def.kinesis.front().precision = "MICROSECOND"; });
  SetStatus(KinesisStatus::kUpdating);
  Put("a", "2");
  Run();
  EXPECT_EQ(State(), "ACTIVE");
  const auto received = kinesis_.received();
  ASSERT_EQ(received.size(), 2u);
  const std::string precision = "/dynamodb/ApproximateCreationDateTimePrecision";
  EXPECT_EQ(Member(received[0].data, precision), "\"MILLISECOND\"");
  EXPECT_EQ(Member(received[1].data, precision), "\"MICROSECOND\"");
  EXPECT_EQ(Member(received[1].data, "/dynamodb/ApproximateCreationDateTime").size(), 16u);
}

TEST_F(KinesisDeliveryTest, WhatKinesisDoesNotTakeIsSentAgainWithWhatFollowsIt) {
  MakeActive();
  for (const char* value : {"1", "2", "3", "4"}) Put(*value % 2 ? "odd" : "even", value);
  kinesis_.FailMembers({0});
  const auto outcome = Run();
  EXPECT_EQ(outcome.next, Next::kPause);
  EXPECT_GT(outcome.pause.count(), 0);
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"2\"", "\"3\"", "\"4\""));
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"2\"", "\"3\"", "\"4\"", "\"1\"", "\"3\""))
      << "an item's last record is the last to arrive";
  const auto received = kinesis_.received();
  EXPECT_EQ(Member(received[1].data, "/eventID"), Member(received[4].data, "/eventID"));
}

TEST_F(KinesisDeliveryTest, AnUnreachableStreamIsTriedAgainEverMoreSlowly) {
  MakeActive();
  Put("a", "1");
  kinesis_.FailRequests("ProvisionedThroughputExceededException", 3);
  const auto first = Run(), second = Run(), third = Run();
  EXPECT_EQ(first.next, Next::kPause);
  EXPECT_LT(first.pause, second.pause);
  EXPECT_LT(second.pause, third.pause);
  clock_.AdvanceMillis(7000);
  EXPECT_EQ(Metric("armature_kinesis_lag_seconds"), "7");
  EXPECT_EQ(Metric("armature_kinesis_failures_total"), "3");
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  EXPECT_EQ(Metric("armature_kinesis_lag_seconds"), "0");
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\""));
}

TEST_F(KinesisDeliveryTest, OnlyARecordThatIsTooLargeIsGivenUp) {
  MakeActive();
  Put("a", "1");
  // Every \x01 is six characters of JSON.
  const std::string item = "pk=S:large,v=S:" + std::string(200'000, '\x01');
  EXPECT_EQ(RunBlocking(TestWrite::Put(*table_, item)->Execute(layer_->writes)), "ok");
  Put("b", "2");
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\"", "\"2\""));
  EXPECT_EQ(Metric("armature_kinesis_records_dropped_total"), "1");

  kinesis_.FailRequests("ValidationException", 2);
  Put("c", "kept");
  EXPECT_EQ(Run().next, Next::kPause) << "a refusal that size does not explain is no reason to lose a record";
  Run();
  Run();
  EXPECT_EQ(kinesis_.Values().back(), "\"kept\"");
}

TEST_F(KinesisDeliveryTest, ManyRecordsGoInRequestsOfAtMostFiveHundred) {
  MakeActive();
  for (int i = 0; i < 1203; ++i) Put(fmt::format("k{}", i), fmt::format("{}", i));
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  EXPECT_EQ(kinesis_.received().size(), 1203u);
  EXPECT_EQ(kinesis_.requests(), 3u);
}

TEST_F(KinesisDeliveryTest, ACrashRepeatsButLosesNothing) {
  MakeActive();
  Put("a", "1");
  Run();
  Put("a", "2");
  kinesis_.LoseNextReply();
  EXPECT_EQ(Run().next, Next::kPause);
  Crash();
  Put("a", "3");
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\"", "\"2\"", "\"2\"", "\"3\""));
  const auto received = kinesis_.received();
  EXPECT_EQ(Member(received[1].data, "/eventID"), Member(received[2].data, "/eventID"));
  Crash();
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  EXPECT_EQ(kinesis_.received().size(), 4u) << "what was noted is not sent again";
}

TEST_F(KinesisDeliveryTest, AnItemsOrderHoldsAcrossSplitLanes) {
  MakeActive();
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 20; ++i) Put(fmt::format("k{}", i), fmt::format("{:02}", round));
    const auto lanes = table_->journal().state()->lanes;
    for (const auto& lane : lanes) {
      if (!lane.is_open()) continue;
      ASSERT_TRUE(table::EndLane(*journal_, table_, lane.id, round % 2 == 0).ok());
      // And its child at once, without a record.
      const table::LaneId child = table_->journal().state()->ChildrenOf(lane.id).front()->id;
      ASSERT_TRUE(table::EndLane(*journal_, table_, child, false).ok());
    }
  }
  EXPECT_EQ(Run().next, Next::kAwaitRecords);
  std::map<std::string, std::vector<std::string>> by_key;
  for (const auto& record : kinesis_.received())
    by_key[record.partition_key].push_back(Member(record.data, "/dynamodb/NewImage/v/S"));
  ASSERT_EQ(by_key.size(), 20u);
  for (const auto& [key, values] : by_key) EXPECT_THAT(values, ElementsAre("\"00\"", "\"01\"", "\"02\"", "\"03\""));
}

TEST_F(KinesisDeliveryTest, DisablingDeliversWhatIsThereAndEndsTheFollowing) {
  MakeActive();
  Put("a", "1");
  SetStatus(KinesisStatus::kDisabling);
  EXPECT_EQ(Run().next, Next::kEnd);
  EXPECT_EQ(State(), "DISABLED");
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\""));
  EXPECT_FALSE(table_->journal().is_followed());
  Put("a", "2");
  MakeActive();
  Put("a", "3");
  Run();
  EXPECT_THAT(kinesis_.Values(), ElementsAre("\"1\"", "\"3\"")) << "what came in between is not caught up with";
}

TEST_F(KinesisDeliveryTest, DisablingDoesNotWaitForAStreamThatIsGone) {
  MakeActive();
  Put("a", "1");
  kinesis_.FailRequests("ResourceNotFoundException", 1000);
  SetStatus(KinesisStatus::kDisabling);
  EXPECT_EQ(Run().next, Next::kEnd);
  EXPECT_EQ(State(), "DISABLED");
}

TEST_F(KinesisDeliveryTest, AStreamThatCannotBeUsedFails) {
  const auto fails_with = [&](std::string_view why, const std::string& arn = kArn) {
    Enable(arn);
    EXPECT_EQ(Run().next, Next::kEnd);
    EXPECT_EQ(State(), "ENABLE_FAILED");
    EXPECT_EQ(Why(), why);
    EXPECT_FALSE(table_->journal().is_followed());
  };
  fails_with(model::messages::kKinesisOtherRegion, "arn:aws:kinesis:elsewhere:1:stream/changes");
  fails_with(model::messages::kKinesisNotPermitted, "arn:aws:dynamodb:r:1:table/changes");
  kinesis_.SetStreamStatus("CREATING");
  fails_with(model::messages::kKinesisNotPermitted);
  kinesis_.SetStreamStatus("DELETING");
  fails_with(model::messages::kKinesisStreamNotActive);
  kinesis_.SetStreamStatus("");
  fails_with(model::messages::kKinesisNotPermitted);
  Start("");
  fails_with(model::messages::kKinesisNoEndpoint);
}

TEST_F(KinesisDeliveryTest, AnEndpointThatDoesNotAnswerIsGivenAMinute) {
  std::string gone;
  {
    gone = TinyHttpServer([](const std::string&) { return std::string(); }).Url();
  }
  Start(gone);
  Enable();
  EXPECT_EQ(Run().next, Next::kPause);
  EXPECT_EQ(State(), "ENABLING");
  clock_.AdvanceMillis(KinesisDelivery::kEnableMillis);
  EXPECT_EQ(Run().next, Next::kEnd);
  EXPECT_EQ(State(), "ENABLE_FAILED");
  EXPECT_THAT(Why(), HasSubstr(gone));
}

TEST_F(KinesisDeliveryTest, ADeletedTableEndsDelivery) {
  MakeActive();
  const auto agree = [](TableDef&) -> model::ApiResult<void> { return {}; };
  ASSERT_TRUE(RunBlocking(layer_->catalog.Delete(table::kScope, "tbl", agree)).has_value());
  EXPECT_EQ(Run().next, Next::kEnd);
}

}  // namespace
}  // namespace armature::workers
