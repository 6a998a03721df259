// Connections by TLS, from the first byte of the handshake to the farewell: slow, broken, large and half-closed ones.
#include <atomic>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/response_writer.h"
#include "net/tls/tls_testing.h"
#include "net/transport/reactor.h"

namespace armature::net {
namespace {

using testing::HasSubstr;

// Answers whether the request came by TLS, and from where.
Task<void> TellLink(Exchange& exchange) {
  exchange.response().body = fmt::format("{} {}", exchange.is_secure(), exchange.SourceIp());
  co_return;
}

TEST_F(TlsServerTest, ARequestIsAnsweredOverHttpsAndOverHttpAndKnowsBywhich) {
  handler.function = TellLink;
  StartTls();
  auto secure = ConnectTls({.protocols = "\x02h2\x08http/1.1"});
  ASSERT_TRUE(secure.Handshake());
  EXPECT_STREQ(SSL_get_version(secure.ssl()), "TLSv1.3");
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(secure.ssl(), &protocol, &size);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(protocol), size), "http/1.1");
  EXPECT_EQ(secure.Call(kGet).body, "true 127.0.0.1");
  EXPECT_EQ(secure.Call(kGet).body, "true 127.0.0.1") << "the connection is kept";
  EXPECT_EQ(Connect().Call(kGet).body, "false 127.0.0.1");
  EXPECT_EQ(Count("armature_tls_handshakes_total"), 1u);
}

TEST_F(TlsServerTest, WithoutAPortOfItsOwnItTakesThePlaceOfHttp) {
  auto opened = TlsAcceptor::Open({.files = files, .wants_kernel = false}, metrics, ticket_clock);
  ASSERT_TRUE(opened);
  options.tls = *opened;
  StartServer();
  TlsTestClient client(server->port());
  ASSERT_TRUE(client.Handshake());
  EXPECT_EQ(client.Call(kGet).status, 200);
}

TEST_F(TlsServerTest, EveryConnectionOfManyIsServedWhicheverReactorHasIt) {
  StartTls();
  std::vector<std::thread> threads;
  std::atomic<int> answered{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        auto client = ConnectTls();
        if (client.Handshake() && client.Call(Post("x")).body == "POST / x") ++answered;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(answered, 40);
}

TEST_F(TlsServerTest, BytesMayComeOneByOne) {
  StartTls();
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    auto client = ConnectTls({.max_version = version, .piece = 1});
    ASSERT_TRUE(client.Handshake());
    EXPECT_EQ(client.Call(Post("drop by drop")).body, "POST / drop by drop");
  }
}

TEST_F(TlsServerTest, ARequestThatComesWithTheEndOfTheHandshakeIsAnswered) {
  StartTls();
  auto client = ConnectTls();
  // Nothing is sent before the request has been written behind the client's last message.
  client.socket().Send(client.Hello());
  std::string flight = client.socket().ReadBytes(1);
  while (SSL_do_handshake(client.ssl()) != 1) {
    flight += client.socket().ReadNow();
    BIO_write(SSL_get_rbio(client.ssl()), flight.data(), static_cast<int>(flight.size()));
    flight.clear();
  }
  EXPECT_EQ(client.Call(kGet).status, 200);
}

TEST_F(TlsServerTest, GarbageInsteadOfAHelloEndsItsConnection) {
  StartTls();
  for (const std::string_view garbage :
       {std::string_view("\x16\x03\x01\x00\x05hello", 10), std::string_view("SSH-2.0-x\r\n"),
        std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff")}) {
    TestSocket client(server->tls_port());
    client.Send(garbage);
    client.FinishWriting();
    const std::string answer = client.ReadToEnd();
    EXPECT_FALSE(answer.ends_with("timeout"));
    if (garbage[0] == '\x16') { EXPECT_EQ(answer.substr(0, 1), "\x15") << "who speaks TLS is told by an alert"; }
  }
  EXPECT_EQ(Count("armature_tls_handshakes_failed_total"), 3u);
  EXPECT_TRUE(ConnectTls().Handshake()) << "others are not concerned";
}

TEST_F(TlsServerTest, RandomDamageToAHandshakeCostsItsConnectionOnly) {
  StartTls();
  std::string hello = ConnectTls().Hello();
  for (size_t at = 0; at < hello.size(); at += 7) {
    std::string damaged = hello;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    TestSocket client(server->tls_port());
    client.Send(damaged);
    client.FinishWriting();
    EXPECT_FALSE(client.ReadToEnd().ends_with("timeout")) << at;
  }
  auto client = ConnectTls();
  EXPECT_TRUE(client.Handshake());
  EXPECT_EQ(client.Call(kGet).status, 200);
}

TEST_F(TlsServerTest, HttpWhereHttpsIsSpokenIsAnsweredInWordsItUnderstands) {
  StartTls();
  TestClient client(server->tls_port());
  const TestResponse response = client.Call(kGet);
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body, kNeedsTlsBody);
  EXPECT_EQ(response.Header("Connection"), "close");
  client.FinishWriting();
  EXPECT_TRUE(client.IsClosedByServer());
}

