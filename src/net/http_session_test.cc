// One HTTP session on one transport, without server or threads: bytes in, bytes out, step by step.
//
// The reactor is never run; events are told to the transport by hand, and a suspended handler goes on where its
// completion is finished.
#include "net/http_session.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>

#include "net/server_testing.h"

namespace armature::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr size_t kBigBytes = 4 << 20;

class HttpSessionTest : public testing::Test {
 protected:
  HttpSessionTest() {
    EXPECT_TRUE(reactor.Open().ok());
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    client = std::make_unique<TestSocket>(TestSocket::Adopt(ends[0]));
    transport = new Transport(transports, ends[1], sockaddr_in6{});
    auto made = std::make_unique<HttpSession>(context, *transport);
    session = made.get();
    EXPECT_TRUE(transport->Open(std::move(made)));
    handler.function = [this](Exchange& exchange) -> Task<void> {
      ++handled;
      const HttpRequest& request = exchange.request();
      if (request.path == "/big") exchange.response().body.assign(kBigBytes, 'x');
      if (request.path == "/wait") co_await release;
      if (request.path == "/throw") throw std::runtime_error("of no use");
      exchange.response().body.append(request.path).append(" ").append(request.body);
    };
  }
  ~HttpSessionTest() override {
    if (!is_gone) transport->Close();
    owned_reactor.reset();  // buries the transport, while what that needs is still there
  }

  // The peer's bytes come; what leaves is returned.
  std::string Tell(std::string_view bytes) {
    EXPECT_TRUE(client->Send(bytes));
    return Look();
  }
  std::string Look(uint32_t events = EPOLLIN) {
    if (!is_gone) transport->OnEvents(events);
    return client->ReadNow();
  }
  size_t held() const { return ledger.total_bytes(); }
  uint64_t Count(const Counter& counter) const { return counter.value(); }

  ManualClock clock;
  Metrics metrics;
  std::unique_ptr<Reactor> owned_reactor = std::make_unique<Reactor>(clock);
  Reactor& reactor = *owned_reactor;
  MemoryLedger ledger{64 << 20};
  Counter evicted, timed_out;
  std::function<bool()> overloaded;
  bool is_gone = false;
  TransportContext transports{.reactor = reactor,
                              .memory = ledger,
                              .limits = {},
                              .counters = {evicted, timed_out},
                              .overloaded = overloaded,
                              .on_gone = [this](const Peer&) { is_gone = true; }};
  FunctionHandler handler;
  HttpContext context{.handler = handler,
                      .head_limits = {.max_request_line_bytes = 1000, .max_header_bytes = 2000},
                      .max_body_bytes = 8 << 20,
                      .counters = HttpCounters(metrics, 0),
                      .writer = ResponseWriter(clock)};
  Completion release;
  int handled = 0;
  std::unique_ptr<TestSocket> client;
  Transport* transport = nullptr;
  HttpSession* session = nullptr;
};

std::string Post(std::string_view path, std::string_view body) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

TEST_F(HttpSessionTest, ARequestInPiecesIsHandedUpWithItsLastByte) {
  const std::string request = Post("/p", "body");
  for (size_t i = 0; i + 1 < request.size(); ++i) ASSERT_EQ(Tell(request.substr(i, 1)), "") << i;
  EXPECT_EQ(handled, 0);
  EXPECT_THAT(Tell(request.substr(request.size() - 1)), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("/p body")));
}

TEST_F(HttpSessionTest, AnswersToPipelinedRequestsLeaveTogether) {
  const std::string answers = Tell(Post("/1", "a") + Post("/2", "b") + Post("/3", "c").substr(0, 20));
  EXPECT_THAT(answers, AllOf(HasSubstr("/1 a"), HasSubstr("/2 b")));
  EXPECT_EQ(handled, 2);
  EXPECT_THAT(Tell(Post("/3", "c").substr(20)), HasSubstr("/3 c"));
}

