// The command line of `armature partition`, and what it makes of a reply.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "cli/partition/options.h"
#include "cli/partition/partition_table.h"

namespace armature::cli::partition {
namespace {

std::string NoVariable(const char*) { return {}; }

Result<Options, int> Parse(const std::vector<const char*>& arguments) {
  std::vector<const char*> argv{"armature partition"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return ParseOptions(static_cast<int>(argv.size()), argv.data(), NoVariable);
}

TEST(PartitionOptionsTest, ListNeedsATableAndNothingElse) {
  const auto options = Parse({"list", "Music"});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->action, Action::kList);
  EXPECT_EQ(options->table, "Music");
  EXPECT_FALSE(options->is_json);
  EXPECT_EQ(options->endpoint.url, "http://127.0.0.1:8000");
  EXPECT_EQ(options->endpoint.region, "us-east-1");
}

TEST(PartitionOptionsTest, SplitNamesAPartition) {
  const auto options =
      Parse({"split", "Music", "5", "--json", "--endpoint", "http://localhost:9000/", "--region", "eu-west-1"});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->action, Action::kSplit);
  EXPECT_EQ(options->table, "Music");
  EXPECT_EQ(options->partition, 5);
  EXPECT_TRUE(options->is_json);
  EXPECT_EQ(options->endpoint.url, "http://localhost:9000");
  EXPECT_EQ(options->endpoint.region, "eu-west-1");
}

TEST(PartitionOptionsTest, ABadCommandLineIsTwoAndHelpIsZero) {
  const std::vector<std::vector<const char*>> bad = {
      {},
      {"merge", "Music"},
      {"list"},
      {"list", "Music", "5"},
      {"split", "Music"},
      {"split", "Music", "0"},
      {"split", "Music", "five"},
      {"split", "Music", "5", "6"},
      {"list", "Music", "--endpoint", "localhost"},
      {"list", "Music", "--profile", "nobody"},
      {"list", "Music", "--unknown"},
  };
  for (const auto& arguments : bad) {
    const auto options = Parse(arguments);
    ASSERT_FALSE(options.has_value()) << testing::PrintToString(arguments);
    EXPECT_EQ(options.error(), 2) << testing::PrintToString(arguments);
  }
  for (const auto& arguments : std::vector<std::vector<const char*>>{{"--help"}, {"list", "--help"}}) {
    const auto options = Parse(arguments);
    ASSERT_FALSE(options.has_value());
    EXPECT_EQ(options.error(), 0);
  }
}

std::string Render(const std::string& json) {
  simdjson::dom::parser parser;
  const auto text = RenderPartitions(parser.parse(json));
  return text ? *text : "error: " + text.error().message();
}

TEST(PartitionTableTest, ALinePerPartitionAndIndexesBehind) {
  EXPECT_EQ(Render(R"({"Partitions":[
      {"PartitionId":7,"FirstHash":"0000000000000000","LastHash":"7fffffffffffffff","Epoch":1,
       "ReadUnits":0.5,"WriteUnits":1234567.0,"BackgroundWriteUnits":0.0,"Status":"ACTIVE"},
      {"PartitionId":10,"FirstHash":"8000000000000000","LastHash":"8fffffffffffffff","Epoch":2,
       "ReadUnits":12.0,"WriteUnits":0.0,"BackgroundWriteUnits":3.0,"Status":"ACTIVE"},
      {"PartitionId":5,"FirstHash":"0000000000000000","LastHash":"ffffffffffffffff","Epoch":1,
       "ReadUnits":0.0,"WriteUnits":0.0,"BackgroundWriteUnits":0.0,"Status":"ENDED"}],
      "GlobalSecondaryIndexes":[{"IndexName":"by-album","Partitions":[
      {"PartitionId":6,"FirstHash":"0000000000000000","LastHash":"ffffffffffffffff","Epoch":1,
       "ReadUnits":0.0,"WriteUnits":2.0,"BackgroundWriteUnits":0.0,"Status":"ACTIVE"}]}]})"),
            "partition  hashes                                share  epoch  read-units  write-units  status\n"
            "        7  0000000000000000-7fffffffffffffff      50 %      1         0.5      1234567  ACTIVE\n"
            "       10  8000000000000000-8fffffffffffffff    6.25 %      2          12            0  ACTIVE\n"
            "        5  0000000000000000-ffffffffffffffff         -      1           0            0  ENDED\n"
            "index by-album\n"
            "        6  0000000000000000-ffffffffffffffff     100 %      1           0            2  ACTIVE\n");
}

TEST(PartitionTableTest, WhatIsNoListIsTold) {
  for (const char* json : {R"({})", R"({"Partitions":[{}]})",
                           R"({"Partitions":[{"PartitionId":1,"FirstHash":"0",)"
                           R"("LastHash":"1","Epoch":1,"ReadUnits":0.0,"WriteUnits":0.0,"Status":"ACTIVE"}]})",
                           R"({"Partitions":[],"GlobalSecondaryIndexes":[{"IndexName":"i"}]})"})
    EXPECT_EQ(Render(json), "error: the endpoint's answer is not a list of partitions") << json;
}

}  // namespace
}  // namespace armature::cli::partition
