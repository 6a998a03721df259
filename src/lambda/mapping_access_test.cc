// What the operations on mappings tell the Authorizer, and that they do nothing when they are told no.
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "api/access_testing.h"
#include "api/api_testing.h"
#include "lambda/lambda_api.h"
#include "triggers/triggers.h"

namespace armature::lambda {
namespace {

class MappingAccessTest : public api::ApiFixture {
 protected:
  MappingAccessTest() {
    MustCall("CreateTable", R"j({"TableName":"Games","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{"AttributeName":"UserId","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"UserId","KeyType":"HASH"}],
        "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})j");
    simdjson::dom::parser parser;
    stream_ = std::string_view(
        parser.parse(MustCall("DescribeTable", R"j({"TableName":"Games"})j")).at_pointer("/Table/LatestStreamArn"));
    services_.authorizer = &authorizer_;
  }

  std::string Run(const RestOperation& operation, bool refuses) {
    net::HttpRequest request;
    request.method = operation.method;
    request.path =
        operation.has_uuid ? "/2015-03-31/event-source-mappings/the-uuid" : "/2015-03-31/event-source-mappings";
    const std::string body =
        fmt::format(R"j({{"FunctionName":"f","EventSourceArn":"{}","StartingPosition":"LATEST"}})j", stream_);
    authorizer_.lines.clear();
    authorizer_.refuses = refuses;
    Arena arena;
    std::string reply;
    const front::Caller caller{
        {.account = "123456789012", .arn = "arn:aws:iam::123456789012:root", .access_key_id = "k"}, "us-east-1"};
    api::RequestContext context = pipeline_.MakeContext(caller, operation.iam_action, request, arena, reply);
    const auto done = RunBlocking(RunRestOperation(operation, triggers_, context, request, body));
    if (refuses) { EXPECT_EQ(done ? "done" : done.error().name, "AccessDeniedException") << operation.name; }
    return fmt::format("{}", fmt::join(authorizer_.lines, "; "));
  }

  static triggers::TriggerConfig Config() {
    triggers::TriggerConfig config;
    config.functions["f"].name = "f";
    config.functions["f"].command = {"/bin/true"};
    return config;
  }

  api::RecordingAuthorizer authorizer_;
  std::string stream_;
  triggers::Triggers triggers_{{*engine_, catalog_, journal_, clock_, random_, metrics_}, Config()};
};

TEST_F(MappingAccessTest, EveryOperationTellsWhatItTouches) {
  for (const bool refuses : {false, true}) {
    for (const RestOperation& operation : RestOperations()) {
      const std::string resource =
          operation.has_uuid ? "arn:aws:lambda:us-east-1:123456789012:event-source-mapping:the-uuid" : "*";
      EXPECT_EQ(Run(operation, refuses), fmt::format("lambda:{} {}", operation.name, resource));
    }
  }
}

}  // namespace
}  // namespace armature::lambda