TEST_F(HttpSessionTest, BetweenRequestsNothingIsHeld) {
  Tell(Post("/", std::string(100, 'x')));
  EXPECT_FALSE(transport->input().allocated());
  EXPECT_FALSE(transport->HasOutput());
  EXPECT_EQ(session->HeldBytes(), 0u);
  EXPECT_EQ(held(), 0u);
}

TEST_F(HttpSessionTest, TheInputMayGrowAsFarAsTheHeadAllows) {
  EXPECT_EQ(session->MaxInputBytes(), 1000 + 2000 + BufferPool::kBufferBytes);
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n";
  Tell(head);
  EXPECT_EQ(session->MaxInputBytes(), head.size() + 5'000'000);
  EXPECT_EQ(held(), 0u) << "what is announced is not reserved";
}

TEST_F(HttpSessionTest, AClientThatWaitsIsToldToContinueOnce) {
  const std::string head = "POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
  EXPECT_EQ(Tell(head), kContinueLine);
  EXPECT_EQ(Tell("a"), "");
  EXPECT_THAT(Tell("b"), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("/x ab")));
}

TEST_F(HttpSessionTest, ASuspendedHandlerHoldsBackWhatComesBehindIt) {
  EXPECT_EQ(Tell(Post("/wait", "1") + Post("/next", "2")), "");
  EXPECT_EQ(Look(EPOLLIN | EPOLLOUT), "");
  EXPECT_EQ(handled, 1);
  release.Finish();
  EXPECT_THAT(client->ReadNow(), AllOf(HasSubstr("/wait 1"), HasSubstr("/next 2")));
}

TEST_F(HttpSessionTest, ASuspendedHandlerKeepsItsExchangeWhenTheClientGoes) {
  Tell(Post("/wait", "1"));
  EXPECT_TRUE(transport->Abort()) << "a request was in flight";
  EXPECT_TRUE(is_gone);
  release.Finish();  // reads its request, which must still be there; sanitizers look on
  EXPECT_EQ(handled, 1);
}

TEST_F(HttpSessionTest, AHandlerThatThrowsIsAnsweredAndTheNextOneServed) {
  EXPECT_THAT(Tell(Post("/throw", "") + Post("/next", "x")),
              AllOf(StartsWith("HTTP/1.1 500 "), HasSubstr("Connection: keep-alive"), HasSubstr("/next x")));
  EXPECT_EQ(Count(context.counters.failed), 1u);
}

