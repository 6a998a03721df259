#include "wire/json/change_json.h"

#include <gtest/gtest.h>

namespace armature::wire {
namespace {

class ChangeJsonTest : public testing::Test {
 protected:
  ChangeJsonTest() {
    record_.kind = model::ChangeRecord::Kind::kRemove;
    record_.position = 7;
    record_.created_millis = 1'700'000'000'123;
    record_.event_id[0] = 0x0123456789abcdef;
    record_.event_id[1] = 1;
    record_.keys = record_.old_image = {entries_, 1};
    record_.keys_size = record_.old_size = 3;
    record_.has_old = true;
  }

  const model::MapEntry entries_[1] = {{"pk", model::Value::String("k")}};
  model::ChangeRecord record_;
  ChangeSource source_{"us-east-1", "Tbl", "arn:stream", model::kOldImage};
};

constexpr std::string_view kHead =
    R"({"eventID":"0123456789abcdef0000000000000001","eventName":"REMOVE","eventVersion":"1.1","eventSource":"aws:dynamodb",)"
    R"("awsRegion":"us-east-1","dynamodb":{"ApproximateCreationDateTime":1700000000,"Keys":{"pk":{"S":"k"}},)";
constexpr std::string_view kTail = R"("SequenceNumber":"10000000000000000000700000000000000000","StreamViewType":)";

TEST_F(ChangeJsonTest, AsGetRecordsShowsIt) {
  std::string out;
  AppendStreamRecord(record_, source_, out);
  EXPECT_EQ(out, std::string(kHead) + R"("OldImage":{"pk":{"S":"k"}},"SizeBytes":6,)" + std::string(kTail) +
                     R"("OLD_IMAGE"}})");
}

TEST_F(ChangeJsonTest, WhatTheViewDoesNotHaveIsLeftOut) {
  source_.images = model::kNewImage;
  std::string out;
  AppendStreamRecord(record_, source_, out);
  EXPECT_EQ(out, std::string(kHead) + R"("SizeBytes":3,)" + std::string(kTail) + R"("NEW_IMAGE"}})");
}

TEST_F(ChangeJsonTest, DeletionsByTtlCarryTheServiceAsIdentity) {
  record_.by_ttl = true;
  std::string streams, lambda;
  AppendStreamRecord(record_, source_, streams);
  EXPECT_TRUE(streams.ends_with(R"(,"userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}})"));
  AppendLambdaRecord(record_, source_, lambda);
  EXPECT_TRUE(lambda.ends_with(
      R"(,"userIdentity":{"principalId":"dynamodb.amazonaws.com","type":"Service"},"eventSourceARN":"arn:stream"})"));
}

TEST_F(ChangeJsonTest, AsKinesisShowsIt) {
  std::string out;
  AppendKinesisRecord(record_, source_, "MICROSECOND", out);
  EXPECT_EQ(out,
            R"({"awsRegion":"us-east-1","eventID":"01234567-89ab-cdef-0000-000000000001","eventName":"REMOVE",)"
            R"("userIdentity":null,"recordFormat":"application/json","tableName":"Tbl","dynamodb":{)"
            R"("ApproximateCreationDateTime":1700000000123000,"Keys":{"pk":{"S":"k"}},"OldImage":{"pk":{"S":"k"}},)"
            R"("SizeBytes":6,"ApproximateCreationDateTimePrecision":"MICROSECOND"},"eventSource":"aws:dynamodb"})");
}

}  // namespace
}  // namespace armature::wire
