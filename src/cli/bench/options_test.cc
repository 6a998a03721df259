#include "cli/bench/options.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/bench/measure/process_usage.h"

namespace armature::cli::bench {
namespace {

TEST(OptionsTest, Endpoints) {
  const auto endpoint = ParseEndpoint("http://127.0.0.1:8000/");
  ASSERT_TRUE(endpoint.has_value());
  EXPECT_EQ(endpoint->host, "127.0.0.1");
  EXPECT_EQ(endpoint->port, 8000);
  EXPECT_EQ(ParseEndpoint("http://db")->port, 80);
  EXPECT_FALSE(ParseEndpoint("http://db")->is_secure);
  EXPECT_EQ(ParseEndpoint("https://db")->port, 443);
  EXPECT_TRUE(ParseEndpoint("https://db:8443/")->is_secure);
  for (const char* url : {"", "127.0.0.1:8000", "ftp://a:1", "http://", "https://", "http://a:0", "http://a:70000",
                          "http://a:1x", "http://a/b"}) {
    EXPECT_FALSE(ParseEndpoint(url).has_value()) << url;
  }
}

TEST(OptionsTest, Durations) {
  EXPECT_EQ(*ParseDuration("5s"), std::chrono::seconds(5));
  EXPECT_EQ(*ParseDuration("250ms"), std::chrono::milliseconds(250));
  EXPECT_EQ(*ParseDuration("1.5"), std::chrono::milliseconds(1500));
  EXPECT_EQ(*ParseDuration("2m"), std::chrono::minutes(2));
  for (const char* text : {"", "s", "5h", "-1s", "5 s", "1e99"}) EXPECT_FALSE(ParseDuration(text).has_value()) << text;
}

Result<Options, int> Parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "armature bench");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  return ParseOptions(static_cast<int>(argv.size()), argv.data());
}

TEST(OptionsTest, Partitions) {
  const auto plain = Parse({"--workload", "query-100"});
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->partition_items, 1000u);
  EXPECT_EQ(plain->place, Place::kAnywhere);
  const auto chosen = Parse({"--workload", "query-100", "--partition-items", "1000000", "--where", "end"});
  ASSERT_TRUE(chosen.has_value());
  EXPECT_EQ(chosen->partition_items, 1'000'000u);
  EXPECT_EQ(chosen->place, Place::kEnd);
  EXPECT_FALSE(Parse({"--workload", "query-100", "--where", "behind"}).has_value());
  EXPECT_FALSE(Parse({"--workload", "query-100", "--partition-items", "0"}).has_value());
}

TEST(OptionsTest, DaxNodes) {
  const auto node = ParseDaxEndpoint("dax://127.0.0.1:8111");
  ASSERT_TRUE(node.has_value());
  EXPECT_EQ(node->host, "127.0.0.1");
  EXPECT_EQ(node->port, 8111);
  EXPECT_FALSE(node->is_secure);
  for (const char* url : {"", "http://a:1", "daxs://a:1", "dax://", "dax://a:0", "dax://a/b"})
    EXPECT_FALSE(ParseDaxEndpoint(url).has_value()) << url;

  const auto parsed = Parse({"--workload", "get", "--dax", "dax://127.0.0.1:8111"});
  ASSERT_TRUE(parsed.has_value());
  ASSERT_TRUE(parsed->dax.has_value());
  EXPECT_EQ(parsed->dax->port, 8111);
  EXPECT_FALSE(Parse({"--workload", "get"})->dax.has_value());
  EXPECT_TRUE(Parse({"--workload", "put", "--dax", "dax://127.0.0.1:8111"}).has_value());
  EXPECT_FALSE(Parse({"--workload", "query-100", "--dax", "dax://127.0.0.1:8111"}).has_value());
  EXPECT_FALSE(Parse({"--workload", "get", "--dax", "127.0.0.1:8111"}).has_value());
}

TEST(ProcessUsageTest, CountsThisProcess) {
  const ProcessUsage usage = ReadProcessUsage({getpid()});
  EXPECT_EQ(usage.processes, 1);
  EXPECT_GT(usage.rss_bytes, 100'000u);
  EXPECT_EQ(ReadProcessUsage({}).processes, 0);
}

}  // namespace
}  // namespace armature::cli::bench
