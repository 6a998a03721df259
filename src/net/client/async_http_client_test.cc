// The client against our own server, and against peers that break every rule.
#include "net/client/async_http_client.h"

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/client/client_testing.h"

namespace armature::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// --- Against our own server

class ClientAndServerTest : public AsyncHttpClientTest {
 protected:
  void StartBoth() {
    server_options.port = 0;
    server_options.threads = 1;
    if (!handler.function)
      handler.function = [](Exchange& exchange) -> Task<void> {
        const HttpRequest& request = exchange.request();
        HttpResponse& response = exchange.response();
        response.content_type = "text/plain";
        if (request.path == "/missing") response.status = 404;
        response.AddHeader("X-Seen-Host", request.Value("Host"));
        response.AddHeader("X-Seen-Length", request.Value("Content-Length"));
        response.body.append(request.method_name).append(" ").append(request.target).append(" ").append(request.body);
        co_return;
      };
    server = std::make_unique<Server>(server_options, handler, metrics);
    ASSERT_TRUE(server->Start().ok());
    StartClient();
  }
  uint64_t accepted() { return metrics.GetCounter("armature_http_connections_accepted_total", "").value(); }

  Metrics metrics;
  ServerOptions server_options;
  FunctionHandler handler;
  std::unique_ptr<Server> server;
};

TEST_F(ClientAndServerTest, SendsWhatItWasToldAndReturnsTheReply) {
  StartBoth();
  HttpCall call = Call(server->port(), "POST", "/missing?a=b");
  call.headers = {{"X-One", "1"}, {"X-Empty", ""}};
  call.body = "ping";
  const auto reply = SendAndWait(call);
  ASSERT_TRUE(reply) << reply.error().ToString();
  EXPECT_EQ(reply->status, 404);
  EXPECT_EQ(reply->reason, "Not Found");
  EXPECT_EQ(reply->body, "POST /missing?a=b ping");
  EXPECT_EQ(reply->Value("content-type"), "text/plain");
  EXPECT_EQ(reply->Value("X-Seen-Host"), "127.0.0.1:" + std::to_string(server->port()));
  EXPECT_EQ(reply->Value("X-Seen-Length"), "4");
}

TEST_F(ClientAndServerTest, EachMethodIsSentUnderItsNameOnOneKeptConnection) {
  StartBoth();
  for (const char* method : {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "GET"}) {
    HttpCall call = Call(server->port(), method);
    call.headers = {{"Host", "chosen"}};
    const auto reply = SendAndWait(call);
    ASSERT_TRUE(reply) << method << ": " << reply.error().ToString();
    EXPECT_EQ(reply->body, std::string_view(method) == "HEAD" ? "" : std::string(method) + " / ");
    EXPECT_EQ(reply->Value("X-Seen-Host"), "chosen");
  }
  EXPECT_EQ(accepted(), 1u);
  EXPECT_EQ(connections(), 1u);
  EXPECT_EQ(idle(), 1u);
}

TEST_F(ClientAndServerTest, LargeBodiesGoBothWays) {
  handler.function = [](Exchange& exchange) -> Task<void> {
    exchange.response().body.assign(exchange.request().body);
    co_return;
  };
  StartBoth();
  const std::string body(12 << 20, 'x');
  for (int i = 0; i < 3; ++i) {
    HttpCall call = Call(server->port(), "PUT");
    call.body = body;
    const auto reply = SendAndWait(call);
    ASSERT_TRUE(reply) << reply.error().ToString();
    EXPECT_TRUE(reply->body == body);
  }
  EXPECT_EQ(accepted(), 1u);
}

TEST_F(ClientAndServerTest, CallsBeyondTheConnectionsOfAHostWaitForOne) {
  options.max_connections_per_host = 3;
  options.max_idle_per_host = 2;
  StartBoth();
  std::vector<std::string> targets;
  for (int i = 0; i < 60; ++i) targets.push_back("/" + std::to_string(i));
  std::vector<Answer> answers;
  for (const std::string& target : targets) answers.push_back(Send(Call(server->port(), "GET", target)));
  for (size_t i = 0; i < answers.size(); ++i) {
    const auto reply = answers[i].get();
    ASSERT_TRUE(reply) << reply.error().ToString();
    EXPECT_EQ(reply->body, "GET " + targets[i] + " ");
  }
  EXPECT_LE(connections(), 2u) << "no more are kept than allowed";
  EXPECT_EQ(idle(), connections());
  EXPECT_LE(server->connection_count(), 3u);
}

