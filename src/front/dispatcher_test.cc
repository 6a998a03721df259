// The front as a client sees it, over real sockets: what every request gets, whatever its route.
#include "front/dispatcher.h"

#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/api_testing.h"
#include "auth/accept_any.h"
#include "front/routes.h"
#include "net/server.h"
#include "net/server_testing.h"
#include "wire/envelope/compression.h"

namespace armature::front {
namespace {

using ::testing::MatchesRegex;

// Believes everyone, but remembers on which thread it was asked, and has no memory for the key "NOMEMORY".
class WatchedVerifier final : public auth::Verifier {
 public:
  auth::AuthResult<auth::Verified> Verify(const net::HttpRequest& request, const auth::Expected& expected,
                                          Arena& arena) const override {
    asked_on = std::this_thread::get_id();
    auto verified = everybody_.Verify(request, expected, arena);
    if (verified && verified->principal.access_key_id == "NOMEMORY") throw std::bad_alloc();
    return verified;
  }

  mutable std::atomic<std::thread::id> asked_on{};

 private:
  auth::AcceptAnyVerifier everybody_{"123456789012"};
};

struct Sent {
  std::string_view method = "POST";
  std::string_view path = "/";
  std::string_view target = "DynamoDB_20120810.ListTables";
  std::string_view body = "{}";
  std::string_view key = "AKIDEXAMPLE";
  std::string_view more_headers = {};  // each with its line's end
  std::string_view type = "application/x-amz-json-1.0";
};

class DispatcherTest : public api::ApiFixture {
 protected:
  void SetUp() override { Start({}); }
  void TearDown() override { Stop(); }

  void Start(DispatcherOptions options, MetricsAccess access = {}) {
    Stop();
    dispatcher_ = std::make_unique<Dispatcher>(
        std::move(options), MakeRoutes(watched_pipeline_, "us-east-1", nullptr, metrics_, nullptr, std::move(access)),
        random_, metrics_);
    net::ServerOptions net;
    net.port = 0;
    net.threads = 1;
    server_ = std::make_unique<net::Server>(net, *dispatcher_, metrics_);
    ASSERT_TRUE(server_->Start().ok());
    client_ = std::make_unique<net::TestClient>(server_->port());
  }
  void Stop() {
    client_.reset();
    if (server_) server_->Stop(std::chrono::seconds(5));
    if (dispatcher_) dispatcher_->Stop();
    server_.reset();
    dispatcher_.reset();
  }

  static std::string Bytes(const Sent& sent) {
    std::string bytes = fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n", sent.method,
                                    sent.path, sent.body.size());
    if (!sent.type.empty()) bytes += fmt::format("Content-Type: {}\r\n", sent.type);
    if (!sent.target.empty()) bytes += fmt::format("X-Amz-Target: {}\r\n", sent.target);
    if (!sent.key.empty())
      bytes += fmt::format(
          "X-Amz-Date: 20231114T221320Z\r\nAuthorization: AWS4-HMAC-SHA256 Credential={}/20231114/"
          "us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0\r\n",
          sent.key);
    return bytes.append(sent.more_headers).append("\r\n").append(sent.body);
  }
  net::TestResponse Send(const Sent& sent) { return client_->Call(Bytes(sent)); }

  // The value of a series of one operation.
  std::string Metric(std::string_view name, std::string_view operation) const {
    const std::string all = "\n" + metrics_.RenderPrometheus();
    const std::string series = fmt::format("\n{}{{operation=\"{}\"}} ", name, operation);
    const size_t at = all.find(series);
    if (at == std::string::npos) return "absent";
    return all.substr(at + series.size(), all.find('\n', at + 1) - at - series.size());
  }
  std::string Requests(std::string_view operation) const { return Metric("armature_requests_total", operation); }

