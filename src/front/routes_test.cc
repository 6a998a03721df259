// Which request takes which way, and what each way answers.
#include "front/routes.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "api/api_testing.h"
#include "front/aws_json_route.h"
#include "front/plain_routes.h"
#include "front/rest_json_route.h"
#include "front/testing/call_testing.h"
#include "triggers/triggers.h"

namespace armature::front {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

net::HttpRequest Request(net::Method method, std::string_view path = "/", std::vector<net::Header> headers = {},
                         std::string_view body = {}) {
  net::HttpRequest request;
  request.method = method;
  request.path = path;
  request.headers = std::move(headers);
  request.body = body;
  return request;
}

std::string Headers(const net::HttpResponse& response) { return std::string(response.rendered_headers()); }

class RoutesTest : public api::ApiFixture {
 protected:
  // The kind of the first route that takes a request, and the name it is counted under.
  std::string Way(const net::HttpRequest& request) {
    const RouteTable routes = MakeRoutes(pipeline_, "us-east-1", triggers_, metrics_);
    for (const auto& route : routes) {
      const CallStats* call = route->Match(request);
      if (!call) continue;
      if (dynamic_cast<AwsJsonRoute*>(route.get())) return "aws-json " + std::string(call->name());
      if (dynamic_cast<RestJsonRoute*>(route.get())) return "rest-json " + std::string(call->name());
      return "plain " + std::string(call->name());
    }
    return "lost";
  }

  static net::HttpResponse Answer(const PlainRoute::Reply& reply, const net::HttpRequest& request) {
    net::HttpResponse response;
    reply(request, response);
    return response;
  }

  triggers::Triggers* triggers_ = nullptr;
  const std::vector<net::Header> json_{{"Content-Type", "application/x-amz-json-1.0"},
                                       {"X-Amz-Target", "DynamoDB_20120810.GetItem"}};
};

TEST_F(RoutesTest, TheTargetNamesTheOperationOfAnAwsJsonRequest) {
  EXPECT_EQ(Way(Request(net::Method::kPost, "/", json_, "{}")), "aws-json GetItem");
  EXPECT_EQ(Way(Request(net::Method::kPost, "/", {{"X-Amz-Target", "DynamoDBStreams_20120810.GetRecords"}})),
            "aws-json GetRecords")
      << "without a body any type goes";
  EXPECT_EQ(Way(Request(net::Method::kPost, "/", {{"X-Amz-Target", "Armature_20261116.ListPartitions"}})),
            "aws-json ListPartitions");
  EXPECT_EQ(Way(Request(net::Method::kPost, "/", {{"content-type", "application/json; charset=utf-8"}}, "{}")),
            "aws-json none")
      << "no target: told in its turn";
}

TEST_F(RoutesTest, AnotherMethodPathOrTypeIsNoAwsJson) {
  EXPECT_EQ(Way(Request(net::Method::kPut, "/", json_, "{}")), "plain none");
  EXPECT_EQ(Way(Request(net::Method::kPost, "/x", json_, "{}")), "plain none");
  EXPECT_EQ(Way(Request(net::Method::kPost, "/", {{"Content-Type", "text/plain"}}, "{}")), "plain none");
  EXPECT_EQ(Way(Request(net::Method::kPost, "/", {{"Content-Type", "application/x-www-form-urlencoded"}}, "Action=A")),
            "plain none")
      << "without operations of IAM and STS";
}

TEST_F(RoutesTest, MethodAndPathNameTheOperationOfARestRequest) {
  triggers::Triggers triggers({*engine_, catalog_, journal_, clock_, random_, metrics_}, {});
  EXPECT_EQ(Way(Request(net::Method::kGet, "/2015-03-31/event-source-mappings")), "plain none") << "without triggers";
  triggers_ = &triggers;
  EXPECT_EQ(Way(Request(net::Method::kGet, "/2015-03-31/event-source-mappings")), "rest-json ListEventSourceMappings");
  EXPECT_EQ(Way(Request(net::Method::kPost, "/2015-03-31/event-source-mappings/")),
            "rest-json CreateEventSourceMapping");
  EXPECT_EQ(Way(Request(net::Method::kGet, "/2015-03-31/event-source-mappings/u")), "rest-json GetEventSourceMapping");
  EXPECT_EQ(Way(Request(net::Method::kPut, "/2015-03-31/event-source-mappings/u")),
            "rest-json UpdateEventSourceMapping");
  EXPECT_EQ(Way(Request(net::Method::kDelete, "/2015-03-31/event-source-mappings/u/")),
            "rest-json DeleteEventSourceMapping");
  EXPECT_EQ(Way(Request(net::Method::kDelete, "/2015-03-31/event-source-mappings")), "plain none");
  EXPECT_EQ(Way(Request(net::Method::kGet, "/2015-03-31/event-source-mappings/u/v")), "plain none");
  EXPECT_EQ(Way(Request(net::Method::kGet, "/2015-03-31/event-source-mappingsx")), "plain none");
}

TEST_F(RoutesTest, ProbesAreAskedForATokenIfLocalDoes) {
  EXPECT_FALSE(IsProbe(Request(net::Method::kPost)));
  EXPECT_FALSE(IsProbe(Request(net::Method::kOptions, "/", {{"Origin", "http://x"}})));
  EXPECT_TRUE(IsProbe(Request(net::Method::kGet)));
  EXPECT_TRUE(IsProbe(Request(net::Method::kOptions)));
  const net::HttpResponse response = Answer(AskForToken, Request(net::Method::kGet));
  EXPECT_EQ(response.status, 400);
  EXPECT_TRUE(response.close_connection);
  EXPECT_THAT(response.body, HasSubstr("MissingAuthenticationToken"));
}

TEST_F(RoutesTest, HealthNamesTheHostTheClientCameBy) {
  EXPECT_TRUE(IsGetOf("/")(Request(net::Method::kGet)));
  EXPECT_FALSE(IsGetOf("/")(Request(net::Method::kGet, "/x")));
  EXPECT_FALSE(IsGetOf("/")(Request(net::Method::kHead)));
  const auto health = Healthy("us-east-1");
  EXPECT_EQ(Answer(health, Request(net::Method::kGet)).body, "healthy: dynamodb.us-east-1.amazonaws.com ");
  EXPECT_EQ(Answer(health, Request(net::Method::kGet, "/", {{"host", "here:8000"}})).body, "healthy: here:8000 ");
}

TEST_F(RoutesTest, APreflightGetsBackWhatItAsksFor) {
  const auto preflight = Request(
      net::Method::kOptions, "/",
      {{"Origin", "http://x"}, {"Access-Control-Request-Headers", "a, b"}, {"Access-Control-Request-Method", "POST"}});
  EXPECT_TRUE(IsPreflight(preflight));
  EXPECT_FALSE(IsPreflight(Request(net::Method::kOptions)));
  const net::HttpResponse response = Answer(AnswerPreflight, preflight);
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.body.empty());
  EXPECT_THAT(Headers(response), HasSubstr("Access-Control-Max-Age: 172800\r\n"));
  EXPECT_THAT(Headers(response), HasSubstr("Access-Control-Allow-Headers: a, b\r\n"));
  EXPECT_THAT(Headers(response), HasSubstr("Access-Control-Allow-Methods: POST\r\n"));
  EXPECT_THAT(Headers(response), Not(HasSubstr("Access-Control-Allow-Origin"))) << "that is not decided here";
}

