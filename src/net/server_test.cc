// Requests and answers over real sockets: framing, order, suspension, failures.
#include "net/server.h"

#include <atomic>
#include <future>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutex.h"
#include "net/server_testing.h"
#include "net/transport/reactor.h"

namespace armature::net {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST_F(ServerTest, AnswersWithTheHeadersOfTheHouse) {
  ManualClock wall(784'111'777'000);
  options.clock = &wall;
  handler.function = [](Exchange& exchange) -> Task<void> {
    exchange.response().content_type = "application/x-amz-json-1.0";
    exchange.response().AddHeader("x-amz-crc32", "2745614147");
    exchange.response().body = "{}";
    EXPECT_THAT(exchange.PeerAddress(), StartsWith("127.0.0.1:"));
    co_return;
  };
  StartServer();
  auto client = Connect();
  client.Send(Post("{}", "Connection: close\r\n"));
  EXPECT_EQ(client.ReadToEnd(),
            "HTTP/1.1 200 OK\r\nServer: Server\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: "
            "application/x-amz-json-1.0\r\n"
            "Content-Length: 2\r\nConnection: close\r\nx-amz-crc32: 2745614147\r\n\r\n{}");
}

TEST_F(ServerTest, KeepsTheConnectionForTheNextRequest) {
  StartServer();
  auto client = Connect();
  for (int i = 0; i < 100; ++i) {
    const TestResponse response = client.Call(Post(std::to_string(i)));
    ASSERT_EQ(response.status, 200);
    EXPECT_EQ(response.Header("Connection"), "keep-alive");
    ASSERT_EQ(response.body, "POST / " + std::to_string(i));
  }
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  StartServer();
  auto client = Connect();
  std::string all;
  for (int i = 0; i < 1'000; ++i) all += Post(std::to_string(i));
  std::thread sender([&] { client.Send(all); });
  for (int i = 0; i < 1'000; ++i) ASSERT_EQ(client.Read().body, "POST / " + std::to_string(i));
  sender.join();
}

TEST_F(ServerTest, PipelinedRequestsWaitForASuspendedOne) {
  Completion first;
  std::promise<void> suspended;
  handler.function = [&](Exchange& exchange) -> Task<void> {
    if (exchange.request().body == "1") {
      suspended.set_value();
      co_await first;
    }
    co_await Echo(exchange);
  };
  StartServer();
  auto client = Connect();
  client.Send(Post("0") + Post("1") + Post("2"));
  suspended.get_future().get();
  EXPECT_EQ(client.Read().body, "POST / 0") << "what is ready is not held back";
  first.Finish();
  EXPECT_EQ(client.Read().body, "POST / 1");
  EXPECT_EQ(client.Read().body, "POST / 2");
}

TEST_F(ServerTest, UndoesChunkedBodies) {
  StartServer();
  auto client = Connect();
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(client.Call(head + "3\r\nabc\r\n0\r\n\r\n").body, "POST / abc");
  client.Send(head + "3\r\nabc\r\n2;x\r\nde\r\n0\r\nTrailer: x\r\n\r\n" + Post("next"));
  EXPECT_EQ(client.Read().body, "POST / abcde");
  EXPECT_EQ(client.Read().body, "POST / next");
  // Large, in small chunks: more overhead than body.
  std::string raw, body;
  for (int i = 0; i < 60'000; ++i) {
    raw += "1\r\n";
    raw += static_cast<char>('a' + i % 26);
    raw += "\r\n";
    body += static_cast<char>('a' + i % 26);
  }
  EXPECT_EQ(client.Call(head + raw + "0\r\n\r\n").body, "POST / " + body);
}

TEST_F(ServerTest, EveryRequestMayComeByteByByte) {
  StartServer();
  const std::vector<std::pair<std::string, std::string>> cases = {
      {std::string(kGet), "GET / "},
      {Post("hello"), "POST / hello"},
      {"PUT /x?y HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n",
       "PUT /x hello"},
      {"\r\nDELETE /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "DELETE /x "},
  };
  auto client = Connect();
  for (const auto& [request, answer] : cases) {
    for (char c : request) ASSERT_TRUE(client.Send({&c, 1}));
    ASSERT_EQ(client.Read().body, answer);
  }
}

TEST_F(ServerTest, BodiesOfManyMegabytesArriveWhole) {
  handler.function = [](Exchange& exchange) -> Task<void> {
    // The padding promised behind a body must be readable.
    const std::string_view body = exchange.request().body;
    volatile char sum = 0;
    for (size_t i = 0; i < kBodyPaddingBytes; ++i) sum = static_cast<char>(sum + body.data()[body.size() + i]);
    exchange.response().body.assign(body);
    co_return;
  };
  StartServer();
  auto client = Connect();
  std::string body(16 * 1024 * 1024, 'x');
  std::mt19937 random(3);
  for (size_t i = 0; i < body.size(); i += 97) body[i] = static_cast<char>(random());
  std::thread sender([&] { client.Send(Post(body) + Post("small")); });
  const TestResponse response = client.Read();
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.body == body);
  EXPECT_EQ(client.Read().body, "small");
  sender.join();
}

TEST_F(ServerTest, TellsAClientToContinue) {
  StartServer();
  auto client = Connect();
  client.Send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  const TestResponse go_on = client.Read();
  EXPECT_EQ(go_on.head, "HTTP/1.1 100 Continue\r\n");
  EXPECT_EQ(client.Call("hello").body, "POST / hello");
  // Chunked as well; and a client that does not wait gets no intermediate answer.
  client.Send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(client.Read().status, 100);
  EXPECT_EQ(client.Call("1\r\nx\r\n0\r\n\r\n").body, "POST / x");
  EXPECT_EQ(client.Call(Post("now", "Expect: 100-continue\r\n")).body, "POST / now");
}

TEST_F(ServerTest, HeadHasALengthAndNoBody) {
  StartServer();
  auto client = Connect();
  client.Send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n");
  const TestResponse response = client.Read(true);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.Header("Content-Length"), "8");
  EXPECT_EQ(client.Call(kGet).body, "GET / ");
}

TEST_F(ServerTest, Http10ClosesUnlessAskedNotTo) {
  StartServer();
  auto client = Connect();
  EXPECT_EQ(client.Call("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").Header("Connection"), "keep-alive");
  EXPECT_EQ(client.Call("GET / HTTP/1.0\r\n\r\n").Header("Connection"), "close");
  EXPECT_TRUE(client.IsClosedByServer());
}

TEST_F(ServerTest, AHandlerMayAskToClose) {
  handler.function = [](Exchange& exchange) -> Task<void> {
    exchange.response().status = 404;
    exchange.response().close_connection = true;
    co_return;
  };
  StartServer();
  auto client = Connect();
  const TestResponse response = client.Call(kGet);
  EXPECT_THAT(response.head, StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_EQ(response.Header("Connection"), "close");
  EXPECT_TRUE(client.IsClosedByServer());
}

TEST_F(ServerTest, AHalfClosedClientStillGetsItsAnswers) {
  StartServer();
  auto client = Connect();
  client.Send(Post("1") + Post("2"));
  client.FinishWriting();
  const std::string all = client.ReadToEnd();
  EXPECT_THAT(all, HasSubstr("POST / 1"));
  EXPECT_THAT(all, HasSubstr("POST / 2"));
  EXPECT_THAT(all, testing::Not(HasSubstr("timeout")));
}

TEST_F(ServerTest, AHalfClosedClientGetsItsAnswerFromASuspendedHandler) {
  Completion event;
  std::promise<void> suspended;
  handler.function = [&](Exchange& exchange) -> Task<void> {
    suspended.set_value();
    co_await event;
    co_await Echo(exchange);
  };
  StartServer();
  auto client = Connect();
  client.Send(Post("late"));
  client.FinishWriting();
  suspended.get_future().get();
  event.Finish();
  EXPECT_THAT(client.ReadToEnd(), HasSubstr("POST / late"));
}

TEST_F(ServerTest, ATruncatedRequestIsDroppedWithoutAnAnswer) {
  StartServer();
  for (const std::string bytes : {"GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc",
                                  "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", ""}) {
    auto client = Connect();
    client.Send(bytes);
    client.FinishWriting();
    EXPECT_TRUE(client.IsClosedByServer()) << bytes;
  }
}

// Handlers that wait for another thread, as durable writes do: many at once, resumed in bursts.
TEST_F(ServerTest, SuspendedHandlersAreResumedFromAnotherThread) {
  Mutex mutex;
  std::vector<Completion*> parked;
  std::atomic<bool> stop{false};
  std::atomic<int> wrong_thread{0};
  handler.function = [&](Exchange& exchange) -> Task<void> {
    Completion durable;
    const auto before = std::this_thread::get_id();
    {
      MutexLock lock(mutex);
      parked.push_back(&durable);
    }
    co_await durable;
    if (std::this_thread::get_id() != before || Executor::Current() != &exchange.reactor()) ++wrong_thread;
    co_await Echo(exchange);
  };
  std::thread syncer([&] {
    while (!stop) {
      std::vector<Completion*> batch;
      {
        MutexLock lock(mutex);
        batch.swap(parked);
      }
      for (Completion* completion : batch) completion->Finish();
      std::this_thread::yield();
    }
  });
  StartServer();
  std::vector<std::thread> clients;
  std::atomic<int> good{0};
  for (int c = 0; c < 8; ++c)
    clients.emplace_back([&, c] {
      auto client = Connect();
      for (int i = 0; i < 200; ++i) {
        const std::string body = std::to_string(c * 1000 + i);
        if (client.Call(Post(body)).body == "POST / " + body) ++good;
      }
    });
  for (auto& thread : clients) thread.join();
  stop = true;
  syncer.join();
  EXPECT_EQ(good, 8 * 200);
  EXPECT_EQ(wrong_thread, 0);
}

TEST_F(ServerTest, AClientThatLeavesDoesNotHurtItsHandler) {
  Completion event;
  std::promise<void> suspended, finished;
  handler.function = [&](Exchange& exchange) -> Task<void> {
    if (exchange.request().body != "leave") {
      co_await Echo(exchange);
      co_return;
    }
    suspended.set_value();
    co_await event;
    EXPECT_EQ(exchange.request().body, "leave") << "the request must outlive its client";
    co_await Echo(exchange);
    finished.set_value();
  };
  StartServer();
  auto client = Connect();
  client.Send(Post("leave"));
  suspended.get_future().get();
  client.Reset();
  event.Finish();
  finished.get_future().get();
  EXPECT_EQ(Connect().Call(Post("x")).body, "POST / x");
}

TEST_F(ServerTest, AnExceptionInAHandlerIsA500AndTheConnectionLives) {
  Completion event;
  std::promise<void> suspended;
  handler.function = [&](Exchange& exchange) -> Task<void> {
    const std::string_view body = exchange.request().body;
    exchange.response().AddHeader("X-Half-Done", "yes");
    exchange.response().body = "half an answer";
    if (body == "now") throw std::runtime_error("a bug");
    if (body == "memory") throw std::bad_alloc();
    if (body == "odd") throw 42;
    if (body == "later") {
      suspended.set_value();
      co_await event;
      throw std::runtime_error("a later bug");
    }
    exchange.response().body = "fine";
    co_return;
  };
  StartServer();
  auto client = Connect();
  for (const std::string body : {"now", "memory", "odd", "later"}) {
    client.Send(Post(body));
    if (body == "later") {
      suspended.get_future().get();
      event.Finish();
    }
    const TestResponse response = client.Read();
    EXPECT_EQ(response.status, 500) << body;
    EXPECT_EQ(response.Header("X-Half-Done"), "");
    EXPECT_EQ(
        response.body,
        R"({"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"The request processing has failed because of an unknown error, exception or failure."})");
  }
  EXPECT_EQ(client.Call(Post("")).body, "fine");
}

TEST_F(ServerTest, AHandlerMaySleepOnItsReactor) {
  std::promise<void> asleep;
  handler.function = [&](Exchange& exchange) -> Task<void> {
    asleep.set_value();
    co_await exchange.reactor().SleepUntil(exchange.reactor().now_millis() + 1'000);
    co_await Echo(exchange);
  };
  StartServer();
  auto client = Connect();
  client.Send(Post("z"));
  asleep.get_future().get();
  Step(1'010);
  EXPECT_EQ(client.Read().body, "POST / z");
}

TEST_F(ServerTest, TheArenaAndResponseStartEmptyEachTime) {
  handler.function = [](Exchange& exchange) -> Task<void> {
    EXPECT_TRUE(exchange.response().body.empty());
    EXPECT_TRUE(exchange.response().rendered_headers().empty());
    EXPECT_EQ(exchange.response().status, 200);
    const std::string_view copy = exchange.arena().Copy(exchange.request().body);
    exchange.response().status = 400;
    exchange.response().body = copy;
    co_return;
  };
  StartServer();
  auto client = Connect();
  for (int i = 0; i < 50; ++i) ASSERT_EQ(client.Call(Post(std::string(1000, 'a'))).status, 400);
}

TEST_F(ServerTest, ReportsAUsedPortAndABadAddress) {
  StartServer();
  ServerOptions same = options;
  same.port = server->port();
  Server second(same, handler, metrics);
  const Status status = second.Start();
  EXPECT_EQ(status.code(), StatusCode::kLocked);
  EXPECT_EQ(status.message(),
            "cannot listen on 127.0.0.1:" + std::to_string(same.port) + ": the port is already in use");
  ServerOptions bad = options;
  bad.host = "not an address";
  Server third(bad, handler, metrics);
  EXPECT_EQ(third.Start().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Connect().Call(kGet).status, 200);
}

TEST_F(ServerTest, ThePortIsFreeAgainAfterStop) {
  StartServer();
  options.port = server->port();
  EXPECT_EQ(Connect().Call(kGet).status, 200);
  server->Stop(std::chrono::seconds(5));
  StartServer();
  EXPECT_EQ(Connect().Call(kGet).status, 200);
}

TEST_F(ServerTest, SpreadsConnectionsOverItsReactors) {
  Mutex mutex;
  std::map<std::thread::id, int> seen;
  handler.function = [&](Exchange& exchange) -> Task<void> {
    {
      MutexLock lock(mutex);
      ++seen[std::this_thread::get_id()];
    }
    co_await Echo(exchange);
  };
  StartServer();
  std::vector<TestClient> clients;
  for (int i = 0; i < 40; ++i) {
    clients.push_back(Connect());
    ASSERT_EQ(clients.back().Call(kGet).status, 200);
  }
  ASSERT_EQ(seen.size(), 2u);
  for (const auto& [thread, count] : seen) EXPECT_EQ(count, 20);
}

}  // namespace
}  // namespace armature::net