  WatchedVerifier watched_;
  Pipeline watched_pipeline_{{.region = "us-east-1"}, services_, watched_};
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<net::TestClient> client_;
};

TEST_F(DispatcherTest, EveryAnswerHasAnIdAndAChecksum) {
  for (const Sent& sent : {Sent{}, Sent{.method = "GET", .body = "", .key = ""}, Sent{.path = "/nowhere"},
                           Sent{.target = "DynamoDB_20120810.Nonsense"}}) {
    const net::TestResponse response = Send(sent);
    EXPECT_THAT(response.Header("x-amzn-RequestId"), MatchesRegex("[A-Z0-9]{52}")) << response.head;
    EXPECT_NE(response.Header("x-amz-crc32"), "") << response.head;
  }
  EXPECT_NE(Send({}).Header("x-amzn-RequestId"), Send({}).Header("x-amzn-RequestId"));
}

TEST_F(DispatcherTest, RequestsAreCountedByOperation) {
  EXPECT_EQ(Send({}).status, 200);
  EXPECT_EQ(Send({}).status, 200);
  EXPECT_EQ(Requests("ListTables"), "2");
  EXPECT_EQ(Metric("armature_client_errors_total", "ListTables"), "0");

  EXPECT_EQ(Send({.body = R"({"Limit":0})"}).status, 400);
  EXPECT_EQ(Send({.body = "no JSON"}).status, 400) << "of this operation too: its target says so";
  EXPECT_EQ(Requests("ListTables"), "4");
  EXPECT_EQ(Metric("armature_client_errors_total", "ListTables"), "2");
  EXPECT_EQ(Metric("armature_server_errors_total", "ListTables"), "0");

  EXPECT_EQ(Send({.target = "DynamoDB_20120810.CreateBackup"}).status, 400);
  EXPECT_EQ(Requests("unknown"), "1") << "not answered yet";
  EXPECT_EQ(Requests("CreateBackup"), "absent");
  EXPECT_EQ(Send({.target = "DynamoDB_20120810.Nonsense"}).status, 400);
  EXPECT_EQ(Send({.path = "/nowhere"}).status, 404);
  EXPECT_EQ(Send({.method = "GET", .body = "", .key = ""}).status, 200);
  EXPECT_EQ(Requests("none"), "3");
  EXPECT_EQ(Metric("armature_client_errors_total", "none"), "2");
}

TEST_F(DispatcherTest, ARefusedSiteReachesNoRoute) {
  watched_.asked_on = std::thread::id();
  const net::TestResponse refused = Send({.more_headers = "Origin: http://evil.example\r\n"});
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.Header("Content-Type"), "application/x-amz-json-1.0");
  EXPECT_EQ(refused.Header("Access-Control-Allow-Origin"), "");
  EXPECT_EQ(
      Send({.method = "GET", .path = "/metrics", .body = "", .more_headers = "Origin: http://evil.example\r\n"}).status,
      403);
  EXPECT_EQ(watched_.asked_on.load(), std::thread::id());
  EXPECT_EQ(Requests("ListTables"), "0");
  EXPECT_EQ(Requests("none"), "2");
}

TEST_F(DispatcherTest, AnAllowedSiteMayReadTheAnswer) {
  Start({.sites = auth::SitePolicy("127.0.0.1", {}, {"http://good.example"})});
  const net::TestResponse answer = Send({.more_headers = "Origin: http://good.example\r\n"});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.Header("Access-Control-Allow-Origin"), "http://good.example");
  const net::TestResponse asked = Send({.method = "OPTIONS",
                                        .body = "",
                                        .key = "",
                                        .more_headers = "Origin: http://good.example\r\n"
                                                        "Access-Control-Request-Headers: x-amz-target\r\n"
                                                        "Access-Control-Request-Method: POST\r\n"});
  EXPECT_EQ(asked.status, 200);
  EXPECT_EQ(asked.Header("Access-Control-Allow-Headers"), "x-amz-target");
  EXPECT_EQ(asked.Header("Access-Control-Allow-Methods"), "POST");
}

// A large or compressed body must not hold up everybody else on the reactor.
TEST_F(DispatcherTest, HeavyBodiesArePreparedOnAnotherThread) {
  EXPECT_EQ(Send({}).status, 200);
  const std::thread::id reactor = watched_.asked_on;
  const std::string padding(600 * 1024, ' ');
  EXPECT_EQ(Send({.body = "{" + padding + "}"}).status, 200);
  EXPECT_NE(watched_.asked_on.load(), reactor) << "above 512 KiB";
  EXPECT_EQ(Send({.body = "{" + padding.substr(0, 500 * 1024) + "}"}).status, 200);
  EXPECT_EQ(watched_.asked_on.load(), reactor) << "below it";

  // What does not compress well: more than 1 KiB is left of it.
  std::string noise = R"({"x":")";
  for (int i = 0; i < 4000; ++i) noise += static_cast<char>('a' + random_.Below(26));
  std::string zipped;
  ASSERT_TRUE(wire::Deflate(wire::Coding::kGzip, noise + R"("})", zipped).ok());
  ASSERT_GT(zipped.size(), 1024u);
  EXPECT_EQ(Send({.body = zipped, .more_headers = "Content-Encoding: gzip\r\n"}).status, 200);
  EXPECT_NE(watched_.asked_on.load(), reactor) << "compressed";
}