TEST_F(RoutesTest, WhatIsLeftIsNotFound) {
  for (const auto& request :
       {Request(net::Method::kDelete), Request(net::Method::kHead), Request(net::Method::kOptions),
        Request(net::Method::kGet, "/x"), Request(net::Method::kPost, "/x", json_, "{}")})
    EXPECT_EQ(Way(request), "plain none");
  const net::HttpResponse response = Answer(AnswerNotFound, {});
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, "<UnknownOperationException/>\n");
  EXPECT_TRUE(response.content_type.empty());
}

// --- the pipeline's order of faults

class PipelineTest : public api::ApiFixture {
 protected:
  struct Sent {
    std::string_view target = "DynamoDB_20120810.ListTables";
    std::string_view body = "{}";
    bool is_signed = true;
    std::string_view encoding = {};
  };
  std::string Fault(const Sent& sent) {
    const LocalRequest made(sent.target, sent.body);
    net::HttpRequest request = made.http();
    if (!sent.is_signed) std::erase_if(request.headers, [](const auto& h) { return h.name == "Authorization"; });
    if (!sent.encoding.empty()) request.headers.push_back({"Content-Encoding", sent.encoding});
    Arena arena;
    std::string body;
    const auto answered = RunBlocking(CallLocally(pipeline_, request, arena, body));
    return answered ? "none" : answered.error().name;
  }
};

// Each request has all the faults of those behind it: the first in AWS's order is told.
TEST_F(PipelineTest, TheFirstFaultInAwsOrderIsTold) {
  EXPECT_EQ(Fault({"Nonsense", "no JSON", false, "gzip"}), "SerializationException");
  EXPECT_EQ(Fault({"Nonsense", "no JSON", false}), "SerializationException");
  EXPECT_EQ(Fault({"Nonsense", "", false}), "UnknownOperationException") << "no body at all is told last";
  EXPECT_EQ(Fault({"DynamoDB_20120810.CreateBackup", "{}", false}), "UnknownOperationException");
  EXPECT_EQ(Fault({.body = R"({"Limit":"x"})", .is_signed = false}), "MissingAuthenticationTokenException");
  EXPECT_EQ(Fault({.body = "", .is_signed = false}), "MissingAuthenticationTokenException");
  EXPECT_EQ(Fault({.body = ""}), "SerializationException");
  EXPECT_EQ(Fault({.body = R"({"Limit":"x","ExclusiveStartTableName":"?"})"}), "SerializationException");
  EXPECT_EQ(Fault({.body = R"({"Limit":0})"}), "ValidationException");
  EXPECT_EQ(Fault({.body = "{}"}), "none");
}

TEST_F(PipelineTest, TheSignaturesRegionChoosesTheTables) {
  CreateSimpleTable();
  EXPECT_EQ(Call("ListTables", "{}", "us-east-1").body, R"({"TableNames":["Tbl"]})");
  EXPECT_EQ(Call("ListTables", "{}", "eu-west-1").body, R"({"TableNames":[]})");
  const Pipeline one_for_all({.region = "us-east-1", .has_region_of_its_own = true}, services_, verifier_);
  const LocalRequest elsewhere("ListTables", "{}", "eu-west-1");
  Arena arena;
  std::string body;
  EXPECT_TRUE(RunBlocking(CallLocally(one_for_all, elsewhere.http(), arena, body)));
  EXPECT_EQ(body, R"({"TableNames":["Tbl"]})");
}

}  // namespace
}  // namespace armature::front
