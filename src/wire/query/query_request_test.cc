// Which requests are of the Query protocol, and what they ask for.
#include "wire/query/query_request.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wire/query/form.h"

namespace armature::wire {
namespace {

constexpr std::string_view kForm = "application/x-www-form-urlencoded; charset=utf-8";

net::HttpRequest Request(net::Method method, std::string_view query, std::string_view body = {},
                         std::vector<net::Header> headers = {}) {
  net::HttpRequest request;
  request.method = method;
  request.path = "/";
  request.query = query;
  request.body = body;
  request.headers = std::move(headers);
  return request;
}

std::string Target(const net::HttpRequest& request) {
  const QueryTarget target = ReadQueryTarget(request);
  if (target.operation) return std::string(target.service->name) + ":" + std::string(target.operation->name);
  const model::ApiError error = NoQueryOperation(target);
  return std::string(target.service->name) + " " + error.name + ": " + error.message;
}

std::string Post(std::string_view body, std::string_view signing_name = {}) {
  const std::string authorization =
      "AWS4-HMAC-SHA256 Credential=AKID/20260301/us-east-1/" + std::string(signing_name) + "/aws4_request, Signature=0";
  std::vector<net::Header> headers{{"Content-Type", kForm}};
  if (!signing_name.empty()) headers.push_back({"Authorization", authorization});
  return Target(Request(net::Method::kPost, {}, body, headers));
}

TEST(QueryRequest, FormsAndQueriesWithAnActionAreOurs) {
  EXPECT_TRUE(IsQueryRequest(Request(net::Method::kPost, "", "Action=A", {{"content-type", kForm}})));
  EXPECT_TRUE(IsQueryRequest(
      Request(net::Method::kPost, "", "Action=A", {{"Content-Type", "application/x-www-form-urlencoded"}})));
  EXPECT_TRUE(IsQueryRequest(Request(net::Method::kPost, "", "", {{"Content-Type", kForm}})));
  EXPECT_TRUE(IsQueryRequest(Request(net::Method::kGet, "Action=GetCallerIdentity&Version=2011-06-15")));
  EXPECT_TRUE(IsQueryRequest(Request(net::Method::kPost, "Version=2011-06-15&Action=GetCallerIdentity")));
}

TEST(QueryRequest, OthersAreNot) {
  EXPECT_FALSE(IsQueryRequest(Request(net::Method::kGet, "")));
  EXPECT_FALSE(IsQueryRequest(Request(net::Method::kGet, "Actions=x&X-Amz-Algorithm=y")));
  EXPECT_FALSE(IsQueryRequest(Request(net::Method::kPut, "Action=A", "", {{"Content-Type", kForm}})));
  EXPECT_FALSE(IsQueryRequest(Request(net::Method::kPost, "", "{}", {{"Content-Type", "application/json"}})));
  EXPECT_FALSE(
      IsQueryRequest(Request(net::Method::kPost, "", "x", {{"Content-Type", "application/x-www-form-urlencodedx"}})));
  EXPECT_FALSE(IsQueryRequest(
      Request(net::Method::kPost, "", "{}", {{"Content-Type", kForm}, {"X-Amz-Target", "DynamoDB_20120810.GetItem"}})))
      << "curl says form of whatever it sends";
  net::HttpRequest elsewhere = Request(net::Method::kPost, "", "Action=A", {{"Content-Type", kForm}});
  elsewhere.path = "/metrics";
  EXPECT_FALSE(IsQueryRequest(elsewhere));
}

TEST(QueryRequest, VersionAndActionNameTheOperation) {
  EXPECT_EQ(Post("Action=CreateUser&Version=2010-05-08&UserName=bob"), "iam:CreateUser");
  EXPECT_EQ(Post("Version=2011-06-15&Action=AssumeRole"), "sts:AssumeRole");
  EXPECT_EQ(Target(Request(net::Method::kGet, "Action=GetCallerIdentity&Version=2011-06-15")), "sts:GetCallerIdentity");
  EXPECT_EQ(Target(Request(net::Method::kPost, "Action=GetUser", "Version=2010-05-08&Action=DeleteUser")),
            "iam:GetUser");
}

TEST(QueryRequest, AnUnknownActionIsToldWithItsVersion) {
  EXPECT_EQ(Post("Action=Foo&Version=2010-05-08"),
            "iam InvalidAction: Could not find operation Foo for version 2010-05-08");
  EXPECT_EQ(Post("Action=CreateUser&Version=2011-06-15"),
            "sts InvalidAction: Could not find operation CreateUser for version 2011-06-15");
  EXPECT_EQ(Post("Action=createuser&Version=2010-05-08"),
            "iam InvalidAction: Could not find operation createuser for version 2010-05-08");
  EXPECT_EQ(Post("Action=CreateUser"),
            "iam InvalidAction: Could not find operation CreateUser for version NO_VERSION_SPECIFIED");
  EXPECT_EQ(Post("Action=PutMetricData&Version=2010-08-01"),
            "iam InvalidAction: Could not find operation PutMetricData for version 2010-08-01");
}

TEST(QueryRequest, WithoutAnActionThereIsNothingToDo) {
  EXPECT_EQ(Post("Version=2010-05-08"), "iam MissingAction: The request is missing an action or a required parameter.");
  EXPECT_EQ(Post("Action=&Version=2011-06-15"),
            "sts MissingAction: The request is missing an action or a required parameter.");
}

TEST(QueryRequest, WithoutAVersionTheSignatureOrTheActionTellsWhoSpeaks) {
  EXPECT_EQ(Post("Action=Foo", "sts"),
            "sts InvalidAction: Could not find operation Foo for version NO_VERSION_SPECIFIED");
  EXPECT_EQ(Post("Action=Foo", "iam"),
            "iam InvalidAction: Could not find operation Foo for version NO_VERSION_SPECIFIED");
  EXPECT_EQ(Post("Action=AssumeRole"),
            "sts InvalidAction: Could not find operation AssumeRole for version NO_VERSION_SPECIFIED");
  EXPECT_EQ(Post("Action=AssumeRole", "dynamodb"),
            "sts InvalidAction: Could not find operation AssumeRole for version NO_VERSION_SPECIFIED");
  EXPECT_EQ(Target(Request(net::Method::kGet,
                           "Action=Foo&X-Amz-Credential=AKID%2F20260301%2Fus-east-1%2Fsts%2Faws4_request")),
            "sts InvalidAction: Could not find operation Foo for version NO_VERSION_SPECIFIED");
}

TEST(QueryRequest, ABodyThatIsTooLongIsNotRead) {
  const std::string body = "Action=GetUser&Version=2010-05-08&X=" + std::string(kMaxFormBytes, 'x');
  EXPECT_EQ(ReadQueryTarget(Request(net::Method::kPost, {}, body)).action, "");
}

}  // namespace
}  // namespace armature::wire
