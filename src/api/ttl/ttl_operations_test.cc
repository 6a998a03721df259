// UpdateTimeToLive and DescribeTimeToLive: states, errors and their texts.
#include "api/api_testing.h"

namespace armature::api {
namespace {

constexpr const char* kEnable =
    R"({"TableName":"Tbl","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ttl"}})";
constexpr const char* kDisable =
    R"({"TableName":"Tbl","TimeToLiveSpecification":{"Enabled":false,"AttributeName":"ttl"}})";

class TtlOperationsTest : public ApiFixture {
 protected:
  using ApiFixture::ApiFixture;
  std::string Describe() { return MustCall("DescribeTimeToLive", R"({"TableName":"Tbl"})"); }
  void SetUp() override {
    CreateSimpleTable();
    clock_.AdvanceMillis(catalog_.control_plane_delay_millis());
  }
};

TEST_F(TtlOperationsTest, WithoutTtl) {
  EXPECT_EQ(Describe(), R"({"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}})");
}

TEST_F(TtlOperationsTest, OnAndOff) {
  EXPECT_EQ(MustCall("UpdateTimeToLive", kEnable),
            R"({"TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ttl"}})");
  EXPECT_EQ(Describe(), R"({"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"ttl"}})");
  EXPECT_EQ(MustCall("UpdateTimeToLive", kDisable),
            R"({"TimeToLiveSpecification":{"Enabled":false,"AttributeName":"ttl"}})");
  EXPECT_EQ(Describe(), R"({"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}})");
}

TEST_F(TtlOperationsTest, WhatChangesNothingIsRefused) {
  EXPECT_EQ(MustFail("UpdateTimeToLive", kDisable), "ValidationException: TimeToLive is already disabled");
  MustCall("UpdateTimeToLive", kEnable);
  EXPECT_EQ(MustFail("UpdateTimeToLive", kEnable), "ValidationException: TimeToLive is already enabled");
  for (const char* enabled : {"true", "false"}) {
    const std::string other = std::string(R"({"TableName":"Tbl","TimeToLiveSpecification":{"Enabled":)") + enabled +
                              R"(,"AttributeName":"other"}})";
    EXPECT_EQ(MustFail("UpdateTimeToLive", other),
              "ValidationException: TimeToLive is active on a different AttributeName: current AttributeName is ttl");
  }
}

TEST_F(TtlOperationsTest, Constraints) {
  const auto with = [&](std::string_view specification) {
    return MustFail("UpdateTimeToLive",
                    R"({"TableName":"Tbl","TimeToLiveSpecification":)" + std::string(specification) + "}");
  };
  EXPECT_EQ(with(R"({"Enabled":true,"AttributeName":""})"),
            "ValidationException: 1 validation error detected: Value '' at 'timeToLiveSpecification.attributeName' "
            "failed to satisfy constraint: Member must have length greater than or equal to 1");
  EXPECT_EQ(with(R"({"Enabled":true})"),
            "ValidationException: 1 validation error detected: Value null at 'timeToLiveSpecification.attributeName' "
            "failed to satisfy constraint: Member must not be null");
  EXPECT_EQ(with(R"({"AttributeName":"ttl"})"),
            "ValidationException: 1 validation error detected: Value null at 'timeToLiveSpecification.enabled' "
            "failed to satisfy constraint: Member must not be null");
  EXPECT_EQ(MustFail("UpdateTimeToLive", R"({"TableName":"Tbl"})"),
            "ValidationException: 1 validation error detected: Value null at 'timeToLiveSpecification' "
            "failed to satisfy constraint: Member must not be null");
}

TEST_F(TtlOperationsTest, NoSuchTable) {
  const std::string missing = "ResourceNotFoundException: Requested resource not found: Table: Nope not found";
  EXPECT_EQ(MustFail("DescribeTimeToLive", R"({"TableName":"Nope"})"), missing);
  EXPECT_EQ(MustFail("UpdateTimeToLive",
                     R"({"TableName":"Nope","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ttl"}})"),
            missing);
}

TEST_F(TtlOperationsTest, ANameMayBeAnArn) {
  const std::string arn = R"("TableName":"arn:aws:dynamodb:us-east-1:123456789012:table/Tbl")";
  MustCall("UpdateTimeToLive", "{" + arn + R"(,"TimeToLiveSpecification":{"Enabled":true,"AttributeName":"until"}})");
  EXPECT_EQ(MustCall("DescribeTimeToLive", "{" + arn + "}"),
            R"({"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"until"}})");
}

TEST_F(TtlOperationsTest, TtlSurvivesOtherChangesOfTheTable) {
  MustCall("UpdateTimeToLive", kEnable);
  MustCall("UpdateTable", R"({"TableName":"Tbl","DeletionProtectionEnabled":true})");
  EXPECT_EQ(Describe(), R"({"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"ttl"}})");
}

class SlowTtlOperationsTest : public TtlOperationsTest {
 protected:
  SlowTtlOperationsTest() : TtlOperationsTest(1000) {}
  void Settle() {
    clock_.AdvanceMillis(1000);
    RunBlocking(ttl_setup_.Step());
  }
};

TEST_F(SlowTtlOperationsTest, StatesPassAndASecondChangeMustWait) {
  const std::string too_often =
      "ValidationException: Time to live has been modified multiple times within a fixed interval";
  MustCall("UpdateTimeToLive", kEnable);
  EXPECT_EQ(Describe(), R"({"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLING","AttributeName":"ttl"}})");
  EXPECT_EQ(MustFail("UpdateTimeToLive", kEnable), "ValidationException: TimeToLive is already enabled");
  EXPECT_EQ(MustFail("UpdateTimeToLive", kDisable), too_often);
  Settle();
  EXPECT_EQ(Describe(), R"({"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"ttl"}})");
  MustCall("UpdateTimeToLive", kDisable);
  EXPECT_EQ(Describe(), R"({"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLING","AttributeName":"ttl"}})");
  EXPECT_EQ(MustFail("UpdateTimeToLive", kDisable), "ValidationException: TimeToLive is already disabled");
  EXPECT_EQ(MustFail("UpdateTimeToLive", kEnable), too_often);
  Settle();
  EXPECT_EQ(Describe(), R"({"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}})");
}

TEST_F(SlowTtlOperationsTest, TablesInTheMakingAreInUse) {
  MustCall("CreateTable", R"({"TableName":"Other","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})");
  constexpr const char* kEnableOther =
      R"({"TableName":"Other","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ttl"}})";
  EXPECT_EQ(
      MustFail("UpdateTimeToLive", kEnableOther),
      "ResourceInUseException: Attempt to change a resource which is still in use: Table is being created: Other");
  clock_.AdvanceMillis(1000);
  MustCall("DeleteTable", R"({"TableName":"Other"})");
  EXPECT_EQ(
      MustFail("UpdateTimeToLive", kEnableOther),
      "ResourceInUseException: Attempt to change a resource which is still in use: Table is being deleted: Other");
}

}  // namespace
}  // namespace armature::api
