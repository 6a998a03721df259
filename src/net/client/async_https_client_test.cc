// The client's calls by TLS: against our own server, and against whoever is not who he should be.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "net/client/client_testing.h"
#include "net/tls/tls_testing.h"

namespace armature::net {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class HttpsClientTest : public AsyncHttpClientTest {
 protected:
  // A server whose certificate is for `host`; the client believes it.
  void StartBoth(const std::string& host = "127.0.0.1") {
    const SelfSigned made = MakeTestCertificate(host);
    chmod(key_file.path().c_str(), 0600);
    EXPECT_TRUE(certificate_file.Write(made.certificate_pem) && key_file.Write(made.key_pem));
    auto acceptor = TlsAcceptor::Open({.files = {certificate_file.path(), key_file.path(), {}}, .wants_kernel = false},
                                      metrics, server_clock);
    ASSERT_TRUE(acceptor);
    handler.function = [](Exchange& exchange) -> Task<void> {
      HttpResponse& response = exchange.response();
      response.AddHeader("X-Seen-Host", exchange.request().Value("Host"));
      response.body = std::string(exchange.is_secure() ? "secure " : "open ") + std::string(exchange.request().body);
      co_return;
    };
    ServerOptions server_options;
    server_options.port = 0;
    server_options.threads = 1;
    server_options.tls = *acceptor;
    server_options.tls_port = 0;
    server = std::make_unique<Server>(server_options, handler, metrics);
    ASSERT_TRUE(server->Start().ok());
    Trust(certificate_file.path());
    StartClient();
  }
  void Trust(const std::string& ca_file) {
    auto opened = TlsConnector::Open(ca_file);
    ASSERT_TRUE(opened) << opened.error().message();
    options.tls = *opened;
  }
  static HttpCall SecureCall(uint16_t port) {
    HttpCall call = Call(port, "POST");
    call.is_secure = true;
    return call;
  }
  uint64_t handshakes() { return metrics.GetCounter("armature_tls_handshakes_total", "").value(); }

  SystemClock server_clock;
  Metrics metrics;
  FunctionHandler handler;
  MemoryFile certificate_file{"cert.pem"};
  MemoryFile key_file{"key.pem"};
  std::unique_ptr<Server> server;
};

TEST_F(HttpsClientTest, ACallIsAnsweredAndItsConnectionKept) {
  StartBoth();
  for (int i = 0; i < 3; ++i) {
    HttpCall call = SecureCall(server->tls_port());
    call.body = "ping";
    const auto reply = SendAndWait(call);
    ASSERT_TRUE(reply) << reply.error().ToString();
    EXPECT_EQ(reply->body, "secure ping");
    EXPECT_EQ(reply->Value("X-Seen-Host"), "127.0.0.1:" + std::to_string(server->tls_port()));
  }
  EXPECT_EQ(handshakes(), 1u);
  EXPECT_EQ(idle(), 1u);
  EXPECT_EQ(BodyOf(SendAndWait(Call(server->port(), "POST"))), "open ") << "without TLS it is another connection";
}

TEST_F(HttpsClientTest, AServerIsKnownByItsNameToo) {
  resolver = std::make_unique<Resolver>([](const std::string& host, uint16_t port) -> Result<SocketAddresses> {
    EXPECT_EQ(host, "tables.test");
    return SocketAddresses{*ParseNumericAddress("127.0.0.1", port)};
  });
  StartBoth("tables.test");
  HttpCall call = SecureCall(server->tls_port());
  call.host = "tables.test";
  EXPECT_EQ(BodyOf(SendAndWait(call)), "secure ");
}

TEST_F(HttpsClientTest, LargeBodiesGoBothWaysAndManyAtOnce) {
  StartBoth();
  const std::string body(5 << 20, 'x');
  std::vector<Answer> answers;
  for (int i = 0; i < 8; ++i) {
    HttpCall call = SecureCall(server->tls_port());
    call.body = body;
    answers.push_back(Send(std::move(call)));
  }
  for (Answer& answer : answers) {
    const auto reply = answer.get();
    ASSERT_TRUE(reply) << reply.error().ToString();
    EXPECT_TRUE(reply->body == "secure " + body);
  }
}

TEST_F(HttpsClientTest, ACertificateForAnotherNameIsNotBelieved) {
  StartBoth("elsewhere.test");
  bool is_sent = false;
  HttpCall call = SecureCall(server->tls_port());
  call.is_sent = &is_sent;
  const auto reply = SendAndWait(call);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), StatusCode::kUnavailable);
  EXPECT_THAT(reply.error().message(), AnyOf(HasSubstr("mismatch"), HasSubstr("does not match")));
  EXPECT_FALSE(is_sent);
  EXPECT_EQ(connections(), 0u);
}

TEST_F(HttpsClientTest, ACertificateThatNobodyKnowsIsNotBelieved) {
  const SelfSigned other = MakeTestCertificate("127.0.0.1");
  const MemoryFile others("other.pem");
  ASSERT_TRUE(others.Write(other.certificate_pem));
  StartBoth();
  ASSERT_EQ(BodyOf(SendAndWait(SecureCall(server->tls_port()))), "secure ");
  OnLoop([&] { client.reset(); });
  Trust(others.path());
  OnLoop([&] { client = std::make_unique<AsyncHttpClient>(reactor, *resolver, options); });
  const auto reply = SendAndWait(SecureCall(server->tls_port()));
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message(), HasSubstr("certificate"));
}

TEST_F(HttpsClientTest, WhoDoesNotSpeakTlsIsNotAsked) {
  StartBoth();
  HttpCall call = SecureCall(server->port());
  const auto reply = SendAndWait(call);
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message(), HasSubstr("cannot connect"));
  EXPECT_EQ(connections(), 0u);
}

TEST_F(HttpsClientTest, APeerThatSaysNothingIsGivenUpAndOneThatCloses) {
  Trust("");
  StartClient();
  ScriptedPeer peer;
  Answer answer = Send(SecureCall(peer.port()));
  TestSocket connection = peer.Accept();
  EXPECT_FALSE(connection.ReadBytes(5).empty()) << "it is for us to begin";
  Step(5'100);
  auto reply = answer.get();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message(), HasSubstr("within 5000 ms"));
  answer = Send(SecureCall(peer.port()));
  connection = peer.Accept();
  connection.Close();
  reply = answer.get();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), StatusCode::kUnavailable);
  EXPECT_EQ(connections(), 0u);
}

TEST_F(HttpsClientTest, AKeptConnectionThatItsServerClosedIsReplaced) {
  StartBoth();
  ASSERT_TRUE(SendAndWait(SecureCall(server->tls_port())));
  const uint16_t port = server->tls_port();
  server->Stop(std::chrono::seconds(10));
  Await([&] { return connections() == 0; });
  const auto reply = SendAndWait(SecureCall(port));
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message(), HasSubstr("refused"));
}

TEST_F(HttpsClientTest, WithoutTrustThereAreNoSecureCalls) {
  StartClient();
  EXPECT_EQ(CodeOf(SendAndWait(SecureCall(443))), StatusCode::kInvalidArgument);
  for (const char* path : {"/nowhere/ca.pem", "/dev/null"}) EXPECT_FALSE(TlsConnector::Open(path)) << path;
}

}  // namespace
}  // namespace armature::net