TEST_F(ClientAndServerTest, ARefusalIsReadAlthoughTheRequestIsStillBeingWritten) {
  server_options.max_body_bytes = 1000;
  StartBoth();
  const std::string body(20 << 20, 'x');
  HttpCall call = Call(server->port(), "POST");
  call.body = body;
  const auto reply = SendAndWait(call);
  ASSERT_TRUE(reply) << reply.error().ToString();
  EXPECT_EQ(reply->status, 413);
  EXPECT_EQ(connections(), 0u);
}

TEST_F(ClientAndServerTest, AKeptConnectionIsClosedWhenItIsIdleForLong) {
  StartBoth();
  ASSERT_TRUE(SendAndWait(Call(server->port())));
  Step(59'000);
  ASSERT_TRUE(SendAndWait(Call(server->port()))) << "use renews its time";
  Step(59'000);
  EXPECT_EQ(idle(), 1u);
  Step(1'100);
  Await([&] { return connections() == 0; });
  EXPECT_EQ(accepted(), 1u);
  ASSERT_TRUE(SendAndWait(Call(server->port())));
  EXPECT_EQ(accepted(), 2u);
}

TEST_F(ClientAndServerTest, AServerThatStopsIsNoticed) {
  StartBoth();
  const uint16_t port = server->port();
  ASSERT_TRUE(SendAndWait(Call(port)));
  server->Stop(std::chrono::seconds(10));
  Await([&] { return connections() == 0; });
  const auto reply = SendAndWait(Call(port));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), StatusCode::kUnavailable);
  EXPECT_THAT(reply.error().message(), AllOf(HasSubstr("cannot connect to 127.0.0.1:"), HasSubstr("refused")));
}

// --- What cannot be asked

TEST_F(AsyncHttpClientTest, WhatWouldBeAnotherRequestIsRefused) {
  StartClient();
  std::vector<HttpCall> calls;
  for (const char* host : {"", "a b", "a/b", "a\r\n", "[::1]"}) calls.emplace_back(Call(80)).host = host;
  for (const char* method : {"", "GE T", "GET\r\n"}) calls.push_back(Call(80, method));
  for (const char* target : {"", "/a b", "/\r\nX: y", "/\x7f"}) calls.push_back(Call(80, "GET", target));
  for (const Header& header :
       {Header{"", "x"}, Header{"A b", "x"}, Header{"A", "x\r\nB: y"}, Header{"A", "\n"}, Header{"Content-Length", "1"},
        Header{"transfer-encoding", "chunked"}, Header{"Connection", "close"}})
    calls.emplace_back(Call(80)).headers.push_back(header);
  for (const HttpCall& call : calls) {
    const auto reply = SendAndWait(call);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code(), StatusCode::kInvalidArgument) << reply.error().message();
  }
}

