// Clients that hold memory: who is sent away, who waits, who is served.
#include <array>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/response_writer.h"
#include "net/server.h"
#include "net/server_testing.h"
#include "net/transport/memory_ledger.h"

namespace armature::net {
namespace {

constexpr size_t kMiB = 1 << 20;
constexpr std::string_view kGetBig = "GET /big HTTP/1.1\r\nHost: a\r\n\r\n";

class ServerMemoryTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    options.max_buffered_bytes = 8 * kMiB;
    options.send_buffer_bytes = 64 * 1024;
    handler.function = [](Exchange& exchange) -> Task<void> {
      if (exchange.request().path == "/big") exchange.response().body.assign(kMiB, 'x');
      else co_await Echo(exchange);
    };
  }

  double Metric(const std::string& name) const {
    const std::string text = metrics.RenderPrometheus();
    const size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + name.size() + 2, nullptr);
  }
  template <class Condition>
  void Await(Condition condition) {
    for (int i = 0; i < 10'000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_TRUE(condition());
  }
  // Clients that ask for a big answer and read nothing of it.
  std::vector<TestClient> NonReaders(size_t count) {
    std::vector<TestClient> clients;
    for (size_t i = 0; i < count; ++i) {
      clients.push_back(Connect(16 * 1024));
      clients.back().Send(kGetBig);
    }
    return clients;
  }
};

TEST_F(ServerMemoryTest, ClientsThatDoNotReadAreSentAwayAndTheNextOneIsServed) {
  StartServer();
  const auto lazy = NonReaders(7);
  Await([&] { return Metric("armature_http_buffered_bytes") > 6 * kMiB; });
  Step(MemoryLedger::kPatienceMillis + 100);
  // They fill the memory, but it is they who pay.
  const auto more = NonReaders(40);
  // Eight fit. Only once all the others have gone is it certain that all had come before the next one does.
  Await([&] { return Metric("armature_http_connections_evicted_total") >= 7 + 40 - 8; });
  Step(100);  // too short to lag, long enough to tell them from somebody who reads
  auto client = Connect();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(client.Call(kGet).status, 200);
    EXPECT_EQ(client.Call(kGetBig).body.size(), kMiB);
    EXPECT_EQ(client.Call(Post(std::string(kMiB, 'y'))).status, 200);
  }
  EXPECT_LE(Metric("armature_http_buffered_bytes"), 8 * kMiB);
  EXPECT_EQ(Metric("armature_http_requests_shed_total"), 0);
}

