// The backend against endpoints that answer, refuse, break off, wait, lie and vanish.
#include "dax/backend/remote_backend.h"

#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/request_signer.h"
#include "net/client/client_testing.h"
#include "net/tls/tls_testing.h"
#include "wire/envelope/crc32.h"

namespace armature::dax {
namespace {

using net::Reply;
using net::ScriptedPeer;
using net::TestSocket;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kCalls = "armature_dax_endpoint_requests_total";
constexpr const char* kFailures = "armature_dax_endpoint_failures_total";
constexpr const char* kRepeats = "armature_dax_endpoint_repeats_total";
constexpr const char* kThrottled = "armature_dax_endpoint_throttled_total";

std::string ErrorReply(int status, std::string_view type, std::string_view message = "why") {
  const std::string body =
      fmt::format(R"({{"__type":"com.amazonaws.dynamodb.v20120810#{}","message":"{}"}})", type, message);
  return fmt::format("HTTP/1.1 {} Some\r\nx-amzn-RequestId: RID\r\nContent-Length: {}\r\n\r\n{}", status, body.size(),
                     body);
}

std::string NameOf(const BackendReply& reply) { return reply ? "ok: " + *reply : reply.error().name; }
bool IsUnknown(const BackendReply& reply) { return !reply && reply.error().is_outcome_unknown; }

// A reactor with a thread of its own; its clock is the test's.
struct LoopThread {
  explicit LoopThread(const Clock& clock) : reactor(std::make_unique<net::Reactor>(clock)) {
    EXPECT_TRUE(reactor->Open().ok());
    thread = std::thread([this] { reactor->Run(); });
  }
  ~LoopThread() { End(); }
  void End() {
    if (!thread.joinable()) return;
    reactor->Stop();
    thread.join();
    reactor.reset();
  }
  std::unique_ptr<net::Reactor> reactor;
  std::thread thread;
};

class RemoteBackendTest : public testing::Test {
 protected:
  using Answer = std::future<BackendReply>;

  void TearDown() override {
    for (auto& loop : loops) loop->End();
  }
  void StartBackend(uint16_t port, size_t threads = 1) {
    options.endpoint = *ParseEndpointUrl(fmt::format("{}://127.0.0.1:{}", options.tls ? "https" : "http", port));
    store = std::make_unique<CredentialStore>(
        Credentials{{"AKID", "secret", token}, {}},
        [this]() -> Result<Credentials> {
          return Credentials{{next_key, "secret", token}, {}};
        },
        wall);
    backend = std::make_unique<RemoteBackend>(options, *store, wall, metrics);
    for (size_t i = 0; i < threads; ++i) loops.push_back(std::make_unique<LoopThread>(timers));
  }
  Answer Call(std::string operation, std::string json = "{}", std::string region = "eu-west-1", size_t loop = 0) {
    auto promise = std::make_shared<std::promise<BackendReply>>();
    Answer answer = promise->get_future();
    Run(*loops[loop]->reactor, std::move(operation), std::move(json), std::move(region), std::move(promise));
    return answer;
  }
  async_detail::Detached Run(net::Reactor& reactor, std::string operation, std::string json, std::string region,
                             std::shared_ptr<std::promise<BackendReply>> promise) {
    co_await reactor.Enter();
    BackendReply reply = co_await backend->Call(operation, json, Scope{"123456789012", region});
    EXPECT_TRUE(reactor.IsCurrent());
    promise->set_value(std::move(reply));
  }
  void Step(int64_t millis) {
    timers.AdvanceMillis(millis);
    for (auto& loop : loops) loop->reactor->Wake();
  }
  uint64_t Count(const char* name) { return metrics.GetCounter(name, "").value(); }
  // Reads a whole request; its head.
  static std::string ReadRequest(TestSocket& connection) {
    std::string head = connection.ReadUntil("\r\n\r\n");
    const size_t at = head.find("Content-Length: ");
    if (at != std::string::npos) connection.ReadBytes(std::stoul(head.substr(at + 16)));
    return head;
  }
  static std::string HeaderOf(const std::string& head, std::string_view name) {
    const size_t at = head.find("\r\n" + std::string(name) + ": ");
    if (at == std::string::npos) return "";
    const size_t start = at + name.size() + 4;
    return head.substr(start, head.find("\r\n", start) - start);
  }

  ManualClock wall;
  ManualClock timers;
  Metrics metrics;
  std::string token;
  std::string next_key = "AKID";  // what is read when credentials are renewed
  RemoteBackendOptions options;
  std::unique_ptr<CredentialStore> store;
  std::unique_ptr<RemoteBackend> backend;
  std::vector<std::unique_ptr<LoopThread>> loops;
};

// --- What is sent

class ScriptedEndpointTest : public RemoteBackendTest {
 protected:
  // What a call comes to whose request is answered with `bytes`.
  BackendReply Against(const std::string& operation, std::string_view bytes) {
    Answer answer = Call(operation);
    TestSocket connection = peer.Accept();
    ReadRequest(connection);
    connection.Send(bytes);
    return answer.get();
  }
  // A connection that is kept after a call.
  TestSocket Warm() {
    Answer answer = Call("GetItem");
    TestSocket connection = peer.Accept();
    ReadRequest(connection);
    connection.Send(Reply("{}"));
    EXPECT_EQ(NameOf(answer.get()), "ok: {}");
    return connection;
  }
  ScriptedPeer peer;
};

TEST_F(ScriptedEndpointTest, ARequestIsSignedAsTheNode) {
  StartBackend(peer.port());
  const std::string json = R"({"TableName":"T"})";
  for (const char* session : {"", "a session's token"}) {
    token = session;
    store =
        std::make_unique<CredentialStore>(Credentials{{"AKID", "secret", token}, {}}, CredentialStore::Load(), wall);
    RemoteBackend own(options, *store, wall, metrics);
    LoopThread loop(timers);
    auto done = std::make_shared<std::promise<BackendReply>>();
    [](net::Reactor& reactor, RemoteBackend& to, const std::string& body, auto promise) -> async_detail::Detached {
      co_await reactor.Enter();
      promise->set_value(co_await to.Call("PutItem", body, Scope{"1", "ap-south-1"}));
    }(*loop.reactor, own, json, done);
    TestSocket connection = peer.Accept();
    const std::string head = connection.ReadUntil("\r\n\r\n");
    EXPECT_EQ(connection.ReadBytes(json.size()), json);
    connection.Send(Reply("{}"));
    EXPECT_EQ(NameOf(done->get_future().get()), "ok: {}");
    EXPECT_THAT(head, testing::StartsWith("POST / HTTP/1.1\r\n"));
    EXPECT_EQ(HeaderOf(head, "X-Amz-Target"), "DynamoDB_20120810.PutItem");
    EXPECT_EQ(HeaderOf(head, "Content-Type"), "application/x-amz-json-1.0");
    EXPECT_EQ(HeaderOf(head, "X-Amz-Security-Token"), session);
    // The same as somebody else signs it.
    HttpClientRequest expected;
    expected.url = fmt::format("http://127.0.0.1:{}/", peer.port());
    expected.headers = {{"Content-Type", "application/x-amz-json-1.0"}, {"X-Amz-Target", "DynamoDB_20120810.PutItem"}};
    expected.body = json;
    auth::SignRequest({"AKID", "secret", token}, "ap-south-1", "dynamodb", wall.NowMillis() / 1000, expected);
    for (const HttpHeader& header : expected.headers)
      EXPECT_EQ(HeaderOf(head, header.name), header.value) << header.name;
  }
}

TEST_F(ScriptedEndpointTest, TheRegionIsTheCallersOrTheBackendsOwn) {
  StartBackend(peer.port());
  const auto scope_of = [&](const std::string& region) {
    Answer answer = Call("GetItem", "{}", region);
    TestSocket connection = peer.Accept();
    const std::string head = ReadRequest(connection);
    connection.Send(Reply("{}", "Connection: close\r\n"));
    EXPECT_TRUE(answer.get());
    return HeaderOf(head, "Authorization");
  };
  EXPECT_THAT(scope_of("eu-north-1"), HasSubstr("/eu-north-1/dynamodb/aws4_request"));
  EXPECT_THAT(scope_of(""), HasSubstr("/us-east-1/dynamodb/aws4_request"));
  for (const char* bad : {"a b", "x\r\nEvil: 1", "EU", "/"})
    EXPECT_EQ(NameOf(Call("GetItem", "{}", bad).get()), "UnrecognizedClientException") << bad;
  EXPECT_EQ(NameOf(Call("GetItem", "{}", std::string(65, 'a')).get()), "UnrecognizedClientException");
}

TEST_F(ScriptedEndpointTest, ARegionOfItsOwnIsSignedForWhateverCallersSay) {
  options.region = "ca-west-1";
  StartBackend(peer.port());
  Answer answer = Call("GetItem", "{}", "eu-north-1");
  TestSocket connection = peer.Accept();
  EXPECT_THAT(HeaderOf(ReadRequest(connection), "Authorization"), HasSubstr("/ca-west-1/dynamodb/aws4_request"));
  connection.Send(Reply("{}"));
  EXPECT_TRUE(answer.get());
}

// --- What comes back

TEST_F(ScriptedEndpointTest, RepliesAndErrorsArePassedOnAndErrorsAreNotRepeated) {
  StartBackend(peer.port());
  TestSocket connection = Warm();
  const auto ask = [&](const std::string& operation, const std::string& bytes) {
    Answer answer = Call(operation);
    ReadRequest(connection);
    connection.Send(bytes);
    return answer.get();
  };
  const std::string item = R"({"Item":{"a":{"S":"b"}}})";
  EXPECT_EQ(NameOf(ask("GetItem", Reply(item, fmt::format("x-amz-crc32: {}\r\n", wire::Crc32(item))))), "ok: " + item);
  for (const char* name : {"ConditionalCheckFailedException", "ProvisionedThroughputExceededException",
                           "ThrottlingException", "ResourceNotFoundException"}) {
    const BackendReply reply = ask("PutItem", ErrorReply(400, name));
    EXPECT_EQ(NameOf(reply), name);
    EXPECT_EQ(reply.error().message, "why");
    EXPECT_EQ(reply.error().http_status, 400);
    EXPECT_EQ(reply.error().request_id, "RID");
    EXPECT_THAT(reply.error().json, HasSubstr("\"__type\""));
    EXPECT_FALSE(IsUnknown(reply)) << "it was refused, and so not carried out";
  }
  const BackendReply failed = ask("UpdateItem", ErrorReply(500, "InternalServerError"));
  EXPECT_EQ(NameOf(failed), "InternalServerError");
  EXPECT_TRUE(IsUnknown(failed));
  const BackendReply read = ask("Query", ErrorReply(503, "ServiceUnavailable"));
  EXPECT_EQ(read.error().http_status, 503);
  EXPECT_FALSE(IsUnknown(read));
  EXPECT_EQ(Count(kRepeats), 0u);
  EXPECT_EQ(Count(kFailures), 0u);
  EXPECT_EQ(Count(kCalls), 8u);
}

TEST_F(ScriptedEndpointTest, WhatIsDamagedOrForeignIsNoReply) {
  StartBackend(peer.port());
  for (const std::string& bytes : {Reply("{\"a\":1}", "x-amz-crc32: 7\r\n"), Reply("<html>hello</html>"), Reply(""),
                                   std::string("SSH-2.0\r\n\r\n"),
                                   std::string("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Length: 8\r\n\r\n")}) {
    const BackendReply write = Against("PutItem", bytes);
    EXPECT_EQ(NameOf(write), "InternalServerError") << bytes;
    EXPECT_TRUE(IsUnknown(write));
  }
  EXPECT_EQ(Count(kRepeats), 0u);
  // A read is asked for once more.
  Answer answer = Call("Scan");
  for (const std::string& bytes : {Reply("{}", "x-amz-crc32: 7\r\n"), Reply(R"({"Count":0})")}) {
    TestSocket connection = peer.Accept();
    EXPECT_THAT(ReadRequest(connection), HasSubstr(".Scan"));
    connection.Send(bytes);
  }
  EXPECT_EQ(NameOf(answer.get()), R"(ok: {"Count":0})");
  EXPECT_EQ(Count(kRepeats), 1u);
}

// --- Connections that fail

TEST_F(ScriptedEndpointTest, WhereNobodyListensNothingWasDone) {
  uint16_t port = 0;
  { port = ScriptedPeer().port(); }
  StartBackend(port);
  for (const char* operation : {"PutItem", "GetItem"}) {
    const BackendReply reply = Call(operation).get();
    EXPECT_EQ(NameOf(reply), "ServiceUnavailable");
    EXPECT_EQ(reply.error().http_status, 503);
    EXPECT_FALSE(IsUnknown(reply));
    EXPECT_THAT(reply.error().message, HasSubstr("refused"));
  }
  EXPECT_EQ(Count(kRepeats), 2u) << "once each";
  EXPECT_EQ(Count(kFailures), 4u);
}

TEST_F(ScriptedEndpointTest, AWriteThatWasSentIsNotSentAgain) {
  StartBackend(peer.port());
  Answer answer = Call("TransactWriteItems");
  TestSocket connection = peer.Accept();
  ReadRequest(connection);
  connection.Close();
  BackendReply reply = answer.get();
  EXPECT_EQ(NameOf(reply), "InternalServerError");
  EXPECT_TRUE(IsUnknown(reply));
  // Not even if the connection had been kept and may have been closed before.
  TestSocket kept = Warm();
  answer = Call("DeleteItem");
  ReadRequest(kept);
  kept.Reset();
  reply = answer.get();
  EXPECT_TRUE(IsUnknown(reply));
  EXPECT_EQ(Count(kRepeats), 0u);
}

TEST_F(ScriptedEndpointTest, AReadIsSentAgainOnceByANewConnection) {
  StartBackend(peer.port());
  TestSocket kept = Warm();
  Answer answer = Call("GetItem");
  ReadRequest(kept);
  kept.Close();
  TestSocket fresh = peer.Accept();
  ReadRequest(fresh);
  fresh.Send(Reply(R"({"second":1})"));
  EXPECT_EQ(NameOf(answer.get()), R"(ok: {"second":1})");
  answer = Call("BatchGetItem");
  ReadRequest(fresh);
  fresh.Send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{");
  fresh.Close();
  TestSocket last = peer.Accept();
  ReadRequest(last);
  last.Close();
  const BackendReply reply = answer.get();
  EXPECT_EQ(NameOf(reply), "ServiceUnavailable");
  EXPECT_FALSE(IsUnknown(reply));
  EXPECT_EQ(Count(kRepeats), 2u);
}

TEST_F(ScriptedEndpointTest, AConnectionClosedWhileItWasIdleIsNotUsed) {
  StartBackend(peer.port());
  TestSocket kept = Warm();
  kept.FinishWriting();
  EXPECT_TRUE(kept.IsClosedByServer()) << "it has been seen";
  Answer answer = Call("PutItem");
  TestSocket fresh = peer.Accept();
  ReadRequest(fresh);
  fresh.Send(Reply("{}"));
  EXPECT_EQ(NameOf(answer.get()), "ok: {}");
}

TEST_F(ScriptedEndpointTest, WhoDoesNotAnswerInTimeIsGivenUp) {
  StartBackend(peer.port());
  Answer write = Call("PutItem");
  TestSocket first = peer.Accept();
  ReadRequest(first);
  Answer read = Call("GetItem");
  TestSocket second = peer.Accept();
  ReadRequest(second);
  second.Send("HTTP/1.1 200 OK\r\nContent-Le");
  Step(9'000);
  EXPECT_EQ(write.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  Step(1'200);
  const BackendReply written = write.get();
  EXPECT_EQ(NameOf(written), "InternalServerError");
  EXPECT_TRUE(IsUnknown(written));
  EXPECT_THAT(written.error().message, HasSubstr("within 10000 ms"));
  EXPECT_FALSE(IsUnknown(read.get()));
  EXPECT_TRUE(first.IsClosedByServer());
  EXPECT_EQ(Count(kRepeats), 0u) << "there is no time left";
}

TEST_F(RemoteBackendTest, WhoDoesNotTakeTheConnectionHasASecondAndIsTriedTwice) {
  // A full queue of connections that nobody accepts: the kernel leaves the next one without an answer.
  ScriptedPeer deaf(0);
  const TestSocket queued(deaf.port());
  StartBackend(deaf.port());
  Answer answer = Call("PutItem");
  // Nobody can say when a try has begun to wait: time passes until it has ended.
  int64_t passed = 0;
  for (; answer.wait_for(std::chrono::milliseconds(5)) == std::future_status::timeout && passed < 60'000; passed += 50)
    Step(50);
  EXPECT_GE(passed, 2 * 1'000);
  EXPECT_EQ(Count(kRepeats), 1u);
  const BackendReply reply = answer.get();
  EXPECT_EQ(NameOf(reply), "ServiceUnavailable");
  EXPECT_FALSE(IsUnknown(reply));
  EXPECT_THAT(reply.error().message, HasSubstr("within 1000 ms"));
}

// --- Many, and too many

class ServedEndpointTest : public RemoteBackendTest {
 protected:
  void TearDown() override {
    RemoteBackendTest::TearDown();
    if (!server) return;
    EXPECT_EQ(server->Stop(std::chrono::seconds(10)), 0u);
  }
  void StartEchoes() {
    handler.function = [this](net::Exchange& exchange) -> Task<void> {
      if (held.valid()) co_await Held();
      exchange.response().body.assign(exchange.request().body);
      co_return;
    };
    StartServer(nullptr);
  }
  void StartServer(std::shared_ptr<net::TlsAcceptor> acceptor) {
    net::ServerOptions server_options;
    server_options.port = 0;
    server_options.threads = 1;
    server_options.tls = std::move(acceptor);
    server = std::make_unique<net::Server>(server_options, handler, server_metrics);
    ASSERT_TRUE(server->Start().ok());
  }
  Task<void> Held() {
    net::Reactor& reactor = *net::Reactor::Current();
    while (held.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      co_await reactor.SleepUntil(reactor.now_millis() + 20);
  }
  Metrics server_metrics;
  net::FunctionHandler handler;
  std::shared_future<void> held;
  std::unique_ptr<net::Server> server;
};

TEST_F(ServedEndpointTest, ManyAtOnceFromSeveralReactorsByFewConnections) {
  options.max_connections = 8;
  StartEchoes();
  StartBackend(server->port(), 3);
  std::vector<std::pair<std::string, Answer>> answers;
  for (int i = 0; i < 600; ++i) {
    std::string json = fmt::format(R"({{"number":{}}})", i);
    answers.emplace_back(json, Call(i % 2 ? "GetItem" : "PutItem", json, "eu-west-1", static_cast<size_t>(i) % 3));
  }
  for (auto& [json, answer] : answers) EXPECT_EQ(NameOf(answer.get()), "ok: " + json);
  EXPECT_LE(server_metrics.GetCounter("armature_http_connections_accepted_total", "").value(), 24u);
  EXPECT_EQ(Count(kCalls), 600u);
}

TEST_F(ServedEndpointTest, AnEndpointMayHaveAName) {
  StartEchoes();
  StartBackend(server->port(), 2);
  backend.reset();
  options.endpoint = *ParseEndpointUrl(fmt::format("http://localhost:{}", server->port()));
  backend = std::make_unique<RemoteBackend>(options, *store, wall, metrics);
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(NameOf(Call("PutItem", "{}", "eu-west-1", i % 2).get()), "ok: {}");
}

TEST_F(ServedEndpointTest, MoreThanAreAllowedAreThrottledAndThenThereIsRoomAgain) {
  std::promise<void> release;
  held = release.get_future().share();
  options.max_calls = 5;
  StartEchoes();
  StartBackend(server->port(), 2);
  std::vector<Answer> under_way;
  for (size_t i = 0; i < 5; ++i) under_way.push_back(Call("PutItem", "{}", "eu-west-1", i % 2));
  for (int i = 0; i < 10'000 && Count(kCalls) < 5; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const BackendReply reply = Call("PutItem").get();
  EXPECT_EQ(NameOf(reply), "ThrottlingException");
  EXPECT_FALSE(IsUnknown(reply));
  EXPECT_EQ(Count(kThrottled), 1u);
  release.set_value();
  for (Answer& answer : under_way) EXPECT_EQ(NameOf(answer.get()), "ok: {}");
  EXPECT_EQ(NameOf(Call("PutItem").get()), "ok: {}");
}

TEST_F(ServedEndpointTest, WhatIsUnderWayEndsWhenTheBackendIsShutAndNothingBeginsAnyMore) {
  std::promise<void> release;
  held = release.get_future().share();
  StartEchoes();
  StartBackend(server->port(), 2);
  std::vector<Answer> under_way;
  for (size_t i = 0; i < 40; ++i)
    under_way.push_back(Call(i % 4 < 2 ? "PutItem" : "GetItem", "{}", "eu-west-1", i % 2));
  for (int i = 0; i < 10'000 && Count(kCalls) < 40; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  backend->Shutdown();
  for (size_t i = 0; i < under_way.size(); ++i) {
    const BackendReply reply = under_way[i].get();
    ASSERT_FALSE(reply);
    EXPECT_FALSE(i % 4 >= 2 && IsUnknown(reply)) << "a read is never in doubt";
  }
  EXPECT_EQ(Count(kRepeats), 0u);
  const BackendReply late = Call("PutItem").get();
  EXPECT_EQ(NameOf(late), "ServiceUnavailable");
  EXPECT_FALSE(IsUnknown(late));
  release.set_value();
}

TEST_F(ServedEndpointTest, AReactorThatGoesTakesItsConnectionsAndTheOthersGoOn) {
  StartEchoes();
  StartBackend(server->port(), 2);
  EXPECT_EQ(NameOf(Call("GetItem", "{}", "r", 0).get()), "ok: {}");
  EXPECT_EQ(NameOf(Call("GetItem", "{}", "r", 1).get()), "ok: {}");
  EXPECT_EQ(server->connection_count(), 2u);
  loops[0]->End();
  for (int i = 0; i < 10'000 && server->connection_count() > 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(server->connection_count(), 1u);
  EXPECT_EQ(NameOf(Call("GetItem", "{}", "r", 1).get()), "ok: {}");
  loops.push_back(std::make_unique<LoopThread>(timers));
  EXPECT_EQ(NameOf(Call("GetItem", "{}", "r", 2).get()), "ok: {}");
}

// --- Keys that are not accepted any more

TEST_F(ScriptedEndpointTest, RefusedKeysAreReadAgainAndTheRequestIsSentWithTheNewOnes) {
  next_key = "NEWKEY";
  StartBackend(peer.port());
  Answer answer = Call("PutItem");
  TestSocket connection = peer.Accept();
  EXPECT_THAT(ReadRequest(connection), HasSubstr("Credential=AKID/"));
  connection.Send(ErrorReply(400, "ExpiredTokenException"));
  EXPECT_THAT(ReadRequest(connection), HasSubstr("Credential=NEWKEY/"));
  connection.Send(Reply("{}"));
  EXPECT_EQ(NameOf(answer.get()), "ok: {}");
  answer = Call("PutItem");
  EXPECT_THAT(ReadRequest(connection), HasSubstr("Credential=NEWKEY/"));
  connection.Send(ErrorReply(400, "ExpiredTokenException"));
  EXPECT_EQ(NameOf(answer.get()), "ExpiredTokenException") << "there are no others";
}

// --- By HTTPS

TEST_F(ServedEndpointTest, ByHttpsToAServerThatIsBelieved) {
  const SelfSigned made = net::MakeTestCertificate("127.0.0.1");
  const MemoryFile certificate("cert.pem"), key("key.pem");
  chmod(key.path().c_str(), 0600);
  ASSERT_TRUE(certificate.Write(made.certificate_pem) && key.Write(made.key_pem));
  const SystemClock clock;
  auto acceptor = net::TlsAcceptor::Open({.files = {certificate.path(), key.path(), {}}, .wants_kernel = false},
                                         server_metrics, clock);
  ASSERT_TRUE(acceptor);
  handler.function = [](net::Exchange& exchange) -> Task<void> {
    exchange.response().body = exchange.is_secure() ? R"({"secure":true})" : "{}";
    co_return;
  };
  StartServer(*acceptor);
  auto connector = net::TlsConnector::Open(certificate.path());
  ASSERT_TRUE(connector);
  options.tls = *connector;
  StartBackend(server->port());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(NameOf(Call("PutItem").get()), R"(ok: {"secure":true})");
  EXPECT_EQ(server->connection_count(), 1u);
}

TEST_F(ServedEndpointTest, ByHttpsToAServerThatIsNotBelievedNothingIsSent) {
  const SelfSigned made = net::MakeTestCertificate("somebody.test");
  const MemoryFile certificate("cert.pem"), key("key.pem");
  chmod(key.path().c_str(), 0600);
  ASSERT_TRUE(certificate.Write(made.certificate_pem) && key.Write(made.key_pem));
  const SystemClock clock;
  auto acceptor = net::TlsAcceptor::Open({.files = {certificate.path(), key.path(), {}}, .wants_kernel = false},
                                         server_metrics, clock);
  ASSERT_TRUE(acceptor);
  handler.function = [](net::Exchange&) -> Task<void> {
    ADD_FAILURE() << "it was asked";
    co_return;
  };
  StartServer(*acceptor);
  auto connector = net::TlsConnector::Open(certificate.path());
  ASSERT_TRUE(connector);
  options.tls = *connector;
  StartBackend(server->port());
  const BackendReply reply = Call("PutItem").get();
  EXPECT_EQ(NameOf(reply), "ServiceUnavailable");
  EXPECT_FALSE(IsUnknown(reply));
}

}  // namespace
}  // namespace armature::dax