TEST_F(DispatcherTest, FaultsOfAHeavyBodyAreToldAsThoseOfALightOne) {
  const std::string padding(600 * 1024, ' ');
  for (const std::string& rest : {std::string(R"("Limit":0})"), std::string("no JSON"), std::string(R"("Limit":"x"})")})
    EXPECT_EQ(Send({.body = "{" + padding + rest}).body, Send({.body = "{" + rest}).body) << rest;
}

TEST_F(DispatcherTest, AnExceptionIsA500AndTheServerGoesOn) {
  const std::string padding(600 * 1024, ' ');
  EXPECT_EQ(Send({.key = "NOMEMORY"}).status, 500);
  EXPECT_EQ(Send({.body = "{" + padding + "}", .key = "NOMEMORY"}).status, 500) << "on the other thread";
  EXPECT_EQ(Send({}).status, 200) << "on the same connection";
  EXPECT_EQ(Requests("ListTables"), "3");
  EXPECT_EQ(Metric("armature_server_errors_total", "ListTables"), "2");
}

TEST_F(DispatcherTest, MetricsAreForPrometheus) {
  const net::TestResponse all = Send({.method = "GET", .path = "/metrics", .body = "", .key = "", .type = ""});
  EXPECT_EQ(all.status, 200);
  EXPECT_EQ(all.Header("Content-Type"), "text/plain; version=0.0.4");
  EXPECT_THAT(all.body, ::testing::HasSubstr("armature_requests_total{operation=\"GetItem\"} 0\n"));
}

TEST_F(DispatcherTest, MetricsWithATokenAreForWhoeverBringsIt) {
  Start({}, {Secret("correct-horse-battery"), [] { return false; }});
  const auto ask = [&](std::string_view headers) {
    return Send({.method = "GET", .path = "/metrics", .body = "", .key = "", .more_headers = headers, .type = ""});
  };
  for (const char* const wrong :
       {"", "Authorization: Bearer correct-horse-batterz\r\n", "Authorization: correct-horse-battery\r\n",
        "Authorization: Bearer \r\n", "Authorization: Bearer\r\n", "Authorization: Basic correct-horse-battery\r\n"}) {
    const net::TestResponse refused = ask(wrong);
    EXPECT_EQ(refused.status, 401) << wrong;
    EXPECT_EQ(refused.Header("WWW-Authenticate"), "Bearer");
    EXPECT_THAT(refused.body, ::testing::Not(::testing::HasSubstr("armature_")));
  }
  EXPECT_EQ(ask("Authorization: Bearer correct-horse-battery\r\n").status, 200);
}

// Others than loopback are in test/wire, which has another address.
TEST_F(DispatcherTest, MetricsWithoutATokenAreForThisMachineOnceSignaturesAreVerified) {
  Start({}, {Secret(), [] { return true; }});
  EXPECT_EQ(Send({.method = "GET", .path = "/metrics", .body = "", .key = "", .type = ""}).status, 200);
}

TEST_F(DispatcherTest, AnAddressThatAsksTooOftenIsToldSoInTheFormOfItsRequest) {
  TokenBuckets addresses({.per_second = 1, .burst = 3}, clock_, 1);
  Start({.addresses = &addresses});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Send({}).status, 200);
  const net::TestResponse refused = Send({});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body,
              ::testing::HasSubstr(
                  R"("__type":"com.amazon.coral.availability#ThrottlingException","message":"Rate exceeded")"));
  EXPECT_NE(refused.Header("x-amzn-RequestId"), "");
  EXPECT_EQ(Send({.method = "GET", .path = "/metrics", .body = "", .key = "", .type = ""}).status, 429);
  EXPECT_EQ(Requests("ListTables"), "4");
  EXPECT_EQ(metrics_.GetCounter("armature_requests_limited_total", "", R"(by="address")").value(), 2u);
  clock_.AdvanceMillis(1000);
  EXPECT_EQ(Send({}).status, 200) << "on the same connection";
}

TEST_F(DispatcherTest, TheLastRouteTakesWhatIsLeft) {
  const RouteTable routes = MakeRoutes(watched_pipeline_, "us-east-1", nullptr, metrics_);
  net::HttpRequest odd;
  odd.method = net::Method::kOther;
  odd.path = "\x01";
  EXPECT_NE(routes.back()->Match(odd), nullptr);
}

}  // namespace
}  // namespace armature::front