TEST_F(AsyncHttpClientTest, TheRequestOnTheWire) {
  ScriptedPeer peer;
  StartClient();
  HttpCall call = Call(peer.port(), "POST", "/x?y");
  call.headers = {{"A", "b"}};
  call.body = "{}";
  Answer answer = Send(call);
  TestSocket connection = peer.Accept();
  const std::string authority = "127.0.0.1:" + std::to_string(peer.port());
  const std::string expected = "POST /x?y HTTP/1.1\r\nHost: " + authority + "\r\nA: b\r\nContent-Length: 2\r\n\r\n{}";
  EXPECT_EQ(connection.ReadBytes(expected.size()), expected);
  connection.Send(Reply("done"));
  EXPECT_EQ(BodyOf(answer.get()), "done");
  // Without a body: no length for a GET, one for a POST.
  answer = Send(Call(peer.port()));
  EXPECT_EQ(connection.ReadUntil("\r\n\r\n"), "GET / HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
  connection.Send(Reply(""));
  ASSERT_TRUE(answer.get());
  answer = Send(Call(peer.port(), "POST"));
  EXPECT_THAT(connection.ReadUntil("\r\n\r\n"), HasSubstr("Content-Length: 0\r\n"));
  connection.Send(Reply(""));
  ASSERT_TRUE(answer.get());
}

// --- Peers that break the rules

// What a call to a peer that sends `bytes`, and then perhaps closes, comes to.
class HostilePeerTest : public AsyncHttpClientTest {
 protected:
  Result<HttpReply> Against(std::string_view bytes, bool closes = true) {
    Answer answer = Send(Call(peer.port()));
    TestSocket connection = peer.Accept();
    connection.ReadUntil("\r\n\r\n");
    connection.Send(bytes);
    if (closes) connection.Close();
    return answer.get();
  }
  ScriptedPeer peer;
};

TEST_F(HostilePeerTest, RepliesInEveryFormAreRead) {
  StartClient();
  EXPECT_EQ(BodyOf(Against("HTTP/1.1 200 OK\r\n\r\nuntil the end")), "until the end");
  EXPECT_EQ(BodyOf(Against("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi")), "hi");
  EXPECT_EQ(BodyOf(Against("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n")), "hi");
  EXPECT_EQ(BodyOf(Against("HTTP/1.1 100 Continue\r\n\r\n" + Reply("after"))), "after");
  EXPECT_EQ(BodyOf(Against("HTTP/1.1 204 No Content\r\n\r\n")), "");
  EXPECT_EQ(BodyOf(Against(Reply("x", "Connection: close\r\n"), false)), "x");
  EXPECT_EQ(connections(), 0u) << "the last one said close";
}

TEST_F(HostilePeerTest, AReplyMayComeByteByByte) {
  StartClient();
  for (const std::string& bytes :
       {Reply("hello"), std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")}) {
    Answer answer = Send(Call(peer.port()));
    TestSocket connection = peer.Accept();
    connection.ReadUntil("\r\n\r\n");
    for (const char c : bytes) ASSERT_TRUE(connection.Send({&c, 1}));
    EXPECT_EQ(BodyOf(answer.get()), "hello");
    connection.Close();
    Await([&] { return connections() == 0; });
  }
}

TEST_F(HostilePeerTest, WhatIsNotHttpIsAnError) {
  StartClient();
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const std::string& bytes :
       {std::string("SSH-2.0-OpenSSH\r\n"), ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", ok + "A: b\r\n c\r\n\r\n",
        ok + "X: " + std::string(40'000, 'x') + "\r\n\r\n", "HTTP/1.1 200 " + std::string(5'000, 'x') + "\r\n\r\n"}) {
    const auto reply = Against(bytes, false);
    ASSERT_FALSE(reply) << bytes;
    EXPECT_EQ(reply.error().code(), StatusCode::kIoError) << reply.error().message();
  }
  EXPECT_EQ(connections(), 0u) << "none of them is kept";
}

TEST_F(HostilePeerTest, AReplyThatEndsEarlyIsAnError) {
  StartClient();
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const std::string& bytes : {std::string("HTT"), ok + "Content-Le", ok + "Content-Length: 5\r\n\r\nabc",
                                   ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nabc"}) {
    const auto reply = Against(bytes);
    ASSERT_FALSE(reply) << bytes;
    EXPECT_EQ(reply.error().code(), StatusCode::kIoError);
    EXPECT_THAT(reply.error().message(), HasSubstr("ends early"));
  }
}

TEST_F(HostilePeerTest, AResetInTheMiddleIsAnError) {
  StartClient();
  Answer answer = Send(Call(peer.port()));
  TestSocket connection = peer.Accept();
  connection.ReadUntil("\r\n\r\n");
  connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc");
  connection.Reset();
  const auto reply = answer.get();
  ASSERT_FALSE(reply);
  // The reset may overtake the bytes.
  EXPECT_THAT(reply.error().code(), testing::AnyOf(StatusCode::kIoError, StatusCode::kUnavailable));
}

TEST_F(HostilePeerTest, AReplyLongerThanAllowedIsAnError) {
  StartClient();
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const std::string& bytes :
       {ok + "Content-Length: 100001\r\n\r\n", ok + "Transfer-Encoding: chunked\r\n\r\n186a1\r\n",
        ok + "\r\n" + std::string(100'001, 'x')}) {
    HttpCall call = Call(peer.port());
    call.max_reply_bytes = 100'000;
    Answer answer = Send(call);
    TestSocket connection = peer.Accept();
    connection.ReadUntil("\r\n\r\n");
    connection.Send(bytes);
    const auto reply = answer.get();
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code(), StatusCode::kIoError);
    EXPECT_THAT(reply.error().message(), HasSubstr("too long"));
  }
}

TEST_F(HostilePeerTest, AllRepliesTogetherHaveALimitToo) {
  options.max_buffered_bytes = 1 << 20;
  StartClient();
  Answer answer = Send(Call(peer.port()));
  TestSocket connection = peer.Accept();
  connection.ReadUntil("\r\n\r\n");
  connection.Send(Reply(std::string(4 << 20, 'x')));
  const auto reply = answer.get();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), StatusCode::kUnavailable);
  EXPECT_THAT(reply.error().message(), HasSubstr("no memory"));
  EXPECT_EQ(connections(), 0u);
}

