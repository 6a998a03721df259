// Every operation on mappings with every one of its allocations failing: what is stored is what is in use.
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "api/api_testing.h"
#include "api/faults/failing_new.h"
#include "base/log.h"
#include "base/memory/memory_reserve.h"
#include "lambda/lambda_api.h"
#include "triggers/triggers.h"

namespace armature::lambda {
namespace {

using Failures = FailingNew::Failures;

constexpr std::string_view kCollection = "/2015-03-31/event-source-mappings";

triggers::TriggerConfig Config() {
  triggers::TriggerConfig config;
  for (const char* const name : {"first", "second"}) {
    config.functions[name].name = name;
    config.functions[name].command = {"/bin/true"};
  }
  return config;
}

// A table with a stream and one mapping, made anew for each try.
class World final : public api::ApiFixture {
 public:
  World() {
    MustCall("CreateTable", R"j({"TableName":"Games","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"UserId","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"UserId","KeyType":"HASH"}],
        "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})j");
    stream_ = Member(MustCall("DescribeTable", R"j({"TableName":"Games"})j"), "/Table/LatestStreamArn");
    EXPECT_TRUE(RunBlocking(triggers_.Load()).ok());
    uuid_ = Member(Call(Operation("CreateEventSourceMapping"), triggers_, "first"), "/UUID");
  }

  static const RestOperation& Operation(std::string_view name) {
    for (const RestOperation& operation : RestOperations())
      if (operation.name == name) return operation;
    throw std::logic_error(std::string(name));
  }

  // The reply, or the error's name. The n-th allocation fails; 0: none.
  std::string Call(const RestOperation& operation, triggers::Triggers& triggers, std::string_view function,
                   uint64_t n = 0, Failures failures = Failures::kOne) {
    const std::string path = operation.has_uuid ? fmt::format("{}/{}", kCollection, uuid_) : std::string(kCollection);
    const bool has_body = operation.method == net::Method::kPost || operation.method == net::Method::kPut;
    std::string body;
    if (has_body) {
      body = fmt::format(
          R"j({{"FunctionName":"{}","EventSourceArn":"{}","StartingPosition":"LATEST","BatchSize":7,
               "FilterCriteria":{{"Filters":[{{"Pattern":"{{\"eventName\":[\"INSERT\"]}}"}}]}}}})j",
          function, stream_);
    }
    net::HttpRequest request;
    request.method = operation.method;
    request.target = request.path = path;
    Arena arena;
    std::string reply;
    const front::Caller caller{{.account = "123456789012", .arn = {}, .access_key_id = {}}, "us-east-1"};
    const Fallible fallible;
    if (n > 0) FailingNew::Arm(n, failures);
    try {
      api::RequestContext context = pipeline_.MakeContext(caller, operation.iam_action, request, arena, reply);
      const auto done = RunBlocking(RunRestOperation(operation, triggers, context, request, body));
      FailingNew::Disarm();
      if (!done) reply = done.error().name;
    } catch (const std::bad_alloc&) {
      FailingNew::Disarm();
      reply = "bad_alloc";
    }
    MemoryReserve::Refill();
    return reply;
  }

  std::string InUse() { return Call(Operation("ListEventSourceMappings"), triggers_, {}); }
  std::string Stored() {
    triggers::Triggers again(Deps(), Config());
    EXPECT_TRUE(RunBlocking(again.Load()).ok());
    return Call(Operation("ListEventSourceMappings"), again, {});
  }

  triggers::Triggers& triggers() { return triggers_; }

 private:
  static std::string Member(const std::string& json, const char* pointer) {
    simdjson::dom::parser parser;
    return std::string(std::string_view(parser.parse(json).at_pointer(pointer)));
  }
  triggers::TriggersDeps Deps() { return {*engine_, catalog_, journal_, clock_, random_, metrics_}; }
  void TestBody() override {}

  triggers::Triggers triggers_{Deps(), Config()};  // not started: nothing is invoked
  std::string stream_, uuid_;
};

class MappingAllocationTest : public testing::TestWithParam<std::string_view> {
 protected:
  MappingAllocationTest() {
    SetLogLevel(LogLevel::kOff);
    MemoryReserve::Install(1 << 20);
  }
  ~MappingAllocationTest() override {
    std::set_new_handler(nullptr);
    SetLogLevel(LogLevel::kInfo);
  }
};

TEST_P(MappingAllocationTest, NothingIsWrongWhicheverFails) {
  const RestOperation& operation = World::Operation(GetParam());
  for (const Failures failures : {Failures::kOne, Failures::kAllFromThere}) {
    for (uint64_t n = 1;; ++n) {
      SCOPED_TRACE(fmt::format("allocation {}{}", n, failures == Failures::kOne ? "" : " and all that follow"));
      auto world = std::make_unique<World>();
      const std::string reply = world->Call(operation, world->triggers(), "second", n, failures);
      const bool has_failed = FailingNew::has_failed();
      EXPECT_TRUE(reply == "bad_alloc" || reply.starts_with('{')) << reply;
      EXPECT_EQ(world->Stored(), world->InUse());
      const std::string again = world->Call(operation, world->triggers(), "second");
      EXPECT_TRUE(again.starts_with('{') || again == "ResourceConflictException" ||
                  again == "ResourceNotFoundException")
          << again;
      EXPECT_EQ(world->Stored(), world->InUse()) << "served on";
      if (HasFailure()) return;  // one is enough to look at
      if (!has_failed) {
        EXPECT_NE(reply, "bad_alloc");
        EXPECT_GT(n, 1u);
        break;
      }
    }
  }
}

std::vector<std::string_view> Names() {
  std::vector<std::string_view> names;
  for (const RestOperation& operation : RestOperations()) names.push_back(operation.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Operations, MappingAllocationTest, testing::ValuesIn(Names()),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace armature::lambda
