// Runs the driver and its workloads over real sockets against a small store that can be told to misbehave.
#include "cli/bench/driver.h"

#include <map>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "cli/bench/dataset.h"
#include "cli/bench/scripted_server_testing.h"
#include "cli/bench/workload.h"

namespace armature::cli::bench {
namespace {

using ::testing::HasSubstr;
using Reply = ScriptedServer::Reply;

// Enough of DynamoDB for the driver's own requests: items are kept as their JSON text, counters as numbers.
class TinyStore {
 public:
  enum class Fault {
    kNone,
    kForgetPuts,
    kCorruptReads,
    kStaleReads,
    kLoseIncrements,
    kIgnoreConditions,
    kCloseOften,
    kClosePolitely
  };
  explicit TinyStore(Fault fault = Fault::kNone) : fault_(fault) {}

  Reply Handle(std::string_view target, std::string_view body) {
    const bool is_unlucky = ++calls_ % 50 == 0;
    if (fault_ == Fault::kCloseOften && is_unlucky) return {.close_before = true};
    Reply reply = Answer(target, body, is_unlucky);
    reply.close_after = fault_ == Fault::kClosePolitely && is_unlucky;
    return reply;
  }

 private:
  Reply Answer(std::string_view target, std::string_view body, bool is_unlucky) {
    if (target == "CreateTable") {
      has_table_ = true;
      return {};
    }
    if (target == "DescribeTable") {
      if (has_table_) return {.body = R"({"Table":{"TableStatus":"ACTIVE"}})"};
      return {.status = 400, .body = R"({"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"})"};
    }
    const simdjson::dom::element document = parser_.parse(std::string(body)).value();
    if (target == "PutItem") return Put(document);
    const std::string key(document["Key"]["pk"]["S"].get_string().value());
    if (target == "UpdateItem") {
      if (!(fault_ == Fault::kLoseIncrements && is_unlucky)) ++counters_[key];
      return {.body = fmt::format(R"({{"Attributes":{{"n":{{"N":"{}"}}}}}})", counters_[key])};
    }
    if (const auto counter = counters_.find(key); counter != counters_.end()) {
      return {.body = fmt::format(R"({{"Item":{{"n":{{"N":"{}"}}}}}})", counter->second)};
    }
    auto& versions = items_[key];
    if (versions.current.empty()) return {};
    std::string item =
        fault_ == Fault::kStaleReads && !versions.previous.empty() ? versions.previous : versions.current;
    if (fault_ == Fault::kCorruptReads && is_unlucky) item[item.size() - 10] ^= 1;
    return {.body = fmt::format(R"({{"Item":{}}})", item)};
  }

  Reply Put(const simdjson::dom::element& document) {
    const std::string key(document["Item"]["pk"]["S"].get_string().value());
    auto& versions = items_[key];
    simdjson::dom::element condition;
    const bool is_conditional = document["ConditionExpression"].get(condition) == simdjson::SUCCESS;
    if (is_conditional && !versions.current.empty() && fault_ != Fault::kIgnoreConditions) {
      return {.status = 400,
              .body = R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"})"};
    }
    if (fault_ == Fault::kForgetPuts && !is_conditional) return {};
    versions.previous = versions.current;
    versions.current = simdjson::minify(document["Item"].value());
    if (key.starts_with("counter")) counters_[key] = 0;
    return {};
  }

  struct Versions {
    std::string current;
    std::string previous;
  };
  Fault fault_;
  bool has_table_ = false;
  uint64_t calls_ = 0;
  std::map<std::string, Versions> items_;
  std::map<std::string, uint64_t> counters_;
  simdjson::dom::parser parser_;
};

constexpr uint64_t kRequests = 600;

class DriverTest : public ::testing::TestWithParam<const char*> {
 protected:
  static Options MakeOptions(const ScriptedServer& server, std::string workload) {
    Options options;
    options.endpoint = server.endpoint();
    options.credentials = {"AKIDEXAMPLE", "secret", "us-east-1"};
    options.workload = std::move(workload);
    options.connections = 4;
    options.requests = kRequests;
    options.items = 200;
    return options;
  }

  static Result<LoadResult> Measure(const Options& options) {
    const WorkloadInfo& info = *FindWorkload(options.workload);
    ARMATURE_CHECK_OK(PrepareDataset(options, info.dataset));
    return RunLoad(options, info);
  }

