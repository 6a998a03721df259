// A front that verifies, as a client sees it, over real sockets: nothing is believed that a key's secret does not give.
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/api_testing.h"
#include "auth/accept_any.h"
#include "auth/authorizer.h"
#include "auth/limits/principal_limits.h"
#include "auth/request_signer.h"
#include "auth/verify/memory_key_ring.h"
#include "auth/verify/posture.h"
#include "auth/verify/signature_testing.h"
#include "auth/verify/signature_verifier.h"
#include "front/dispatcher.h"
#include "front/routes.h"
#include "net/server.h"
#include "net/server_testing.h"
#include "wire/envelope/compression.h"

namespace armature::front {
namespace {

using ::testing::HasSubstr;

struct Sent {
  std::string_view target = "DynamoDB_20120810.ListTables";
  std::string body = "{}";
  std::string key{auth::kTestUserKey};
  std::string secret{auth::kTestSecret};
  std::string service = "dynamodb";
  std::string sent_body{};  // instead of what was signed
  bool is_gzip = false;
};

class VerificationTest : public api::ApiFixture {
 protected:
  void SetUp() override {
    net::ServerOptions net;
    net.port = 0;
    net.threads = 1;
    server_ = std::make_unique<net::Server>(net, dispatcher_, metrics_);
    ASSERT_TRUE(server_->Start().ok());
    client_ = std::make_unique<net::TestClient>(server_->port());
  }
  void TearDown() override {
    client_.reset();
    server_->Stop(std::chrono::seconds(5));
    dispatcher_.Stop();
  }

  net::TestResponse Send(const Sent& sent) {
    HttpClientRequest request;
    request.url = "http://localhost/";
    request.method = "POST";
    request.headers = {{"X-Amz-Target", std::string(sent.target)}, {"Content-Type", "application/x-amz-json-1.0"}};
    if (sent.is_gzip) request.headers.push_back({"Content-Encoding", "gzip"});
    request.body = sent.body;
    auth::SignRequest({sent.key, sent.secret, ""}, "us-east-1", sent.service, clock_.NowMillis() / 1000, request);
    const std::string_view body = sent.sent_body.empty() ? sent.body : sent.sent_body;
    std::string bytes = fmt::format("POST / HTTP/1.1\r\nContent-Length: {}\r\n", body.size());
    for (const HttpHeader& header : request.headers) bytes += fmt::format("{}: {}\r\n", header.name, header.value);
    return client_->Call(bytes.append("\r\n").append(body));
  }
  void ExpectRefused(const Sent& sent, std::string_view error) {
    const net::TestResponse response = Send(sent);
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(response.body, HasSubstr(std::string(error)));
  }