TEST_F(HttpSessionTest, ALargeAnswerIsLentAndCountedUntilItIsRead) {
  std::string got = Tell(Post("/big", "tail") + Post("/next", ""));
  EXPECT_TRUE(transport->HasOutput());
  EXPECT_GE(session->HeldBytes(), kBigBytes);
  EXPECT_GE(held(), kBigBytes);
  EXPECT_EQ(handled, 1) << "the next request waits for the reader";
  for (int i = 0; i < 1'000 && transport->HasOutput(); ++i) got += Look(EPOLLOUT);
  got += Look(EPOLLOUT);
  EXPECT_EQ(handled, 2);
  EXPECT_EQ(session->HeldBytes(), 0u);
  EXPECT_EQ(held(), 0u);
  EXPECT_THAT(got.substr(got.size() - 300), AllOf(HasSubstr("/big tail"), HasSubstr("/next ")));
}

TEST_F(HttpSessionTest, AnUploadIsNotHeldWhileItsAnswerIsUnread) {
  for (const std::string path : {"/big", "/wait"}) {
    const std::string upload = Post(path, std::string(kBigBytes, 'u'));
    for (size_t at = 0; at < upload.size(); at += 64 * 1024) Tell(upload.substr(at, 64 * 1024));
    if (path == "/wait") {
      EXPECT_GE(held(), kBigBytes - BufferPool::kBufferBytes) << "its handler reads it";
      release.Finish();
    }
    EXPECT_TRUE(transport->HasOutput()) << path;
    EXPECT_FALSE(transport->input().allocated()) << path;
    for (int i = 0; i < 10'000 && transport->HasOutput(); ++i) Look(EPOLLOUT);
  }
}

TEST_F(HttpSessionTest, AMalformedRequestIsAnsweredAndTheRestThrownAway) {
  EXPECT_THAT(Tell("garbage\r\n\r\n" + Post("/", "never looked at")), StartsWith("HTTP/1.1 400 "));
  EXPECT_EQ(handled, 0);
  EXPECT_FALSE(is_gone) << "it lingers, so that the answer is not lost to a reset";
  EXPECT_EQ(Tell(Post("/", "nor this")), "");
  client->FinishWriting();
  Look();
  EXPECT_TRUE(is_gone);
  EXPECT_EQ(Count(context.counters.malformed), 1u);
}

TEST_F(HttpSessionTest, UnderPressureARequestIsShedAndTheConnectionKept) {
  overloaded = [] { return true; };
  EXPECT_THAT(Tell(Post("/", "x")), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Connection: keep-alive")));
  overloaded = nullptr;
  EXPECT_THAT(Tell(Post("/", "x")), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(Count(context.counters.shed), 1u);
}

TEST_F(HttpSessionTest, WhileDrainingTheAnswerSaysCloseAndTheConnectionCloses) {
  Tell(Post("/", "x").substr(0, 30));
  transports.is_draining = true;
  transports.drain_until_millis = clock.NowMillis() + 1'000;
  transport->Drain();
  EXPECT_FALSE(is_gone) << "what has begun may become whole";
  EXPECT_THAT(Tell(Post("/", "x").substr(30)), HasSubstr("Connection: close"));
  EXPECT_TRUE(is_gone);
}

TEST_F(HttpSessionTest, EachReasonToGiveAClientUpHasItsAnswer) {
  Tell("POST / HT");
  session->OnGivenUp(GiveUp::kTooSlow);
  EXPECT_THAT(std::string(transport->output().view()), StartsWith("HTTP/1.1 408 "));
  for (const GiveUp why : {GiveUp::kNoRoom, GiveUp::kWaitedInVain, GiveUp::kEvicted, GiveUp::kRefused}) {
    transport->output().Clear();
    session->OnGivenUp(why);
    EXPECT_THAT(std::string(transport->output().view()),
                AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("ServiceUnavailableException")));
  }
  EXPECT_EQ(Count(context.counters.shed), 1u);
}

TEST_F(HttpSessionTest, ARequestKnowsWhereItComesFrom) {
  handler.function = [](Exchange& exchange) -> Task<void> {
    exchange.response().body =
        exchange.SourceIp() + " " + exchange.PeerAddress() + (exchange.is_secure() ? " secure" : "");
    co_return;
  };
  const auto told = [&](const sockaddr_in6& peer) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    TestSocket other = TestSocket::Adopt(ends[0]);
    auto* const from = new Transport(transports, ends[1], peer);
    EXPECT_TRUE(from->Open(std::make_unique<HttpSession>(context, *from)));
    EXPECT_TRUE(other.Send(kGet));
    from->OnEvents(EPOLLIN);
    const std::string answer = other.ReadNow();
    from->Close();
    is_gone = false;  // the fixture's own is not
    return answer.substr(answer.rfind("\r\n\r\n") + 4);
  };
  sockaddr_in6 peer{};
  peer.sin6_family = AF_INET6;
  peer.sin6_port = htons(4711);
  inet_pton(AF_INET6, "2001:db8::7", &peer.sin6_addr);
  EXPECT_EQ(told(peer), "2001:db8::7 [2001:db8::7]:4711");
  inet_pton(AF_INET6, "::ffff:10.1.2.3", &peer.sin6_addr);
  EXPECT_EQ(told(peer), "10.1.2.3 [::ffff:10.1.2.3]:4711") << "IPv4 on a socket of both";
  peer = {};
  auto& of_four = reinterpret_cast<sockaddr_in&>(peer);
  of_four.sin_family = AF_INET;
  of_four.sin_port = htons(80);
  inet_pton(AF_INET, "192.0.2.9", &of_four.sin_addr);
  EXPECT_EQ(told(peer), "192.0.2.9 192.0.2.9:80");
}

}  // namespace
}  // namespace armature::net