  static LoadResult RunAgainst(TinyStore::Fault fault, std::string workload, uint32_t threads = 1) {
    TinyStore store(fault);
    const ScriptedServer server(
        [&](std::string_view target, std::string_view body) { return store.Handle(target, body); });
    Options options = MakeOptions(server, std::move(workload));
    options.threads = threads;
    auto result = Measure(options);
    EXPECT_TRUE(result.has_value()) << result.error().message();
    return result.has_value() ? std::move(*result) : LoadResult();
  }
};

TEST_P(DriverTest, RightAnswersCountAndNothingElse) {
  for (const uint32_t threads : {1u, 3u}) {
    const LoadResult result = RunAgainst(TinyStore::Fault::kNone, GetParam(), threads);
    EXPECT_EQ(result.errors, 0u) << (result.error_examples.empty() ? "" : result.error_examples.front());
    const bool is_one_pass = FindWorkload(GetParam())->one_pass;
    EXPECT_EQ(result.latency_ns.count(), is_one_pass ? 200u : kRequests);
  }
}

TEST_P(DriverTest, AServerThatClosesAfterAnAnswerIsNoError) {
  const LoadResult result = RunAgainst(TinyStore::Fault::kClosePolitely, GetParam());
  EXPECT_EQ(result.errors, 0u) << (result.error_examples.empty() ? "" : result.error_examples.front());
}

INSTANTIATE_TEST_SUITE_P(Workloads, DriverTest,
                         ::testing::Values("put", "get", "get-consistent", "update-counter", "conditional-put",
                                           "mixed-a", "mixed-b", "mixed-c", "load", "load-counters"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

using DriverFaultTest = DriverTest;

TEST_F(DriverFaultTest, AcknowledgedPutsThatAreGoneAreFound) {
  const LoadResult result = RunAgainst(TinyStore::Fault::kForgetPuts, "put");
  EXPECT_EQ(result.errors, 1u);
  ASSERT_FALSE(result.error_examples.empty());
  EXPECT_THAT(result.error_examples.front(), HasSubstr("final check: acknowledged put"));
}

TEST_F(DriverFaultTest, CorruptReadsAreFound) {
  EXPECT_EQ(RunAgainst(TinyStore::Fault::kCorruptReads, "mixed-c").errors, kRequests / 50);
}

TEST_F(DriverFaultTest, StaleReadsAreFound) {
  EXPECT_GT(RunAgainst(TinyStore::Fault::kStaleReads, "mixed-a").errors, 0u);
}

TEST_F(DriverFaultTest, LostIncrementsAreFound) {
  EXPECT_GT(RunAgainst(TinyStore::Fault::kLoseIncrements, "update-counter").errors, 0u);
}

TEST_F(DriverFaultTest, IgnoredConditionsAreFound) {
  EXPECT_GT(RunAgainst(TinyStore::Fault::kIgnoreConditions, "conditional-put").errors, 0u);
}

TEST_F(DriverFaultTest, BrokenConnectionsAreCountedAndReplaced) {
  TinyStore store(TinyStore::Fault::kCloseOften);
  const ScriptedServer server(
      [&](std::string_view target, std::string_view body) { return store.Handle(target, body); });
  const Options options = MakeOptions(server, "load");
  auto result = RunLoad(options, *FindWorkload("load"));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->errors, 200u / 50);
  EXPECT_EQ(result->latency_ns.count(), 200u - 200u / 50);
}

TEST_F(DriverFaultTest, AnUnreachableServerIsAnErrorNotAHang) {
  Options options;
  {
    const ScriptedServer server([](std::string_view, std::string_view) { return Reply(); });
    options = MakeOptions(server, "load");
  }
  const auto result = RunLoad(options, *FindWorkload("load"));
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message(), HasSubstr("cannot connect"));
}

TEST_F(DriverFaultTest, OpenLoopKeepsItsRateAndCountsFromTheDueTime) {
  TinyStore store;
  const ScriptedServer server(
      [&](std::string_view target, std::string_view body) { return store.Handle(target, body); });
  Options options = MakeOptions(server, "put");
  options.requests = 100;
  options.rate = 500;
  const auto result = Measure(options);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->errors, 0u);
  EXPECT_EQ(result->latency_ns.count(), 100u);
  EXPECT_GE(result->seconds, 0.19);  // the hundredth is due 198 ms after the first
}

TEST_F(DriverFaultTest, DurationEndsTheRun) {
  TinyStore store;
  const ScriptedServer server(
      [&](std::string_view target, std::string_view body) { return store.Handle(target, body); });
  Options options = MakeOptions(server, "put");
  options.requests = 0;
  options.warmup = std::chrono::milliseconds(10);
  options.duration = std::chrono::milliseconds(50);
  const auto result = Measure(options);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->errors, 0u);
  EXPECT_GT(result->latency_ns.count(), 0u);
  EXPECT_DOUBLE_EQ(result->seconds, 0.05);
}

}  // namespace
}  // namespace armature::cli::bench