TEST_F(TlsServerTest, WhoStopsInTheMiddleOfTheHandshakeHasAsLongAsForARequest) {
  StartTls();
  TestSocket silent(server->tls_port());
  TestSocket halfway(server->tls_port());
  auto hello = ConnectTls();
  const std::string bytes = hello.Hello();
  halfway.Send(std::string_view(bytes).substr(0, bytes.size() / 2));
  auto served = ConnectTls();
  ASSERT_TRUE(served.Handshake());
  while (server->connection_count() < 4) std::this_thread::yield();
  EXPECT_EQ(served.Call(kGet).status, 200);
  Step(options.request_timeout_millis - 1'000);
  EXPECT_EQ(served.Call(kGet).status, 200) << "and others are served meanwhile";
  EXPECT_EQ(server->connection_count(), 4u);
  Step(2'000);
  EXPECT_TRUE(silent.IsClosedByServer());
  EXPECT_TRUE(halfway.IsClosedByServer());
  while (server->connection_count() > 1) std::this_thread::yield();  // that of the hello, of which nobody has heard
  EXPECT_EQ(Count("armature_http_timeouts_total"), 3u);
  EXPECT_EQ(served.Call(kGet).status, 200);
}

TEST_F(TlsServerTest, ASlowRequestIsToldSoThroughTls) {
  StartTls();
  auto client = ConnectTls();
  ASSERT_TRUE(client.Handshake());
  ASSERT_TRUE(client.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf"));
  while (metrics.GetCounter("armature_http_timeouts_total", "").value() == 0) {
    Step(options.request_timeout_millis + 1'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(client.Read().status, 408);
  EXPECT_EQ(client.ReadToEnd(), "");
  EXPECT_TRUE(client.HasGoodbye());
}

TEST_F(TlsServerTest, AnIdleConnectionIsClosedWithAFarewell) {
  StartTls();
  auto client = ConnectTls();
  ASSERT_TRUE(client.Handshake());
  EXPECT_EQ(client.Call(kGet).status, 200);
  Step(options.idle_timeout_millis + 1'000);
  EXPECT_EQ(client.ReadToEnd(), "");
  EXPECT_TRUE(client.HasGoodbye());
}

TEST_F(TlsServerTest, PipelinedRequestsAreAnsweredInTheirOrder) {
  StartTls();
  auto client = ConnectTls();
  ASSERT_TRUE(client.Handshake());
  std::string all;
  for (int i = 0; i < 200; ++i) all += Post(std::to_string(i));
  ASSERT_TRUE(client.Send(all));
  for (int i = 0; i < 200; ++i) EXPECT_EQ(client.Read().body, "POST / " + std::to_string(i));
}

TEST_F(TlsServerTest, AHandlerThatWaitsAnswersOnItsReactor) {
  handler.function = [](Exchange& exchange) -> Task<void> {
    co_await exchange.reactor().SleepUntil(exchange.reactor().now_millis() + 50);
    exchange.response().body = "late";
  };
  StartTls();
  auto client = ConnectTls();
  ASSERT_TRUE(client.Handshake());
  ASSERT_TRUE(client.Send(kGet));
  std::thread time([&] {
    for (int i = 0; i < 100; ++i) {
      Step(10);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  EXPECT_EQ(client.Read().body, "late");
  time.join();
}

TEST_F(TlsServerTest, ALargeAnswerReachesASlowReaderWhole) {
  std::string answer(12 << 20, '\0');
  for (size_t i = 0; i < answer.size(); ++i) answer[i] = static_cast<char>('a' + i * 7 % 23);
  handler.function = [&](Exchange& exchange) -> Task<void> {
    exchange.response().body = answer;
    co_return;
  };
  options.send_buffer_bytes = 64 * 1024;
  StartTls();
  auto client = ConnectTls({.receive_buffer_bytes = 32 * 1024});
  ASSERT_TRUE(client.Handshake());
  ASSERT_TRUE(client.Send(kGet));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until nothing more fits anywhere
  EXPECT_TRUE(client.Read().body == answer);
  EXPECT_TRUE(client.Call(kGet).body == answer) << "and once more";
}

TEST_F(TlsServerTest, ALargeUploadArrivesWhole) {
  StartTls();
  auto client = ConnectTls();
  ASSERT_TRUE(client.Handshake());
  std::string body(10 << 20, '\0');
  for (size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>('a' + i * 11 % 26);
  EXPECT_TRUE(client.Call(Post(body)).body == "POST / " + body);
}

TEST_F(TlsServerTest, APeerThatEndsWithAFarewellIsAnsweredAndClosed) {
  StartTls();
  auto client = ConnectTls();
  ASSERT_TRUE(client.Handshake());
  ASSERT_TRUE(client.Send(Post("last")));
  client.SayGoodbye();  // its socket stays open both ways
  EXPECT_EQ(client.Read().body, "POST / last");
  EXPECT_EQ(client.ReadToEnd(), "");
  EXPECT_TRUE(client.HasGoodbye());
  EXPECT_EQ(client.socket().ReadToEnd(), "") << "and the socket is closed";
}

TEST_F(TlsServerTest, APeerThatEndsWithoutAFarewellIsTreatedAsOverHttp) {
  StartTls();
  auto whole = ConnectTls();
  ASSERT_TRUE(whole.Handshake());
  ASSERT_TRUE(whole.Send(Post("last") + "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhal"));
  whole.socket().FinishWriting();
  EXPECT_EQ(whole.Read().body, "POST / last");
  EXPECT_EQ(whole.ReadToEnd(), "") << "half a request is nothing";
  auto broken = ConnectTls();
  ASSERT_TRUE(broken.Handshake());
  ASSERT_TRUE(broken.Send(Post("whole")));
  broken.socket().Send(std::string("\x17\x03\x03\x00\x40 half a record", 19));
  broken.socket().FinishWriting();
  EXPECT_EQ(broken.Read().body, "POST / whole");
  EXPECT_EQ(broken.ReadToEnd(), "");
}

TEST_F(TlsServerTest, ARecordThatWasTamperedWithEndsItsConnection) {
  StartTls();
  auto client = ConnectTls();
  ASSERT_TRUE(client.Handshake());
  EXPECT_EQ(client.Call(Post("good")).body, "POST / good");
  client.socket().Send(std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x'));
  EXPECT_EQ(client.ReadToEnd(), "");
  EXPECT_EQ(client.reason(), SSL_R_SSLV3_ALERT_BAD_RECORD_MAC);
  EXPECT_TRUE(ConnectTls().Handshake()) << "others are not concerned";
}

TEST_F(TlsServerTest, AClientMayAskForNewKeys) {
  StartTls();
  auto client = ConnectTls();
  ASSERT_TRUE(client.Handshake());
  EXPECT_EQ(client.Call(Post("before")).body, "POST / before");
  ASSERT_EQ(SSL_key_update(client.ssl(), SSL_KEY_UPDATE_REQUESTED), 1);
  EXPECT_EQ(client.Call(Post("after")).body, "POST / after");
  EXPECT_EQ(client.Call(Post("later")).body, "POST / later");
}

TEST_F(TlsServerTest, WhoComesWhenThereAreTooManyIsToldThroughTls) {
  options.max_connections = 1;
  StartTls();
  auto first = ConnectTls();
  ASSERT_TRUE(first.Handshake());
  EXPECT_EQ(first.Call(kGet).status, 200);
  auto second = ConnectTls();
  ASSERT_TRUE(second.Handshake());
  const TestResponse refusal = second.Read();
  EXPECT_EQ(refusal.status, 503);
  EXPECT_EQ(refusal.body, kUnavailableBody);
  EXPECT_EQ(second.ReadToEnd(), "");
}

TEST_F(TlsServerTest, HandshakesUnderWayStandInTheMemoryLedgerUntilTheyAreDone) {
  StartTls();
  TestSocket halfway(server->tls_port());
  halfway.Send("\x16");
  while (metrics.RenderPrometheus().find("armature_http_buffered_bytes 163840\n") == std::string::npos)
    std::this_thread::yield();
  auto client = ConnectTls();
  ASSERT_TRUE(client.Handshake());
  EXPECT_EQ(client.Call(kGet).status, 200);
  EXPECT_THAT(metrics.RenderPrometheus(), HasSubstr("armature_http_buffered_bytes 163840\n"));
  halfway.Close();
  while (metrics.RenderPrometheus().find("armature_http_buffered_bytes 0\n") == std::string::npos)
    std::this_thread::yield();
}

TEST_F(TlsServerTest, StoppingSaysGoodbyeToTheIdleAndWaitsForNobodysHandshake) {
  StartTls();
  auto idle = ConnectTls();
  ASSERT_TRUE(idle.Handshake());
  EXPECT_EQ(idle.Call(kGet).status, 200);
  TestSocket halfway(server->tls_port());
  halfway.Send("\x16");
  while (server->connection_count() < 2) std::this_thread::yield();
  std::atomic<bool> is_stopped{false};
  std::thread time([&] {
    while (!is_stopped) {
      Step(100);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  EXPECT_EQ(server->Stop(std::chrono::seconds(10)), 0u);
  is_stopped = true;
  time.join();
  EXPECT_EQ(idle.ReadToEnd(), "");
  EXPECT_TRUE(idle.HasGoodbye());
  EXPECT_TRUE(halfway.IsClosedByServer());
}

}  // namespace
}  // namespace armature::net