TEST_F(HostilePeerTest, BytesThatNobodyAskedForEndAConnection) {
  StartClient();
  // Behind a reply: that is good, the connection is not.
  EXPECT_EQ(BodyOf(Against(Reply("good") + "more", false)), "good");
  EXPECT_EQ(connections(), 0u);
  // While it is kept.
  Answer answer = Send(Call(peer.port()));
  TestSocket connection = peer.Accept();
  connection.ReadUntil("\r\n\r\n");
  connection.Send(Reply("good"));
  ASSERT_TRUE(answer.get());
  connection.Send("HTTP/1.1 408 Request Timeout\r\n\r\n");
  Await([&] { return connections() == 0; });
}

TEST_F(HostilePeerTest, APeerThatSpeaksFirstIsNotHttp) {
  StartClient();
  for (int i = 0; i < 20; ++i) {
    Answer answer = Send(Call(peer.port()));
    TestSocket connection = peer.Accept();
    connection.Send("220 mail.test ESMTP\r\n");  // before or after we have asked, as it happens
    EXPECT_FALSE(answer.get());
  }
  EXPECT_EQ(connections(), 0u);
}

TEST_F(HostilePeerTest, ADripOfBytesDoesNotMoveTheDeadline) {
  StartClient();
  HttpCall call = Call(peer.port());
  call.timeout_millis = 10'000;
  Answer answer = Send(call);
  TestSocket connection = peer.Accept();
  connection.ReadUntil("\r\n\r\n");
  for (const char c : std::string_view("HTTP/1.1 ")) {
    connection.Send({&c, 1});
    Step(1'000);
    EXPECT_FALSE(IsReady(answer));
  }
  Step(1'100);
  const auto reply = answer.get();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), StatusCode::kUnavailable);
  EXPECT_THAT(reply.error().message(), HasSubstr("within 10000 ms"));
  EXPECT_EQ(connections(), 0u);
  EXPECT_TRUE(connection.IsClosedByServer());
}

TEST_F(HostilePeerTest, AReplyIsReadAlthoughItsPeerReadsNoMore) {
  StartClient();
  const std::string body(32 << 20, 'x');
  HttpCall call = Call(peer.port(), "POST");
  call.body = body;
  Answer answer = Send(call);
  TestSocket connection = peer.Accept();
  connection.ReadUntil("\r\n\r\n");
  connection.Send(Reply("enough"));
  Await([&] { return IsReady(answer); });
  EXPECT_EQ(BodyOf(answer.get()), "enough");
  EXPECT_EQ(connections(), 0u) << "half a request is on it";
}

TEST_F(HostilePeerTest, APeerThatDoesNotReadIsGivenUpAtTheDeadline) {
  StartClient();
  const std::string body(32 << 20, 'x');
  HttpCall call = Call(peer.port(), "POST");
  call.body = body;
  Answer answer = Send(call);
  TestSocket connection = peer.Accept();
  EXPECT_THAT(connection.ReadUntil("\r\n\r\n"), StartsWith("POST "));
  Step(30'100);
  EXPECT_EQ(CodeOf(answer.get()), StatusCode::kUnavailable);
  EXPECT_EQ(connections(), 0u);
}

// --- Kept connections that their peers close

class StaleConnectionTest : public HostilePeerTest {
 protected:
  // A call whose connection is kept; the peer's end of it.
  TestSocket Warm() {
    Answer answer = Send(Call(peer.port()));
    TestSocket connection = peer.Accept();
    connection.ReadUntil("\r\n\r\n");
    connection.Send(Reply("warm"));
    EXPECT_EQ(BodyOf(answer.get()), "warm");
    EXPECT_EQ(idle(), 1u);
    return connection;
  }
};

TEST_F(StaleConnectionTest, ARepeatableCallIsSentAgainOnce) {
  StartClient();
  TestSocket stale = Warm();
  Answer answer = Send(Call(peer.port(), "GET", "/again"));
  EXPECT_THAT(stale.ReadUntil("\r\n\r\n"), StartsWith("GET /again "));
  stale.Close();
  TestSocket fresh = peer.Accept();
  EXPECT_THAT(fresh.ReadUntil("\r\n\r\n"), StartsWith("GET /again "));
  fresh.Send(Reply("second"));
  EXPECT_EQ(BodyOf(answer.get()), "second");
}

TEST_F(StaleConnectionTest, TheSecondTimeIsTheLast) {
  StartClient();
  TestSocket stale = Warm();
  Answer answer = Send(Call(peer.port()));
  stale.ReadUntil("\r\n\r\n");
  stale.Close();
  TestSocket fresh = peer.Accept();
  fresh.ReadUntil("\r\n\r\n");
  fresh.Close();
  const auto reply = answer.get();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), StatusCode::kUnavailable);
  EXPECT_THAT(reply.error().message(), HasSubstr("no answer from"));
}

