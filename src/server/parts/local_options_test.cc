#include "server/parts/local_options.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace armature::server {
namespace {

ServeOptions Parsed(const std::vector<std::string>& arguments) {
  const LocalOptions local = ParseLocalOptions(arguments);
  EXPECT_TRUE(local.parsed.options.has_value()) << local.parsed.text;
  return local.parsed.options.value_or(ServeOptions{});
}

TEST(LocalOptions, DefaultsAreThoseOfDynamoDbLocal) {
  const ServeOptions options = Parsed({});
  EXPECT_EQ(options.port, 8000);
  EXPECT_FALSE(options.in_memory);
  EXPECT_EQ(options.data_directory, "./armature-data");
  EXPECT_EQ(options.sharing, TableSharing::kPerKeyAndRegion);
  EXPECT_EQ(options.control_plane_delay_millis, 0);
  EXPECT_TRUE(options.cors_origins.empty());
  EXPECT_EQ(options.host, "127.0.0.1");  // this is not: see docs/compatibility.md
  EXPECT_EQ(options.region, "ddblocal");
  EXPECT_EQ(options.account, "000000000000");
}

TEST(LocalOptions, EveryBehaviourIsOn) {
  const model::Compatibility compatibility = Parsed({}).compatibility;
  EXPECT_TRUE(compatibility.asks_everybody_for_a_token);
  EXPECT_TRUE(compatibility.reads_numbers_from_text);
  EXPECT_TRUE(compatibility.drops_unused_definitions);
  EXPECT_TRUE(compatibility.words_repeated_definitions);
  EXPECT_TRUE(compatibility.drops_throughput_on_demand);
  EXPECT_TRUE(compatibility.never_throttles);
}

TEST(LocalOptions, FlagsBecomeThoseOfServe) {
  const ServeOptions options = Parsed({"-port", "8123", "-sharedDb", "-dbPath", "/tmp/somewhere", "-cors",
                                       "http://localhost:3000, https://a.example", "-delayTransientStatuses",
                                       "-optimizeDbBeforeStartup", "-disableTelemetry"});
  EXPECT_EQ(options.port, 8123);
  EXPECT_EQ(options.sharing, TableSharing::kOneForAll);
  EXPECT_EQ(options.data_directory, "/tmp/somewhere/armature-data");
  EXPECT_EQ(options.cors_origins, (std::vector<std::string>{"http://localhost:3000", "https://a.example"}));
  EXPECT_GT(options.control_plane_delay_millis, 0);
}

TEST(LocalOptions, AllOriginsAreAStar) {
  EXPECT_EQ(Parsed({"-inMemory", "-cors", "*"}).cors_origins, std::vector<std::string>{"*"});
}

TEST(LocalOptions, ACommandLineForJavaMayBeKept) {
  const ServeOptions options = Parsed(
      {"-Xmx512m", "-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar", "-sharedDb", "-inMemory"});
  EXPECT_TRUE(options.in_memory);
  EXPECT_EQ(options.sharing, TableSharing::kOneForAll);
}

TEST(LocalOptions, FlagsOfServeMayStandAnywhereAndWin) {
  const ServeOptions options =
      Parsed({"--host", "0.0.0.0", "-inMemory", "--allow-unauthenticated", "-sharedDb", "--allowed-host=dynamodb",
              "-port", "8001", "--port", "8002", "--region", "eu-west-1"});
  EXPECT_EQ(options.host, "0.0.0.0");
  EXPECT_TRUE(options.allow_unauthenticated);
  EXPECT_EQ(options.allowed_hosts, std::vector<std::string>{"dynamodb"});
  EXPECT_EQ(options.port, 8002);
  EXPECT_EQ(options.region, "eu-west-1");
  EXPECT_TRUE(options.in_memory);
  EXPECT_EQ(options.sharing, TableSharing::kOneForAll);
}

TEST(LocalOptions, EverybodyIsBelieved) { EXPECT_TRUE(Parsed({"-inMemory"}).believes_everybody); }

TEST(LocalOptions, BadInputIsOneLineAndNotZero) {
  const std::vector<std::vector<std::string>> bad{{"-prot", "8000"},  {"-port"},
                                                  {"-port", "high"},  {"-inMemory", "-dbPath", "x"},
                                                  {"extra"},          {"-cors", "no origin"},
                                                  {"--no-such-flag"}, {"-jar"},
                                                  {"-inmemory"},      {"--iam-file", "f"}};
  for (const auto& arguments : bad) {
    const ParsedOptions parsed = ParseLocalOptions(arguments).parsed;
    EXPECT_FALSE(parsed.options.has_value()) << arguments.front();
    EXPECT_NE(parsed.exit_code, 0);
    EXPECT_EQ(std::count(parsed.text.begin(), parsed.text.end(), '\n'), 1) << parsed.text;
  }
}

TEST(LocalOptions, HelpAndVersionArePrinted) {
  const ParsedOptions help = ParseLocalOptions({"-help"}).parsed;
  EXPECT_EQ(help.exit_code, 0);
  for (const char* flag : {"-port", "-inMemory", "-dbPath", "-sharedDb", "-cors", "-delayTransientStatuses"})
    EXPECT_NE(help.text.find(flag), std::string::npos) << flag;
  EXPECT_EQ(ParseLocalOptions({"-version"}).parsed.text.substr(0, 9), "armature ");
}

// Test suites wait for these words, see docs/compatibility.md.
TEST(LocalOptions, TheBannerSaysWhatScriptsWaitFor) {
  const std::string banner = ParseLocalOptions({"-port", "8123", "-inMemory", "-sharedDb"}).banner;
  for (const char* line : {"Initializing DynamoDB Local", "Port:\t8123\n", "InMemory:\ttrue\n", "SharedDb:\ttrue\n",
                           "CorsParams:\tnull\n"})
    EXPECT_NE(banner.find(line), std::string::npos) << line;
}

}  // namespace
}  // namespace armature::server
