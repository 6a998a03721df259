#include "table/throttle/resource_throttle.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "table/throttle/throttle_error.h"

namespace armature::table {
namespace {

using model::BillingMode;

class ResourceThrottleTest : public testing::Test {
 protected:
  void Provision(int64_t read_units, int64_t write_units) {
    throttle_.Configure(rules_, {BillingMode::kProvisioned, {.read_units = read_units, .write_units = write_units}});
  }
  void SetOnDemand(model::OnDemandThroughput maximum = {}) {
    throttle_.Configure(rules_, {BillingMode::kPayPerRequest, {}, maximum});
  }
  // So many operations of a unit each are let in and done.
  int64_t Use(table::Use use, int64_t most = 100'000) { return UseOf(partition_, use, most); }
  int64_t UseOf(const ResourceThrottle::Ceilings& partition, table::Use use, int64_t most = 100'000) {
    for (int64_t done = 0; done < most; ++done) {
      Admission admission;
      last_ = throttle_.Admit(use, 1, partition, admission);
      if (last_ != Limit::kNone) return done;
      admission.Settle(1);
    }
    return most;
  }

  ManualClock clock_;
  RunningClock running_{clock_};
  ThrottleRules rules_{&running_, false};
  ResourceThrottle throttle_;
  ResourceThrottle::Ceilings partition_ = std::make_shared<PartitionCeilings>();
  Limit last_ = Limit::kNone;
};

constexpr auto kRead = Use::kRead;
constexpr auto kWrite = Use::kWrite;

TEST_F(ResourceThrottleTest, NothingIsLimitedUntilItIsSaid) {
  EXPECT_FALSE(throttle_.limits(kRead));
  EXPECT_EQ(Use(kWrite), 100'000);
  throttle_.Configure({}, {BillingMode::kProvisioned, {.read_units = 1, .write_units = 1}});
  EXPECT_FALSE(throttle_.limits(kWrite)) << "nor without rules";
  SetOnDemand();
  EXPECT_FALSE(throttle_.limits(kWrite)) << "nor on demand";
}

TEST_F(ResourceThrottleTest, ReadsAndWritesAreApart) {
  Provision(2, 1);
  EXPECT_EQ(Use(kWrite), 300);
  EXPECT_EQ(last_, Limit::kProvisioned);
  EXPECT_EQ(Use(kRead), 600);
  EXPECT_EQ(throttle_.refusals(kRead), 1u);
  clock_.AdvanceMillis(10'000);
  EXPECT_EQ(Use(kWrite), 10);
  EXPECT_EQ(Use(kRead), 20);
}

TEST_F(ResourceThrottleTest, WhatIsLetInIsSettledWhenItsCostIsKnown) {
  Provision(1, 1);
  {
    Admission larger, smaller, kept;
    ASSERT_EQ(throttle_.Admit(kWrite, 1, partition_, larger), Limit::kNone);
    ASSERT_EQ(throttle_.Admit(kWrite, 10, partition_, smaller), Limit::kNone);
    ASSERT_EQ(throttle_.Admit(kWrite, 5, partition_, kept), Limit::kNone);
    EXPECT_EQ(throttle_.Balance(kWrite, *partition_), 300 - 16);
    larger.Settle(100);
    smaller.Settle(2);
    kept.Keep();
  }
  EXPECT_EQ(throttle_.Balance(kWrite, *partition_), 300 - 107);
}

TEST_F(ResourceThrottleTest, OfWhatCameToNothingAllIsGivenBack) {
  Provision(1, 1);
  {
    Admission first, second;
    ASSERT_EQ(throttle_.Admit(kWrite, 100, partition_, first), Limit::kNone);
    second = std::move(first);
    EXPECT_EQ(throttle_.Balance(kWrite, *partition_), 200);
    second = Admission();
    EXPECT_EQ(throttle_.Balance(kWrite, *partition_), 300);
    second = throttle_.Pay(kWrite, 50, partition_);
  }
  EXPECT_EQ(throttle_.Balance(kWrite, *partition_), 300);
}

TEST_F(ResourceThrottleTest, AMaximumOnDemand) {
  SetOnDemand({.max_read_units = {}, .max_write_units = 5});
  EXPECT_FALSE(throttle_.limits(kRead));
  EXPECT_EQ(Use(kWrite), 1500);
  EXPECT_EQ(last_, Limit::kOnDemandMaximum);
  SetOnDemand();
  EXPECT_EQ(Use(kWrite), 100'000) << "taken away, it counts no more";
}

TEST_F(ResourceThrottleTest, ThroughputChangesAtOnce) {
  Provision(1, 1);
  Use(kWrite);
  Provision(1, 100);
  EXPECT_EQ(Use(kWrite), 0);
  clock_.AdvanceMillis(1000);
  EXPECT_EQ(Use(kWrite), 100);
  SetOnDemand();
  EXPECT_EQ(Use(kWrite), 100'000);
  Provision(1, 100);
  EXPECT_EQ(Use(kWrite), 0) << "nothing was saved";
}

TEST_F(ResourceThrottleTest, AnOperationThatWasLetInOutlivesItsLimit) {
  Provision(1, 1);
  Admission admission;
  ASSERT_EQ(throttle_.Admit(kWrite, 1, partition_, admission), Limit::kNone);
  SetOnDemand();
  admission.Settle(10);
  Admission free;
  ASSERT_EQ(throttle_.Admit(kWrite, 1, partition_, free), Limit::kNone);
  Provision(1, 1);
  free.Settle(10);
  EXPECT_EQ(throttle_.Balance(kWrite, *partition_), 299);
}

// --- partitions

class PartitionLimitsTest : public ResourceThrottleTest {
 protected:
  PartitionLimitsTest() { rules_.has_partition_limits = true; }
  ResourceThrottle::Ceilings other_ = std::make_shared<PartitionCeilings>();
};

TEST_F(PartitionLimitsTest, OnePartitionServesThreeThousandAndAThousand) {
  SetOnDemand();
  EXPECT_EQ(Use(kRead), 3000);
  EXPECT_EQ(last_, Limit::kKeyRange);
  EXPECT_EQ(Use(kWrite), 1000);
  EXPECT_EQ(UseOf(other_, kWrite), 1000) << "and another as much";
  clock_.AdvanceMillis(300'000);
  EXPECT_EQ(Use(kWrite), 1000) << "whatever was not used before";
}

TEST_F(PartitionLimitsTest, APartitionMayUseWhatOthersLeave) {
  Provision(400, 400);
  throttle_.Pay(kWrite, 300 * 400, std::make_shared<PartitionCeilings>()).Keep();  // what was saved is gone
  int64_t of_one = 0, of_other = 0;
  for (int second = 0; second < 10; ++second) {
    clock_.AdvanceMillis(1000);
    of_other += UseOf(other_, kWrite, 250);
    of_one += UseOf(partition_, kWrite, 1000);
  }
  EXPECT_EQ(of_other, 2500);
  EXPECT_EQ(of_one, 1500) << "150 a second, though a quarter of 400 is 100";
}

TEST_F(PartitionLimitsTest, ThatOfTheTableIsAskedFirst) {
  Provision(1, 1);
  EXPECT_EQ(Use(kWrite), 300);
  EXPECT_EQ(last_, Limit::kProvisioned);
  Provision(40'000, 40'000);
  clock_.AdvanceMillis(300'000);
  EXPECT_EQ(Use(kWrite), 1000);
  EXPECT_EQ(last_, Limit::kKeyRange);
  const double before = throttle_.Balance(kWrite, *other_);
  Use(kWrite);
  EXPECT_EQ(throttle_.Balance(kWrite, *other_), before) << "who is refused by the partition gets the table's back";
}

TEST_F(PartitionLimitsTest, AsManyPartitionsAreWantedAsTheThroughputNeeds) {
  const auto wanted = [&](const ResourceThrottle::Settings& settings) {
    throttle_.Configure(rules_, settings);
    return throttle_.wanted_partitions();
  };
  const auto provisioned = [&](int64_t reads, int64_t writes) {
    return wanted({BillingMode::kProvisioned, {.read_units = reads, .write_units = writes}});
  };
  EXPECT_EQ(provisioned(5, 5), 1u);
  EXPECT_EQ(provisioned(1500, 500), 1u);
  EXPECT_EQ(provisioned(3000, 500), 2u);
  EXPECT_EQ(provisioned(3000, 2000), 4u) << "three, rounded up";
  EXPECT_EQ(provisioned(40'000, 40'000), 64u);
  EXPECT_EQ(wanted({}), 4u) << "on demand";
  EXPECT_EQ(wanted({BillingMode::kPayPerRequest, {}, {}, {.read_units = 30'000, .write_units = 4000}}), 16u);
  rules_.has_partition_limits = false;
  ResourceThrottle unlimited;
  unlimited.Configure(rules_, {});
  EXPECT_EQ(unlimited.wanted_partitions(), 1u);
}

// --- what is told

std::string Told(BillingMode mode, bool is_index, Use use, Limit limit, bool is_transaction = false) {
  model::TableDef table;
  table.account = "123456789012";
  table.region = "eu-west-1";
  table.name = "Orders";
  table.billing_mode = mode;
  model::IndexDef index;
  index.name = "by_g";
  const model::ApiError error = ThrottleError(table, is_index ? &index : nullptr, use, limit, is_transaction);
  EXPECT_EQ(error.http_status, 400);
  EXPECT_TRUE(IsThrottleError(error));
  return std::string(model::ErrorFamilyPrefix(error.family)) + error.name + " " + error.extra_json_members + " " +
         error.message.substr(0, error.message.find('.'));
}

constexpr auto kProvisioned = BillingMode::kProvisioned;
constexpr auto kOnDemand = BillingMode::kPayPerRequest;

TEST(ThrottleError, OfAProvisionedTable) {
  EXPECT_EQ(Told(kProvisioned, false, kWrite, Limit::kProvisioned),
            "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException "
            R"("ThrottlingReasons":[{"reason":"TableWriteProvisionedThroughputExceeded",)"
            R"("resource":"arn:aws:dynamodb:eu-west-1:123456789012:table/Orders"}] )"
            "The level of configured provisioned throughput for the table was exceeded");
  EXPECT_EQ(Told(kProvisioned, false, kRead, Limit::kKeyRange),
            "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException "
            R"("ThrottlingReasons":[{"reason":"TableReadKeyRangeThroughputExceeded",)"
            R"("resource":"arn:aws:dynamodb:eu-west-1:123456789012:table/Orders"}] )"
            "The level of configured provisioned throughput for the table was exceeded");
  EXPECT_EQ(Told(kProvisioned, true, kWrite, Limit::kProvisioned),
            "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException "
            R"("ThrottlingReasons":[{"reason":"IndexWriteProvisionedThroughputExceeded",)"
            R"("resource":"arn:aws:dynamodb:eu-west-1:123456789012:table/Orders/index/by_g"}] )"
            "The level of configured provisioned throughput for one or more global secondary indexes of the table was "
            "exceeded");
}

TEST(ThrottleError, OfATableOnDemand) {
  EXPECT_EQ(Told(kOnDemand, false, kRead, Limit::kOnDemandMaximum),
            "com.amazon.coral.availability#ThrottlingException "
            R"("throttlingReasons":[{"reason":"TableReadMaxOnDemandThroughputExceeded",)"
            R"("resource":"arn:aws:dynamodb:eu-west-1:123456789012:table/Orders"}] )"
            "Throughput exceeds the maximum OnDemandThroughput configured on table or index");
  EXPECT_EQ(Told(kOnDemand, false, kWrite, Limit::kKeyRange),
            "com.amazon.coral.availability#ThrottlingException "
            R"("throttlingReasons":[{"reason":"TableWriteKeyRangeThroughputExceeded",)"
            R"("resource":"arn:aws:dynamodb:eu-west-1:123456789012:table/Orders"}] )"
            "Throughput exceeds the current capacity of your table or index");
}

// Captured on AWS: a single write that an index's maximum stops is told otherwise than a transaction.
TEST(ThrottleError, OfAnIndexWithAMaximum) {
  EXPECT_EQ(Told(kOnDemand, true, kWrite, Limit::kOnDemandMaximum),
            "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException "
            R"("ThrottlingReasons":[{"reason":"IndexWriteMaxOnDemandThroughputExceeded",)"
            R"("resource":"arn:aws:dynamodb:eu-west-1:123456789012:table/Orders/index/by_g"}] )"
            "The level of configured provisioned throughput for one or more global secondary indexes of the table was "
            "exceeded");
  EXPECT_EQ(Told(kOnDemand, true, kWrite, Limit::kOnDemandMaximum, /*is_transaction=*/true),
            "com.amazon.coral.availability#ThrottlingException "
            R"("throttlingReasons":[{"reason":"IndexWriteMaxOnDemandThroughputExceeded",)"
            R"("resource":"arn:aws:dynamodb:eu-west-1:123456789012:table/Orders/index/by_g"}] )"
            "Throughput exceeds the current capacity for one or more global secondary indexes");
  EXPECT_EQ(Told(kOnDemand, true, kRead, Limit::kOnDemandMaximum),
            "com.amazon.coral.availability#ThrottlingException "
            R"("throttlingReasons":[{"reason":"IndexReadMaxOnDemandThroughputExceeded",)"
            R"("resource":"arn:aws:dynamodb:eu-west-1:123456789012:table/Orders/index/by_g"}] )"
            "Throughput exceeds the maximum OnDemandThroughput configured on table or index");
}

}  // namespace
}  // namespace armature::table
