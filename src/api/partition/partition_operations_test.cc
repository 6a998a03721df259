// The partitions of a table: listed, split, and everything still there afterwards.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "api/api_testing.h"

namespace armature::api {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kList = R"({"TableName":"Tbl"})";

struct Listed {
  int64_t id = 0;
  uint64_t first = 0;
  uint64_t last = 0;
  int64_t epoch = 0;
  bool is_ended = false;
};

class PartitionsTest : public ApiFixture {
 protected:
  using ApiFixture::ApiFixture;

  static std::vector<Listed> Read(simdjson::dom::element owner) {
    std::vector<Listed> found;
    for (const simdjson::dom::element one : owner["Partitions"]) {
      const auto hash = [&](std::string_view name) {
        const std::string_view text = one[name];
        EXPECT_EQ(text.size(), 16u);
        return std::stoull(std::string(text), nullptr, 16);
      };
      const std::string_view status = one["Status"];
      EXPECT_TRUE(status == "ACTIVE" || status == "ENDED") << status;
      found.push_back({one["PartitionId"], hash("FirstHash"), hash("LastHash"), one["Epoch"], status == "ENDED"});
    }
    return found;
  }
  static std::vector<Listed> Read(const std::string& body) {
    simdjson::dom::parser parser;
    return Read(simdjson::dom::element(parser.parse(body)));
  }
  std::vector<Listed> List() { return Read(MustCall("ListPartitions", kList)); }
  static std::string SplitRequest(int64_t id) { return fmt::format(R"({{"TableName":"Tbl","PartitionId":{}}})", id); }
  std::vector<Listed> Split(int64_t id) { return Read(MustCall("SplitPartition", SplitRequest(id))); }

  // Those in use come first, one behind the other, and have every hash.
  static size_t CheckInUse(const std::vector<Listed>& partitions) {
    size_t in_use = 0;
    uint64_t next = 0;
    for (const Listed& one : partitions) {
      if (one.is_ended) continue;
      EXPECT_EQ(&one - partitions.data(), static_cast<ptrdiff_t>(in_use)) << "in front of those that have ended";
      EXPECT_EQ(one.first, next);
      EXPECT_LE(one.first, one.last);
      next = one.last + 1;
      ++in_use;
    }
    EXPECT_EQ(next, 0u) << "behind the last hash";
    return in_use;
  }