TEST_F(ServerMemoryTest, UnfinishedUploadsThatDoNotMoveGiveWayToo) {
  options.request_timeout_millis = int64_t{1} << 40;
  StartServer();
  std::vector<TestClient> stuck;
  for (int i = 0; i < 4; ++i) {
    stuck.push_back(Connect());
    stuck.back().Send(Post(std::string(3 * kMiB, 'x')).substr(0, 3 * kMiB / 2));
  }
  Await([&] { return Metric("armature_http_buffered_bytes") > 5 * kMiB; });
  Step(5'000);
  auto client = Connect();
  EXPECT_EQ(client.Call(Post(std::string(3 * kMiB, 'y'))).status, 200);
  EXPECT_GE(Metric("armature_http_connections_evicted_total"), 1);
  EXPECT_EQ(stuck[0].Read().status + stuck[1].Read().status + stuck[2].Read().status > 0, true);
}

TEST_F(ServerMemoryTest, UnderPressureLaggardsGoBeforeAnybodyIsRefused) {
  std::atomic<bool> pressure{false};
  options.overloaded = [&] { return pressure.load(); };
  StartServer();
  const auto lazy = NonReaders(3);
  Await([&] { return Metric("armature_http_buffered_bytes") > 2 * kMiB; });
  Step(MemoryLedger::kPatienceMillis + 100);
  pressure = true;
  auto client = Connect();
  EXPECT_EQ(client.Call(kGet).status, 200);
  EXPECT_EQ(client.Call(kGet).status, 200) << "the memory that came back is given time to show";
  Await([&] { return Metric("armature_http_connections_evicted_total") == 3; });
  Step(MemoryLedger::kReliefMillis + 100);
  EXPECT_EQ(client.Call(kGet).status, 503) << "nobody is left to be sent away";
}

// Handlers that wait until they are told, holding what their request says.
class ServerInFlightTest : public ServerMemoryTest {
 protected:
  void SetUp() override {
    ServerMemoryTest::SetUp();
    handler.function = [this](Exchange& exchange) -> Task<void> {
      if (exchange.request().path == "/hold") {
        exchange.set_extra_bytes(2 * kMiB);
        co_await releases[static_cast<size_t>(started++)];
      }
      co_await Echo(exchange);
    };
  }
  std::string Hold(size_t body_bytes) const {
    return "POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body_bytes) + "\r\n\r\n" +
           std::string(body_bytes, 'x');
  }

  // Those that come later too do not wait any more.
  void Release() {
    for (Completion& release : releases) release.Finish();
  }

  std::array<Completion, 16> releases;
  std::atomic<int> started{0};
};

TEST_F(ServerInFlightTest, RequestsInFlightAreCountedAndLargeOnesWaitTheirTurn) {
  options.threads = 1;
  StartServer();
  std::vector<TestClient> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(Connect());
    clients.back().Send(Hold(100'000));
  }
  Await([&] { return started == 2; });  // two of them are more than half of the limit
  auto other = Connect();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(other.Call(Post("small")).body, "POST / small");
  EXPECT_EQ(started, 2);
  EXPECT_GT(Metric("armature_http_in_flight_bytes"), 4 * kMiB);
  EXPECT_LT(Metric("armature_http_in_flight_bytes"), 6 * kMiB);
  Release();
  std::thread ticking([&] {
    while (started < 10) {
      Step(20);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  for (TestClient& client : clients) EXPECT_EQ(client.Read().body.size(), 100'000 + std::string("POST /hold ").size());
  ticking.join();
  EXPECT_EQ(Metric("armature_http_in_flight_bytes"), 0);
  EXPECT_EQ(Metric("armature_http_requests_shed_total"), 0);
}

TEST_F(ServerInFlightTest, AChunkedRequestThatWaitedIsHandedUpWhole) {
  options.threads = 1;
  StartServer();
  std::vector<TestClient> holders;
  for (int i = 0; i < 3; ++i) {
    holders.push_back(Connect());
    holders.back().Send(Hold(10));
  }
  Await([&] { return started == 3; });
  auto client = Connect();
  std::string body(100'000, 'z');
  client.Send("POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n186a0\r\n" + body + "\r\n0\r\n\r\n" +
              Post("behind"));
  auto other = Connect();
  EXPECT_EQ(other.Call(Post("small")).status, 200);
  Release();
  for (TestClient& holder : holders) EXPECT_EQ(holder.Read().status, 200);
  Step(40);
  EXPECT_EQ(client.Read().body, "POST /c " + body);
  EXPECT_EQ(client.Read().body, "POST / behind");
}

TEST_F(ServerInFlightTest, WhoWaitsInVainIsTold503) {
  options.threads = 1;
  StartServer();
  std::vector<TestClient> holders;
  for (int i = 0; i < 3; ++i) {
    holders.push_back(Connect());
    holders.back().Send(Hold(10));
  }
  Await([&] { return started == 3; });
  auto client = Connect();
  client.Send(Post(std::string(100'000, 'z')));
  auto other = Connect();
  EXPECT_EQ(other.Call(Post("small")).status, 200);
  TestResponse answer;
  std::thread reader([&] { answer = client.Read(); });
  std::atomic<bool> has_answer{false};
  std::thread ticking([&] {
    while (!has_answer) {
      Step(options.request_timeout_millis);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  reader.join();
  has_answer = true;
  ticking.join();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, kUnavailableBody);
  Release();
  for (TestClient& holder : holders) EXPECT_EQ(holder.Read().status, 200);
}

}  // namespace
}  // namespace armature::net
