// AWS's Query protocol as a client sees it, over real sockets.
#include "front/query_route.h"

#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/api_testing.h"
#include "front/dispatcher.h"
#include "front/routes.h"
#include "net/server.h"
#include "net/server_testing.h"
#include "sts/sts_operations.h"
#include "wire/query/form.h"
#include "wire/query/iam.h"

namespace armature::front {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

struct Sent {
  std::string_view body = "Action=GetCallerIdentity&Version=2011-06-15";
  std::string_view method = "POST";
  std::string_view target = "/";
  std::string_view service = "sts";    // empty: not signed
  std::string_view more_headers = {};  // each with its line's end
  std::string_view type = "application/x-www-form-urlencoded; charset=utf-8";
};

// What two operations of the test were given.
struct Seen {
  std::string user_name;
  std::string source_ip;
  std::string user_agent;
  std::string referer;
  std::string request_id;
  std::string iam_action;
  bool had_caller = false;
};

Task<query::QueryResult> GetUser(Seen& seen, query::QueryContext& context, const wire::iam::GetUserInput& input,
                                 wire::iam::GetUserOutput&) {
  seen = {.user_name = std::string(input.UserName.value_or("")),
          .source_ip = context.source_ip,
          .user_agent = std::string(context.user_agent),
          .referer = std::string(context.referer),
          .request_id = std::string(context.request_id),
          .iam_action = std::string(context.iam_action),
          .had_caller = context.caller != nullptr};
  co_return wire::iam::NoSuchEntity(fmt::format("The user with name {} cannot be found.", seen.user_name));
}

Task<query::QueryResult> AssumeRoleWithWebIdentity(Seen& seen, query::QueryContext& context,
                                                   const wire::sts::AssumeRoleWithWebIdentityInput&,
                                                   wire::sts::AssumeRoleWithWebIdentityOutput& output) {
  seen.had_caller = context.caller != nullptr;
  output.Provider = "https://issuer.example";
  co_return query::QueryResult();
}

Task<query::QueryResult> DeleteUser(Seen& seen, query::QueryContext&, const wire::iam::DeleteUserInput& input) {
  seen.user_name = *input.UserName;
  co_return query::QueryResult();
}

class QueryRouteTest : public api::ApiFixture {
 protected:
  void SetUp() override {
    sts::AddOperations(operations_);
    operations_.Add<GetUser>(seen_);
    operations_.Add<DeleteUser>(seen_);
    operations_.Add<AssumeRoleWithWebIdentity>(seen_);
    dispatcher_ = std::make_unique<Dispatcher>(
        DispatcherOptions{}, MakeRoutes(pipeline_, "us-east-1", nullptr, metrics_, &operations_), random_, metrics_);
    net::ServerOptions net;
    net.port = 0;
    net.threads = 1;
    server_ = std::make_unique<net::Server>(net, *dispatcher_, metrics_);
    ASSERT_TRUE(server_->Start().ok());
    client_ = std::make_unique<net::TestClient>(server_->port());
  }
  void TearDown() override {
    client_.reset();
    server_->Stop(std::chrono::seconds(5));
    dispatcher_->Stop();
  }

  net::TestResponse Send(const Sent& sent) {
    std::string bytes = fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n", sent.method,
                                    sent.target, sent.body.size());
    if (!sent.type.empty()) bytes += fmt::format("Content-Type: {}\r\n", sent.type);
    if (!sent.service.empty())
      bytes += fmt::format(
          "X-Amz-Date: 20231114T221320Z\r\nAuthorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20231114/us-east-1/{}"
          "/aws4_request, SignedHeaders=host;x-amz-date, Signature=0\r\n",
          sent.service);
    bytes += fmt::format("{}\r\n{}", sent.more_headers, sent.body);
    return client_->Call(bytes);
  }

  std::string Count(std::string_view operation) const {
    const std::string all = metrics_.RenderPrometheus();
    const std::string series = fmt::format("armature_requests_total{{operation=\"{}\"}} ", operation);
    const size_t at = all.find(series);
    return at == std::string::npos ? "absent" : all.substr(at + series.size(), all.find('\n', at) - at - series.size());
  }

  Seen seen_;
  query::QueryOperations operations_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<net::TestClient> client_;
};

TEST_F(QueryRouteTest, GetCallerIdentityTellsWhoSigned) {
  const net::TestResponse response = Send({});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.Header("Content-Type"), "text/xml");
  const std::string id = response.Header("x-amzn-RequestId");
  EXPECT_THAT(id, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"));
  EXPECT_EQ(response.body,
            fmt::format(R"(<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">)"
                        "<GetCallerIdentityResult><Account>123456789012</Account>"
                        "<Arn>arn:aws:iam::123456789012:root</Arn><UserId>123456789012</UserId>"
                        "</GetCallerIdentityResult><ResponseMetadata><RequestId>{}</RequestId></ResponseMetadata>"
                        "</GetCallerIdentityResponse>",
                        id));
  EXPECT_NE(Send({}).Header("x-amzn-RequestId"), id);
}

