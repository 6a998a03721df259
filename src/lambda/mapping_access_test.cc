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

  // What it told the Authorizer.
  std::string Run(const RestOperation& operation, bool refuses, const std::string& uuid = "the-uuid",
                  const std::string& function = "f") {
    net::HttpRequest request;
    request.method = operation.method;
    std::string path = "/2015-03-31/event-source-mappings";
    if (operation.has_uuid) path += "/" + uuid;
    request.path = path;
    const std::string body = fmt::format(
        R"j({{"FunctionName":"{}","EventSourceArn":"{}","StartingPosition":"LATEST"}})j", function, stream_);
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

  // What a mapping does in the caller's name.
  std::string Reading() const {
    return fmt::format(
        "dynamodb:GetRecords {0}; dynamodb:GetShardIterator {0}; dynamodb:DescribeStream {0}; dynamodb:ListStreams *",
        stream_);
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
      std::string told = fmt::format("lambda:{} {}", operation.name, resource);
      if (operation.name == "CreateEventSourceMapping" && !refuses) told += "; " + Reading();
      EXPECT_EQ(Run(operation, refuses), told);
    }
  }
}

TEST_F(MappingAccessTest, WhichFunctionsThereAreIsNotTold) {
  EXPECT_EQ(Run(RestOperations().front(), true, "", "nobody"), "lambda:CreateEventSourceMapping *");
}

TEST_F(MappingAccessTest, WhoSendsAStreamToAnotherFunctionMustBeAllowedToReadIt) {
  Run(RestOperations().front(), false);
  const auto mappings = triggers_.List({"123456789012", "us-east-1"});
  ASSERT_EQ(mappings.size(), 1u);
  const std::string uuid = mappings.front()->uuid;
  for (const RestOperation& operation : RestOperations())
    if (operation.name == "UpdateEventSourceMapping") {
      EXPECT_EQ(Run(operation, false, uuid),
                "lambda:UpdateEventSourceMapping arn:aws:lambda:us-east-1:123456789012:event-source-mapping:" + uuid +
                    "; " + Reading());
    }
}

}  // namespace
}  // namespace armature::lambda