  auth::MemoryKeyRing keys_;
  auth::FailureBackoff backoff_{{.failures_of_key = 4, .window_millis = 1000, .pause_millis = 1000}, clock_, 1};
  const auth::AcceptAnyVerifier believing_{"123456789012"};
  const auth::SignatureVerifier verifying_{keys_, clock_, &backoff_};
  const auth::PostureVerifier posture_{keys_, believing_, verifying_};
  const auth::PrincipalLimits limits_{{.requests = Rate{1, 20}, .max_connections = 2}, posture_, clock_, 1, metrics_};
  const Pipeline verified_pipeline_{{.region = "us-east-1"}, services_, limits_};
  Dispatcher dispatcher_{{}, MakeRoutes(verified_pipeline_, "us-east-1", nullptr, metrics_), random_, metrics_};
  std::unique_ptr<net::Server> server_;
  std::unique_ptr<net::TestClient> client_;
};

// Says no, and keeps whom it was asked about and how he came.
class Refusing final : public auth::Authorizer {
 public:
  model::ApiResult<void> Authorize(const auth::Principal& principal, const auth::Access& access) const override {
    const auth::Circumstances& how = access.circumstances();
    asked = fmt::format("{} {} {} {} {}", principal.arn, access.action(), how.source_ip, how.is_secure.value_or(true),
                        how.requested_region);
    return model::AccessDeniedException("no");
  }
  mutable std::string asked;
};

TEST_F(VerificationTest, PoliciesAreAskedFromTheFirstPrincipalOnAndOnlyThen) {
  const Refusing authorizer;
  services_.authorizer = &authorizer;
  EXPECT_EQ(Send({.secret = "wrong"}).status, 200) << "no principals: everybody may do everything";
  EXPECT_EQ(authorizer.asked, "");
  keys_.Put(auth::MakeTestUserKey());
  ExpectRefused({}, "#AccessDeniedException");
  EXPECT_EQ(authorizer.asked,
            "arn:aws:iam::111122223333:user/staff/alice dynamodb:ListTables 127.0.0.1 false us-east-1");
}

TEST_F(VerificationTest, TheFirstPrincipalIsKnownToConnectionsThatAreOpen) {
  EXPECT_EQ(Send({.secret = "wrong"}).status, 200) << "no principals: everybody is believed";
  keys_.Put(auth::MakeTestUserKey());
  ExpectRefused({.secret = "wrong"}, "#InvalidSignatureException");
  ExpectRefused({.key = "AKIDSOMEBODY"}, "#UnrecognizedClientException");
  ExpectRefused({.service = "sts"}, "#InvalidSignatureException");
  EXPECT_EQ(Send({}).status, 200);
  keys_.Remove(auth::kTestUserKey);
  keys_.Put(auth::MakeTestSessionKey());
  ExpectRefused({}, "#UnrecognizedClientException");
}

TEST_F(VerificationTest, AConnectionIsHisWhoSignedItsLastRequestAndTooManyOfOneAreClosed) {
  keys_.Put(auth::MakeTestUserKey());
  keys_.Put(auth::MakeTestUserKey("AKIDOTHERKEY"));  // of the same user
  const auto another = [&] { return std::exchange(client_, std::make_unique<net::TestClient>(server_->port())); };
  EXPECT_EQ(Send({}).status, 200);
  auto first = another();
  EXPECT_EQ(Send({.key = "AKIDOTHERKEY"}).status, 200);
  auto second = another();
  EXPECT_EQ(Send({.secret = "wrong"}).status, 400) << "who is not believed is not counted";
  const net::TestResponse refused = Send({});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("#ThrottlingException"));
  EXPECT_EQ(refused.Header("Connection"), "close");
  EXPECT_TRUE(client_->IsClosedByServer());
  client_ = std::move(first);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Send({}).status, 200) << "the others go on";
  client_->Close();
  // It is his no more when the server has seen its end, which nobody waits for: the next ones are refused until then.
  int status = 0;
  for (int i = 0; i < 1000 && status != 200; ++i) {
    client_ = std::make_unique<net::TestClient>(server_->port());
    clock_.AdvanceMillis(1000);
    status = Send({}).status;
  }
  EXPECT_EQ(status, 200);
}

TEST_F(VerificationTest, WhoAsksTooOftenIsToldToWaitOnAConnectionThatStays) {
  keys_.Put(auth::MakeTestUserKey());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Send({}).status, 200);
  ExpectRefused({}, R"("__type":"com.amazon.coral.availability#ThrottlingException","message":"Rate exceeded")");
  clock_.AdvanceMillis(1000);
  EXPECT_EQ(Send({}).status, 200);
}

TEST_F(VerificationTest, TablesAreOfTheCallersAccount) {
  keys_.Put(auth::MakeTestUserKey());
  const net::TestResponse created = Send({.target = "DynamoDB_20120810.CreateTable", .body = R"({"TableName":"Tbl",
      "BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})"});
  EXPECT_EQ(created.status, 200) << created.body;
  EXPECT_THAT(created.body, HasSubstr("arn:aws:dynamodb:us-east-1:111122223333:table/Tbl"));
}

TEST_F(VerificationTest, ACompressedBodyIsSignedAsItIsSent) {
  keys_.Put(auth::MakeTestUserKey());
  std::string zipped;
  ASSERT_TRUE(wire::Deflate(wire::Coding::kGzip, "{}", zipped).ok());
  EXPECT_EQ(Send({.body = zipped, .is_gzip = true}).status, 200);
  ExpectRefused({.body = "{}", .sent_body = zipped, .is_gzip = true}, "#InvalidSignatureException");
}

TEST_F(VerificationTest, LargeBodiesAreVerifiedOnAnotherThread) {
  keys_.Put(auth::MakeTestUserKey());
  const std::string large = "{" + std::string(600 * 1024, ' ') + "}";
  std::string changed = large;
  changed[100] = '\t';
  EXPECT_EQ(Send({.body = large}).status, 200);
  ExpectRefused({.body = large, .sent_body = changed}, "#InvalidSignatureException");
}

TEST_F(VerificationTest, AnAddressThatKeepsFailingIsPutOff) {
  keys_.Put(auth::MakeTestUserKey());
  for (int i = 0; i < 4; ++i) ExpectRefused({.secret = "wrong"}, "#InvalidSignatureException");
  ExpectRefused({}, R"("__type":"com.amazon.coral.availability#ThrottlingException","message":"Rate exceeded")");
  clock_.AdvanceMillis(1000);
  EXPECT_EQ(Send({}).status, 200);
}

}  // namespace
}  // namespace armature::front