TEST_F(StaleConnectionTest, ACallThatMayNotBeRepeatedIsNot) {
  StartClient();
  TestSocket stale = Warm();
  Answer answer = Send(Call(peer.port(), "POST"));
  stale.ReadUntil("\r\n\r\n");
  stale.Close();
  EXPECT_EQ(CodeOf(answer.get()), StatusCode::kUnavailable);
  // … unless its caller says so.
  stale = Warm();
  HttpCall call = Call(peer.port(), "POST");
  call.is_repeatable = true;
  answer = Send(call);
  stale.ReadUntil("\r\n\r\n");
  stale.Reset();
  TestSocket fresh = peer.Accept();
  fresh.ReadUntil("\r\n\r\n");
  fresh.Send(Reply("second"));
  EXPECT_EQ(BodyOf(answer.get()), "second");
}

TEST_F(StaleConnectionTest, ACallWhoseReplyHasBegunIsNotRepeated) {
  StartClient();
  TestSocket stale = Warm();
  Answer answer = Send(Call(peer.port()));
  stale.ReadUntil("\r\n\r\n");
  stale.Send("HTTP/1.1 2");
  stale.Close();
  EXPECT_EQ(CodeOf(answer.get()), StatusCode::kIoError);
}

TEST_F(StaleConnectionTest, AConnectionThatWasClosedWhileItWasIdleIsNotUsed) {
  StartClient();
  TestSocket stale = Warm();
  stale.Close();
  Await([&] { return connections() == 0; });
  Answer answer = Send(Call(peer.port(), "POST"));
  TestSocket fresh = peer.Accept();
  fresh.ReadUntil("\r\n\r\n");
  fresh.Send(Reply("fresh"));
  EXPECT_EQ(BodyOf(answer.get()), "fresh");
}

// --- Connecting, and names

TEST_F(AsyncHttpClientTest, APeerThatDoesNotTakeTheConnectionIsGivenUp) {
  // A full queue of connections that nobody accepts: the kernel leaves the next one without an answer.
  ScriptedPeer deaf(0);
  std::vector<TestSocket> queued;
  queued.push_back(TestSocket(deaf.port()));
  StartClient();
  HttpCall call = Call(deaf.port());
  call.connect_timeout_millis = 3'000;
  Answer answer = Send(call);
  Await([&] { return connections() == 1; });
  for (int i = 0; i < 2; ++i) {
    Step(1'000);
    EXPECT_FALSE(IsReady(answer));
  }
  Step(1'100);
  Await([&] { return IsReady(answer); });
  const auto reply = answer.get();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), StatusCode::kUnavailable);
  EXPECT_THAT(reply.error().message(), HasSubstr("cannot connect to"));
  EXPECT_EQ(connections(), 0u);
}

TEST_F(ClientAndServerTest, AHostIsFoundByItsNameAndTriedAtEachAddress) {
  std::atomic<int> lookups{0};
  resolver = std::make_unique<Resolver>([&](const std::string& host, uint16_t port) -> Result<SocketAddresses> {
    ++lookups;
    if (host != "armature.test") return Status::Unavailable("cannot find the host " + host);
    // Nobody listens on the first.
    return SocketAddresses{*ParseNumericAddress("127.0.0.99", port), *ParseNumericAddress("127.0.0.1", port)};
  });
  StartBoth();
  HttpCall call = Call(server->port());
  call.host = "armature.test";
  for (int i = 0; i < 2; ++i) {
    const auto reply = SendAndWait(call);
    ASSERT_TRUE(reply) << reply.error().ToString();
    EXPECT_EQ(reply->Value("X-Seen-Host"), "armature.test:" + std::to_string(server->port()));
  }
  EXPECT_EQ(lookups, 1) << "a kept connection needs no name";
  call.host = "nowhere.test";
  const auto reply = SendAndWait(call);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), StatusCode::kUnavailable);
  EXPECT_THAT(reply.error().message(), HasSubstr("nowhere.test"));
}