  void Put(int number) {
    MustCall("PutItem",
             fmt::format(R"({{"TableName":"Tbl","Item":{{"pk":{{"S":"k{0}"}},"n":{{"N":"{0}"}}}}}})", number));
  }
  // Items 0 to `count` - 1 are there, by GetItem and by Scan, and no others.
  void CheckItems(int count) {
    for (int i = 0; i < count; ++i)
      EXPECT_EQ(MustCall("GetItem", fmt::format(R"({{"TableName":"Tbl","Key":{{"pk":{{"S":"k{}"}}}}}})", i)),
                fmt::format(R"({{"Item":{{"n":{{"N":"{0}"}},"pk":{{"S":"k{0}"}}}}}})", i));
    const std::string body = MustCall("Scan", R"({"TableName":"Tbl","ConsistentRead":true})");
    simdjson::dom::parser parser;
    simdjson::dom::element page = parser.parse(body);
    std::set<std::string> keys;
    for (const simdjson::dom::element item : page["Items"]) keys.emplace(std::string_view(item["pk"]["S"]));
    EXPECT_EQ(keys.size(), static_cast<size_t>(count));
    EXPECT_EQ(int64_t{page["Count"]}, count) << "none twice";
  }
};

TEST_F(PartitionsTest, AFreshTableHasOneWithEveryHash) {
  CreateSimpleTable();
  const std::vector<Listed> partitions = List();
  ASSERT_EQ(partitions.size(), 1u);
  EXPECT_EQ(MustCall("ListPartitions", kList),
            fmt::format(R"({{"Partitions":[{{"PartitionId":{},"FirstHash":"0000000000000000",)"
                        R"("LastHash":"ffffffffffffffff","Epoch":{},"ReadUnits":0.0,"WriteUnits":0.0,)"
                        R"("BackgroundWriteUnits":0.0,"Status":"ACTIVE"}}],"GlobalSecondaryIndexes":[]}})",
                        partitions[0].id, partitions[0].epoch));
  EXPECT_GE(partitions[0].id, 1);
}

TEST_F(PartitionsTest, ASplitDividesInTheMiddleAndKeepsEveryItem) {
  CreateSimpleTable();
  for (int i = 0; i < 50; ++i) Put(i);
  const int64_t parent = List()[0].id;
  const std::vector<Listed> halves = Split(parent);
  ASSERT_EQ(halves.size(), 3u);
  EXPECT_EQ(CheckInUse(halves), 2u);
  EXPECT_EQ(halves[0].last, UINT64_MAX / 2);
  EXPECT_EQ(halves[2].id, parent);
  EXPECT_TRUE(halves[2].is_ended);
  CheckItems(50);
  for (int i = 50; i < 100; ++i) Put(i);
  CheckItems(100);

  const std::vector<Listed> more = Split(halves[1].id);
  EXPECT_EQ(CheckInUse(more), 3u);
  EXPECT_EQ(more[0].id, halves[0].id) << "the other half is as it was";
  CheckItems(100);
  for (int i = 0; i < 100; ++i) Put(i);
  CheckItems(100);

  ASSERT_TRUE(RunBlocking(journal_.KeepHouse()).ok());
  EXPECT_EQ(CheckInUse(List()), 3u);
  EXPECT_EQ(List().size(), 3u) << "nobody needs those that have ended";
}

TEST_F(PartitionsTest, GlobalIndexesHaveTheirOwn) {
  MustCall("CreateTable", R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},
        {"AttributeName":"g","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
      "LocalSecondaryIndexes":[{"IndexName":"local","Projection":{"ProjectionType":"ALL"},
        "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"g","KeyType":"RANGE"}]}],
      "GlobalSecondaryIndexes":[{"IndexName":"global","Projection":{"ProjectionType":"ALL"},
        "KeySchema":[{"AttributeName":"g","KeyType":"HASH"}]}]})");
  const std::string body = MustCall("ListPartitions", kList);
  simdjson::dom::parser parser;
  simdjson::dom::element listed = parser.parse(body);
  simdjson::dom::array indexes = listed["GlobalSecondaryIndexes"];
  ASSERT_EQ(indexes.size(), 1u);
  EXPECT_EQ(std::string_view(indexes.at(0)["IndexName"]), "global");
  const std::vector<Listed> of_index = Read(simdjson::dom::element(indexes.at(0)));
  ASSERT_EQ(of_index.size(), 1u);
  EXPECT_EQ(CheckInUse(of_index), 1u);
  EXPECT_NE(of_index[0].id, List()[0].id);
  EXPECT_EQ(CheckInUse(Split(of_index[0].id)), 1u) << "the table's own are as they were";
  const std::string after = MustCall("ListPartitions", kList);
  simdjson::dom::element split = parser.parse(after);
  EXPECT_EQ(CheckInUse(Read(simdjson::dom::element(split["GlobalSecondaryIndexes"].at(0)))), 2u);
}

TEST_F(PartitionsTest, ThereIsALimit) {
  CreateSimpleTable();
  // In the middle of the widest: one of a single hash cannot be split.
  const auto widest = [](const std::vector<Listed>& partitions) {
    const auto width = [](const Listed& one) { return one.is_ended ? 0 : one.last - one.first; };
    return std::ranges::max_element(partitions, {}, width)->id;
  };
  std::vector<Listed> partitions = List();
  for (size_t count = 1; count < table::kMostPartitions; ++count) partitions = Split(widest(partitions));
  Put(1);
  EXPECT_EQ(MustFail("SplitPartition", SplitRequest(widest(partitions))),
            "LimitExceededException: A table or an index has at most 1000 partitions");
  CheckInUse(List());
  Put(0);
  CheckItems(2);
}

TEST_F(PartitionsTest, WhatCannotBeSplit) {
  CreateSimpleTable();
  for (const std::string_view operation : {"ListPartitions", "SplitPartition"})
    EXPECT_EQ(MustFail(operation, R"({"TableName":"Nowhere","PartitionId":1})"),
              "ResourceNotFoundException: Requested resource not found: Table: Nowhere not found");
  const auto not_found = [](int64_t id) {
    return fmt::format(
        "ResourceNotFoundException: Requested resource not found: Table: Tbl has no partition {} that can be split: "
        "one "
        "that is in use and has more than one hash",
        id);
  };
  EXPECT_EQ(MustFail("SplitPartition", SplitRequest(999)), not_found(999));
  const int64_t parent = List()[0].id;
  Split(parent);
  EXPECT_EQ(MustFail("SplitPartition", SplitRequest(parent)), not_found(parent)) << "it was split";
  EXPECT_THAT(MustFail("SplitPartition", SplitRequest(0)),
              AllOf(HasSubstr("ValidationException"), HasSubstr("partitionId")));
  EXPECT_THAT(MustFail("SplitPartition", kList), AllOf(HasSubstr("ValidationException"), HasSubstr("partitionId")));
  EXPECT_THAT(MustFail("SplitPartition", "{}"), HasSubstr("The parameter 'TableName' is required"));
  EXPECT_THAT(MustFail("ListPartitions", "{}"), HasSubstr("The parameter 'TableName' is required"));
  EXPECT_EQ(CheckInUse(List()), 2u);
}

// Every partition has a half that has its first hash, and so has that: in the end there is a single one.
TEST_F(PartitionsTest, ASingleHashIsNotSplit) {
  CreateSimpleTable();
  Listed lowest = List()[0];
  while (lowest.first != lowest.last) lowest = Split(lowest.id)[0];
  EXPECT_EQ(lowest.first, 0u);
  EXPECT_THAT(MustFail("SplitPartition", SplitRequest(lowest.id)), HasSubstr("ResourceNotFoundException"));
  EXPECT_EQ(CheckInUse(List()), 65u);
}

TEST_F(PartitionsTest, ANameMayBeAnArn) {
  CreateSimpleTable();
  EXPECT_EQ(MustCall("ListPartitions", R"({"TableName":"arn:aws:dynamodb:us-east-1:123456789012:table/Tbl"})"),
            MustCall("ListPartitions", kList));
}

TEST_F(PartitionsTest, AStreamsShardIsSplitWithItsPartition) {
  const std::string created = MustCall("CreateTable", R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST",
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
      "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"}})");
  simdjson::dom::parser parser;
  const std::string arn(std::string_view(parser.parse(created)["TableDescription"]["LatestStreamArn"]));
  for (int i = 0; i < 20; ++i) Put(i);
  Split(List()[0].id);
  for (int i = 20; i < 40; ++i) Put(i);
  CheckItems(40);

