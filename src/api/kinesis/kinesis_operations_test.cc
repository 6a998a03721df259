// The operations on Kinesis destinations: replies, refusals, and what they leave in the table's definition. Delivery
// itself is tested in workers/kinesis/kinesis_delivery_test.cc.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/api_testing.h"
#include "model/messages/streams.h"

namespace armature::api {
namespace {

using model::KinesisStatus;
using testing::HasSubstr;
namespace messages = model::messages;

constexpr std::string_view kArn = "arn:aws:kinesis:us-east-1:123456789012:stream/changes";

class KinesisOperationsTest : public ApiFixture {
 protected:
  KinesisOperationsTest() { CreateSimpleTable(); }

  static std::string Request(std::string_view more = {}, std::string_view arn = kArn) {
    return fmt::format(R"({{"TableName":"Tbl","StreamArn":"{}"{}}})", arn, more);
  }
  std::string Describe() { return MustCall("DescribeKinesisStreamingDestination", R"({"TableName":"Tbl"})"); }
  // What the worker does to the latest destination.
  void SetStatus(KinesisStatus status) {
    const auto change = [&](model::TableDef& table) -> model::ApiResult<void> {
      table.kinesis.front().status = status;
      return {};
    };
    ASSERT_TRUE(RunBlocking(catalog_.Update({"123456789012", "us-east-1"}, "Tbl", change)).has_value());
  }
  static std::string Refusal(std::string_view message) { return "ValidationException: " + std::string(message); }
};

TEST_F(KinesisOperationsTest, ADestinationIsDescribedThroughItsLife) {
  EXPECT_EQ(Describe(), R"({"KinesisDataStreamDestinations":[],"TableName":"Tbl"})");
  EXPECT_EQ(
      MustCall("EnableKinesisStreamingDestination", Request()),
      fmt::format(R"({{"DestinationStatus":"ENABLING","EnableKinesisStreamingConfiguration":{{}},"StreamArn":"{}",)"
                  R"("TableName":"Tbl"}})",
                  kArn));
  EXPECT_THAT(Describe(), HasSubstr(R"([{"DestinationStatus":"ENABLING","StreamArn":)"));
  SetStatus(KinesisStatus::kActive);
  EXPECT_THAT(
      MustCall(
          "UpdateKinesisStreamingDestination",
          Request(R"(,"UpdateKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MICROSECOND"})")),
      HasSubstr(
          R"("UPDATING","UpdateKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MICROSECOND"})"));
  EXPECT_THAT(Describe(),
              HasSubstr(R"({"ApproximateCreationDateTimePrecision":"MICROSECOND","DestinationStatus":"UPDATING",)"));
  SetStatus(KinesisStatus::kActive);
  EXPECT_THAT(MustCall("DisableKinesisStreamingDestination", Request()), HasSubstr(R"("DISABLING")"));
  EXPECT_THAT(MustCall("DisableKinesisStreamingDestination", Request()), HasSubstr(R"("DISABLING")"))
      << "again is fine";
  SetStatus(KinesisStatus::kDisabled);
  MustCall("EnableKinesisStreamingDestination", Request());
  EXPECT_EQ(Describe(),
            fmt::format(R"({{"KinesisDataStreamDestinations":[{{"DestinationStatus":"ENABLING","StreamArn":"{}"}}],)"
                        R"("TableName":"Tbl"}})",
                        kArn))
      << "the same entry, its precision forgotten";
}

TEST_F(KinesisOperationsTest, OnlyOneDestinationIsLive) {
  const std::string other = Request({}, "arn:aws:kinesis:us-east-1:123456789012:stream/others");
  MustCall("EnableKinesisStreamingDestination", Request());
  for (const auto status :
       {KinesisStatus::kEnabling, KinesisStatus::kActive, KinesisStatus::kUpdating, KinesisStatus::kDisabling}) {
    SetStatus(status);
    EXPECT_EQ(MustFail("EnableKinesisStreamingDestination", Request()), Refusal(messages::kKinesisCannotEnable));
    EXPECT_EQ(MustFail("EnableKinesisStreamingDestination", other), Refusal(messages::kKinesisCannotEnable));
  }
  SetStatus(KinesisStatus::kEnableFailed);
  MustCall("EnableKinesisStreamingDestination", other);
  const auto def = catalog_.Find({"123456789012", "us-east-1"}, "Tbl")->def();
  ASSERT_EQ(def->kinesis.size(), 2u);
  EXPECT_THAT(def->kinesis[0].stream_arn, HasSubstr("others")) << "the latest first";
  EXPECT_NE(def->kinesis[0].generation, def->kinesis[1].generation);
}

TEST_F(KinesisOperationsTest, ChangesWantAnActiveDestination) {
  const std::string micro =
      Request(R"(,"UpdateKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MICROSECOND"})");
  EXPECT_EQ(MustFail("DisableKinesisStreamingDestination", Request()), Refusal(messages::kKinesisCannotDisable));
  EXPECT_EQ(MustFail("UpdateKinesisStreamingDestination", micro),
            Refusal(fmt::format(messages::kKinesisNoDestination, kArn, "Tbl")));
  EXPECT_EQ(MustFail("UpdateKinesisStreamingDestination", Request()), Refusal(messages::kKinesisNothingToUpdate));
  MustCall("EnableKinesisStreamingDestination", Request());
  EXPECT_EQ(MustFail("DisableKinesisStreamingDestination", Request()), Refusal(messages::kKinesisCannotDisable));
  EXPECT_EQ(MustFail("UpdateKinesisStreamingDestination", micro),
            Refusal(fmt::format(messages::kKinesisNotActive, "Tbl", kArn)));
  SetStatus(KinesisStatus::kActive);
  const std::string uuid = catalog_.Find({"123456789012", "us-east-1"}, "Tbl")->def()->uuid;
  EXPECT_EQ(
      MustFail(
          "UpdateKinesisStreamingDestination",
          Request(R"(,"UpdateKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MILLISECOND"})")),
      Refusal(fmt::format(messages::kKinesisSamePrecision, "MILLISECOND", uuid, kArn)))
      << "what was never chosen is MILLISECOND";
  EXPECT_EQ(
      MustFail(
          "DisableKinesisStreamingDestination",
          Request(R"(,"EnableKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MICROSECOND"})")),
      Refusal(messages::kKinesisDisabledWithConfiguration));
}

TEST_F(KinesisOperationsTest, DefinitionsSurviveTheCatalogue) {
  MustCall("EnableKinesisStreamingDestination",
           Request(R"(,"EnableKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MICROSECOND"})"));
  SetStatus(KinesisStatus::kActive);
  table::Catalog reborn(*engine_, clock_, 0);
  ASSERT_TRUE(RunBlocking(reborn.Load()).ok());
  const auto def = reborn.Find({"123456789012", "us-east-1"}, "Tbl")->def();
  ASSERT_EQ(def->kinesis.size(), 1u);
  const auto& destination = def->kinesis.front();
  EXPECT_EQ(destination.stream_arn, kArn);
  EXPECT_EQ(destination.status, KinesisStatus::kActive);
  EXPECT_EQ(destination.precision, "MICROSECOND");
  EXPECT_EQ(destination.generation, 1u);
}

class SlowKinesisOperationsTest : public ApiFixture {
 protected:
  SlowKinesisOperationsTest() : ApiFixture(1000) {}
};

TEST_F(SlowKinesisOperationsTest, ATableBeingCreatedIsNotThereYet) {
  CreateSimpleTable();
  const std::string request = fmt::format(R"({{"TableName":"Tbl","StreamArn":"{}"}})", kArn);
  EXPECT_THAT(MustFail("EnableKinesisStreamingDestination", request), HasSubstr("ResourceNotFoundException"));
  EXPECT_THAT(MustFail("DescribeKinesisStreamingDestination", R"({"TableName":"Tbl"})"),
              HasSubstr("Requested resource not found: Table: Tbl not found"));
  clock_.AdvanceMillis(1000);
  MustCall("EnableKinesisStreamingDestination", request);
}

}  // namespace
}  // namespace armature::api