TEST_F(QueryRouteTest, ParametersMayStandInTheQueryString) {
  constexpr std::string_view kTarget = "/?Action=GetCallerIdentity&Version=2011-06-15";
  EXPECT_THAT(Send({.body = "", .method = "GET", .target = kTarget, .type = ""}).body,
              StartsWith("<GetCallerIdentityResponse"));
  EXPECT_THAT(Send({.body = "", .target = kTarget, .type = ""}).body, StartsWith("<GetCallerIdentityResponse"));
  EXPECT_THAT(Send({.body = "", .target = kTarget}).body, StartsWith("<GetCallerIdentityResponse"));
  EXPECT_THAT(Send({.body = "Version=2011-06-15", .target = "/?Action=GetCallerIdentity"}).body,
              StartsWith("<GetCallerIdentityResponse"));
}

TEST_F(QueryRouteTest, APageThatLoadsAnAddressChangesNothing) {
  constexpr std::string_view kTarget = "/?Action=DeleteUser&Version=2010-05-08&UserName=bob";
  const net::TestResponse refused =
      Send({.body = "", .method = "GET", .target = kTarget, .service = "iam", .type = ""});
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("<Code>AccessDenied</Code><Message>DeleteUser changes what is stored and must be "
                                      "sent with POST.</Message>"));
  EXPECT_EQ(seen_.user_name, "");
  EXPECT_EQ(Send({.body = "", .target = kTarget, .service = "iam", .type = ""}).status, 200);
  EXPECT_EQ(seen_.user_name, "bob");
  const net::TestResponse page = Send({.body = "Action=DeleteUser&Version=2010-05-08&UserName=eve",
                                       .service = "iam",
                                       .more_headers = "Origin: null\r\n"});
  EXPECT_EQ(page.status, 403);
  EXPECT_EQ(seen_.user_name, "bob");
}

TEST_F(QueryRouteTest, APresignedRequestIsSigned) {
  const net::TestResponse response =
      Send({.body = "",
            .method = "GET",
            .target = "/?Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
                      "AKIDEXAMPLE%2F20231114%2Fus-east-1%2Fsts%2Faws4_request&X-Amz-Date=20231114T221320Z"
                      "&X-Amz-SignedHeaders=host%3Bx-k8s-aws-id&X-Amz-Signature=0&X-Amz-Expires=60",
            .service = "",
            .more_headers = "x-k8s-aws-id: cluster\r\n",
            .type = ""});
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr("<Arn>arn:aws:iam::123456789012:root</Arn>"));
}

TEST_F(QueryRouteTest, JsonIsForThoseWhoAccept) {
  const net::TestResponse response = Send({.more_headers = "Accept: application/json\r\n"});
  EXPECT_EQ(response.Header("Content-Type"), "application/json");
  EXPECT_EQ(response.body,
            fmt::format(R"({{"GetCallerIdentityResponse":{{"GetCallerIdentityResult":{{"Account":"123456789012",)"
                        R"("Arn":"arn:aws:iam::123456789012:root","UserId":"123456789012"}},"ResponseMetadata":)"
                        R"({{"RequestId":"{}"}}}}}})",
                        response.Header("x-amzn-RequestId")));
  EXPECT_THAT(Send({.service = "", .more_headers = "Accept: application/json\r\n"}).body,
              StartsWith(R"({"Error":{"Type":"Sender","Code":"MissingAuthenticationToken")"));
}

TEST_F(QueryRouteTest, WithoutASignatureNobodyIsServed) {
  const net::TestResponse response = Send({.service = ""});
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(response.Header("Content-Type"), "text/xml");
  EXPECT_EQ(response.body,
            fmt::format(R"(<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>)"
                        "<Code>MissingAuthenticationToken</Code><Message>Request is missing Authentication Token"
                        "</Message></Error><RequestId>{}</RequestId></ErrorResponse>",
                        response.Header("x-amzn-RequestId")));
}

