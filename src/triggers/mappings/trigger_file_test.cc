#include "triggers/mappings/trigger_file.h"

#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace armature::triggers {
namespace {

class TriggerFileTest : public testing::Test {
 protected:
  ~TriggerFileTest() override { unlink(path_.c_str()); }

  Status Read(const std::string& text) {
    std::ofstream(path_) << text;
    config_ = {};
    Status status = ReadTriggerFile(path_, "123456789012", "eu-west-1", config_);
    return status.ok() ? CheckTriggers(config_) : status;
  }

  const std::string folder_ = "/tmp";
  const std::string path_ = folder_ + "/armature-triggers-" + std::to_string(getpid()) + ".toml";
  TriggerConfig config_;
};

TEST_F(TriggerFileTest, ReadsEverything) {
  const Status status = Read(R"(
[function.one]
command = ["python3", "one.py"]
timeout_seconds = 7
concurrency = 3
environment = { A = "b" }
[function.two]
command = "node two.mjs --fast"
directory = "sub"
[function.three]
url = "http://127.0.0.1:9000"
[destination.lost]
directory = "lost"
[destination.queue]
url = "http://127.0.0.1:9001/q"
[[trigger]]
name = "a"
table = "T"
function = "one"
starting_position = "LATEST"
enabled = false
batch_size = 10
maximum_batching_window_in_seconds = 1
parallelization_factor = 2
maximum_record_age_in_seconds = 60
maximum_retry_attempts = 4
bisect_batch_on_function_error = true
report_batch_item_failures = true
filters = ['{"eventName": ["INSERT"]}']
on_failure = "lost"
[[trigger]]
name = "b"
table = "T"
function = "three"
region = "us-east-1"
on_failure = "/var/lost"
)");
  ASSERT_TRUE(status.ok()) << status.message();
  const FunctionSpec& one = config_.functions.at("one");
  EXPECT_EQ(one.command, (std::vector<std::string>{"python3", "one.py"}));
  EXPECT_EQ(one.timeout_millis, 7000);
  EXPECT_EQ(one.concurrency, 3);
  EXPECT_EQ(one.environment.at("A"), "b");
  EXPECT_EQ(one.directory, "/tmp/");
  EXPECT_EQ(config_.functions.at("two").command,
            (std::vector<std::string>{"/bin/sh", "-c", "exec node two.mjs --fast"}));
  EXPECT_EQ(config_.functions.at("two").directory, "/tmp/sub");
  EXPECT_EQ(config_.functions.at("three").url, "http://127.0.0.1:9000");
  EXPECT_EQ(config_.destinations.at("lost").directory, "/tmp/lost");
  ASSERT_EQ(config_.triggers.size(), 2u);
  const Mapping& a = config_.triggers[0];
  EXPECT_EQ(a.uuid, UuidOfTrigger("123456789012", "eu-west-1", "a"));
  EXPECT_EQ(a.starting_position, StartingPosition::kLatest);
  EXPECT_FALSE(a.is_enabled);
  EXPECT_EQ(a.batch_size, 10);
  EXPECT_EQ(a.batching_window_seconds, 1);
  EXPECT_EQ(a.parallelization_factor, 2);
  EXPECT_EQ(a.max_record_age_seconds, 60);
  EXPECT_EQ(a.max_retry_attempts, 4);
  EXPECT_TRUE(a.bisects_on_error && a.reports_item_failures);
  EXPECT_EQ(a.filters.size(), 1u);
  EXPECT_EQ(config_.triggers[1].region, "us-east-1");
  EXPECT_EQ(FindDestination(config_, config_.triggers[1].on_failure).directory, "/var/lost");
  EXPECT_EQ(FindDestination(config_, "arn:aws:sqs:us-east-1:123456789012:queue").url, "http://127.0.0.1:9001/q");
  EXPECT_TRUE(FindDestination(config_, "arn:aws:sqs:us-east-1:123456789012:other").is_none());
}

TEST_F(TriggerFileTest, TellsWhatIsWrong) {
  const std::string function = "[function.f]\ncommand = \"x\"\n";
  const std::string trigger = function + "[[trigger]]\nname = \"t\"\ntable = \"T\"\nfunction = \"f\"\n";
  EXPECT_TRUE(Read(trigger).ok());
  const std::pair<std::string, std::string> wrong[] = {
      {"[", "line 1"},
      {"color = 1", "color is not a setting"},
      {"function = 1", "a function is written as [function.name]"},
      {"[function.f]\n", "a function has a command or a url"},
      {"[function.f]\ncommand = \"x\"\nurl = \"http://h\"", "a function has a command or a url"},
      {"[function.f]\nurl = \"ftp://h\"", "url must begin with"},
      {"[function.f]\ncommand = [1]", "command must be an array of texts"},
      {function + "timeout_seconds = 0", "timeout_seconds must be from 1 to 900"},
      {function + "speed = 1", "speed is not a setting"},
      {"[function.\"a b\"]\ncommand = \"x\"", "a name has letters"},
      {"[destination.d]", "a destination has a directory or a url"},
      {"trigger = 1", "triggers are written as [[trigger]]"},
      {function + "[[trigger]]\ntable = \"T\"\nfunction = \"f\"", "name must be there"},
      {function + "[[trigger]]\nname = \"t\"\nfunction = \"f\"", "table must be there"},
      {"[[trigger]]\nname = \"t\"\ntable = \"T\"\nfunction = \"g\"", "there is no function g"},
      {trigger + "starting_position = \"AT_TIMESTAMP\"", "starting_position must be"},
      {trigger + "batch_size = \"many\"", "batch_size must be a whole number"},
      {trigger + "batch_size = 0", "at 'batchSize'"},
      {trigger + "filters = [\"{}\"]", "Invalid filter pattern"},
      {trigger + "on_failure = \"nowhere\"", "there is no destination nowhere"},
      {trigger + "[[trigger]]\nname = \"t\"\ntable = \"U\"\nfunction = \"f\"", "name is used twice"},
  };
  for (const auto& [text, message] : wrong) {
    const Status status = Read(text);
    EXPECT_NE(status.message().find(message), std::string::npos) << text << "\ngives: " << status.message();
  }
  EXPECT_FALSE(ReadTriggerFile("/nowhere/triggers.toml", "1", "r", config_).ok());
}

TEST_F(TriggerFileTest, WhatIsWrongIsToldInOneLine) {
  for (const char* text :
       {"[[trigger]]\nname = i\nline", "\"a\\nb\" = 1\n", "[function.\"a\\nb\"]\ncommand = \"x\"\n"}) {
    const Status status = Read(text);
    EXPECT_FALSE(status.ok()) << text;
    EXPECT_EQ(status.message().find('\n'), std::string::npos) << status.message();
  }
}

TEST(TriggerOptions, NameTheirTarget) {
  TriggerConfig config;
  EXPECT_TRUE(AddFunctionOption("f=python3 h.py --x=1", config).ok());
  EXPECT_EQ(config.functions.at("f").command.back(), "exec python3 h.py --x=1");
  EXPECT_TRUE(AddFunctionOption("g=http://127.0.0.1:9000", config).ok());
  EXPECT_EQ(config.functions.at("g").url, "http://127.0.0.1:9000");
  EXPECT_TRUE(AddDestinationOption("d=/lost", config).ok());
  EXPECT_EQ(config.destinations.at("d").directory, "/lost");
  EXPECT_FALSE(AddFunctionOption("f", config).ok());
  EXPECT_FALSE(AddFunctionOption("f=", config).ok());
  EXPECT_FALSE(AddDestinationOption("a b=/x", config).ok());
}

}  // namespace
}  // namespace armature::triggers