  const std::string described = MustCall("DescribeStream", fmt::format(R"({{"StreamArn":"{}"}})", arn));
  simdjson::dom::array shards = parser.parse(described)["StreamDescription"]["Shards"];
  ASSERT_EQ(shards.size(), 3u);
  const std::string parent(std::string_view(shards.at(0)["ShardId"]));
  EXPECT_FALSE(shards.at(0)["SequenceNumberRange"]["EndingSequenceNumber"].error()) << "closed";
  for (size_t child = 1; child < 3; ++child) {
    EXPECT_EQ(std::string_view(shards.at(child)["ParentShardId"]), parent);
    EXPECT_TRUE(shards.at(child)["SequenceNumberRange"]["EndingSequenceNumber"].error()) << "open";
  }
  // Records keep the parent for a day.
  ASSERT_TRUE(RunBlocking(journal_.KeepHouse()).ok());
  EXPECT_EQ(List().size(), 3u);
  EXPECT_TRUE(List()[2].is_ended);
}

// Tables take time to come and to go here.
class SlowTablesTest : public PartitionsTest {
 protected:
  SlowTablesTest() : PartitionsTest(1000) {}

  void Settle() {
    clock_.AdvanceMillis(1000);
    EXPECT_TRUE(RunBlocking(catalog_.RunDueTransitions()).ok());
  }
};

TEST_F(SlowTablesTest, ATableThatComesOrGoesIsNotSplit) {
  CreateSimpleTable();
  const int64_t id = List()[0].id;
  EXPECT_EQ(MustFail("SplitPartition", SplitRequest(id)),
            "ResourceInUseException: Attempt to change a resource which is still in use: Table is being created: Tbl");
  Settle();
  MustCall("UpdateTable", R"({"TableName":"Tbl","DeletionProtectionEnabled":false})");
  EXPECT_EQ(CheckInUse(Split(id)), 2u) << "while the table is being updated";
  Settle();
  MustCall("DeleteTable", R"({"TableName":"Tbl"})");
  EXPECT_EQ(MustFail("SplitPartition", SplitRequest(List()[0].id)),
            "ResourceInUseException: Attempt to change a resource which is still in use: Table is being deleted: Tbl");
}

}  // namespace
}  // namespace armature::api