// Each request has all the faults of those behind it.
TEST_F(QueryRouteTest, TheFirstFaultInAwsOrderIsTold) {
  const auto code = [&](const Sent& sent) {
    const std::string body = Send(sent).body;
    const size_t at = body.find("<Code>");
    return at == std::string::npos ? "none" : body.substr(at + 6, body.find("</Code>") - at - 6);
  };
  EXPECT_EQ(code({.body = "Version=2010-05-08&UserName=!", .service = ""}), "MissingAction");
  EXPECT_EQ(code({.body = "Action=Foo&Version=2010-05-08&UserName=!", .service = ""}), "InvalidAction");
  EXPECT_EQ(code({.body = "Action=GetUser&UserName=!", .service = ""}), "InvalidAction");
  EXPECT_EQ(code({.body = "Action=CreateRole&Version=2010-05-08", .service = ""}), "InvalidAction")
      << "known, but not answered here";
  EXPECT_EQ(code({.body = "Action=GetUser&Version=2010-05-08&UserName.member.1=!", .service = ""}),
            "MissingAuthenticationToken");
  EXPECT_EQ(code({.body = "Action=GetUser&Version=2010-05-08&UserName.member.1=!", .service = "iam"}),
            "MalformedInput");
  EXPECT_EQ(code({.body = "Action=GetUser&Version=2010-05-08&UserName=!", .service = "iam"}), "ValidationError");
  EXPECT_EQ(code({.body = "Action=GetUser&Version=2010-05-08&UserName=bob", .service = "iam"}), "NoSuchEntity");
  EXPECT_EQ(code({}), "none");
}

TEST_F(QueryRouteTest, AnOperationIsToldWhoCallsAndFromWhere) {
  const net::TestResponse response = Send({.body = "Action=GetUser&Version=2010-05-08&UserName=bob%40example.org",
                                           .service = "iam",
                                           .more_headers = "User-Agent: test/1\r\nReferer: https://a.example/\r\n"});
  EXPECT_EQ(response.status, 404);
  EXPECT_THAT(response.body, HasSubstr("<Message>The user with name bob@example.org cannot be found.</Message>"));
  EXPECT_THAT(response.body, HasSubstr("https://iam.amazonaws.com/doc/2010-05-08/"));
  EXPECT_EQ(seen_.user_name, "bob@example.org");
  EXPECT_EQ(seen_.source_ip, "127.0.0.1");
  EXPECT_EQ(seen_.user_agent, "test/1");
  EXPECT_EQ(seen_.referer, "https://a.example/");
  EXPECT_EQ(seen_.iam_action, "iam:GetUser");
  EXPECT_EQ(seen_.request_id, response.Header("x-amzn-RequestId"));
  EXPECT_TRUE(seen_.had_caller);
}

TEST_F(QueryRouteTest, AWebIdentityComesUnsigned) {
  seen_.had_caller = true;
  const net::TestResponse response =
      Send({.body = "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleSessionName=me&WebIdentityToken=a.b.c"
                    "&RoleArn=arn:aws:iam::111122223333:role/R",
            .service = ""});
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_THAT(response.body, HasSubstr("<Provider>https://issuer.example</Provider>"));
  EXPECT_FALSE(seen_.had_caller);
}

TEST_F(QueryRouteTest, RequestsAreCountedByOperation) {
  Send({});
  Send({.service = ""});
  Send({.body = "Action=%47etCallerIdentity&Version=2011-06-15"});
  EXPECT_EQ(Count("GetCallerIdentity"), "3");
  Send({.body = "Action=CreateRole&Version=2010-05-08"});
  EXPECT_EQ(Count("unknown"), "1");
  EXPECT_EQ(Count("CreateRole"), "absent") << "not answered";
  Send({.body = "Action=Foo&Version=2010-05-08"});
  Send({.body = "nonsense"});
  EXPECT_EQ(Count("none"), "2");
}

TEST_F(QueryRouteTest, AFormThatIsTooLargeIsRefused) {
  const std::string body = "Action=GetUser&Version=2010-05-08&UserName=" + std::string(wire::kMaxFormBytes, 'x');
  const net::TestResponse response = Send({.body = body, .service = "iam"});
  EXPECT_EQ(response.status, 413);
  EXPECT_THAT(response.body, HasSubstr("<Code>RequestEntityTooLarge</Code>"));
}

TEST_F(QueryRouteTest, OtherProtocolsStayAsTheyAre) {
  EXPECT_THAT(Send({.body = "{}",
                    .service = "dynamodb",
                    .more_headers = "X-Amz-Target: DynamoDB_20120810.ListTables\r\n",
                    .type = "application/x-amz-json-1.0"})
                  .body,
              HasSubstr("TableNames"));
  EXPECT_THAT(Send({.body = "", .method = "GET", .service = "", .type = ""}).body, StartsWith("healthy: "));
  EXPECT_EQ(
      Send({.body = "{}", .service = "dynamodb", .more_headers = "X-Amz-Target: DynamoDB_20120810.ListTables\r\n"})
          .status,
      404)
      << "as before: DynamoDB's protocol is no form";
}

TEST_F(QueryRouteTest, TextsOfTheRequestAreEscapedInTheAnswer) {
  const net::TestResponse response = Send({.body = "Action=%3Cb%3E%00%22&Version=2010-05-08"});
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("Could not find operation &lt;b&gt;\xEF\xBF\xBD&quot; for version 2010-05-08"));
}

}  // namespace
}  // namespace armature::front