TEST_F(ClientAndServerTest, TheSystemsResolverFindsThisMachine) {
  StartBoth();
  HttpCall call = Call(server->port());
  call.host = "localhost";
  const auto reply = SendAndWait(call);
  ASSERT_TRUE(reply) << reply.error().ToString();
  EXPECT_EQ(reply->status, 200);
}

TEST_F(ClientAndServerTest, ASlowLookupStopsNobodyAndHasADeadline) {
  resolver = std::make_unique<Resolver>([&](const std::string&, uint16_t) -> Result<SocketAddresses> {
    release.get_future().wait();
    return Status::Unavailable("too late");
  });
  StartBoth();
  HttpCall call = Call(server->port());
  call.host = "slow.test";
  Answer slow = Send(call);
  EXPECT_TRUE(SendAndWait(Call(server->port()))) << "the reactor goes on";
  EXPECT_FALSE(IsReady(slow));
  Step(30'100);
  const auto reply = slow.get();
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message(), HasSubstr("within 30000 ms"));
  release.set_value();
}

// --- Shutting down

TEST_F(AsyncHttpClientTest, ShutdownEndsCallsWhereverTheyAre) {
  resolver = std::make_unique<Resolver>([&](const std::string&, uint16_t) -> Result<SocketAddresses> {
    release.get_future().wait();
    return Status::Unavailable("too late");
  });
  options.max_connections_per_host = 1;
  ScriptedPeer peer;
  ScriptedPeer deaf(0);
  const TestSocket queued(deaf.port());
  StartClient();
  std::vector<Answer> answers;
  answers.push_back(Send(Call(peer.port())));  // waits for its reply
  TestSocket connection = peer.Accept();
  connection.ReadUntil("\r\n\r\n");
  answers.push_back(Send(Call(peer.port())));  // for a connection
  answers.push_back(Send(Call(deaf.port())));  // to be connected
  HttpCall named = Call(peer.port());
  named.host = "slow.test";
  answers.push_back(Send(named));  // for a name
  Await([&] { return connections() == 3; });
  for (const Answer& answer : answers) EXPECT_FALSE(IsReady(answer));
  OnLoop([&] { client->Shutdown(); });
  for (Answer& answer : answers) {
    const auto reply = answer.get();
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code(), StatusCode::kUnavailable);
    EXPECT_THAT(reply.error().message(), HasSubstr("shut down"));
  }
  EXPECT_TRUE(connection.IsClosedByServer());
  EXPECT_EQ(connections(), 0u);
  EXPECT_FALSE(SendAndWait(Call(peer.port())));
  release.set_value();
}

TEST_F(StaleConnectionTest, ShutdownClosesWhatIsKept) {
  StartClient();
  TestSocket kept = Warm();
  OnLoop([&] { client->Shutdown(); });
  EXPECT_TRUE(kept.IsClosedByServer());
  EXPECT_EQ(connections(), 0u);
}

TEST_F(StaleConnectionTest, ManyPeersThatCloseAtRandomLoseNoCall) {
  StartClient();
  // The peer answers one request per connection, or two, and closes without a word.
  std::atomic<bool> is_over{false};
  std::thread serving([&] {
    for (int i = 0; !is_over; ++i) {
      TestSocket connection = peer.Accept();
      if (!connection.connected()) return;
      for (int j = 0; j <= i % 2; ++j) {
        if (connection.ReadUntil("\r\n\r\n").empty()) break;
        connection.Send(Reply("ok"));
      }
    }
  });
  for (int i = 0; i < 200; ++i) {
    const auto reply = SendAndWait(Call(peer.port()));
    ASSERT_TRUE(reply) << i << ": " << reply.error().ToString();
    ASSERT_EQ(reply->body, "ok");
  }
  is_over = true;
  TestSocket last(peer.port());
  last.FinishWriting();
  OnLoop([&] { client->Shutdown(); });
  serving.join();
}

}  // namespace
}  // namespace armature::net
