// What tests of the HTTP client share: a peer whose every byte the test decides, and the client on a reactor of its
// own.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "net/client/async_http_client.h"
#include "net/server_testing.h"

namespace armature::net {

// A listener on loopback whose connections the test serves by hand.
class ScriptedPeer {
 public:
  explicit ScriptedPeer(int backlog = 16) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    const timeval timeout{10, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(fd_, backlog), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~ScriptedPeer() { close(fd_); }
  ScriptedPeer(const ScriptedPeer&) = delete;
  ScriptedPeer& operator=(const ScriptedPeer&) = delete;

  uint16_t port() const { return port_; }
  TestSocket Accept() const { return TestSocket::Adopt(accept(fd_, nullptr, nullptr)); }

 private:
  int fd_;
  uint16_t port_ = 0;
};

inline std::string Reply(std::string_view body, std::string_view headers = "") {
  return "HTTP/1.1 200 OK\r\n" + std::string(headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

inline StatusCode CodeOf(const Result<HttpReply>& reply) { return reply ? StatusCode::kOk : reply.error().code(); }

// Or the error.
inline std::string BodyOf(const Result<HttpReply>& reply) {
  return reply ? std::string(reply->body) : reply.error().ToString();
}

// The client on a reactor with a thread of its own and a clock that is stepped.
class AsyncHttpClientTest : public testing::Test {
 protected:
  using Answer = std::future<Result<HttpReply>>;

  void TearDown() override {
    if (!thread.joinable()) return;
    OnLoop([&] { client.reset(); });
    reactor.Stop();
    thread.join();
  }
  void StartClient() {
    ASSERT_TRUE(reactor.Open().ok());
    if (!resolver) resolver = std::make_unique<Resolver>();
    client = std::make_unique<AsyncHttpClient>(reactor, *resolver, options);
    thread = std::thread([this] { reactor.Run(); });
  }

  static HttpCall Call(uint16_t port, std::string_view method = "GET", std::string_view target = "/") {
    HttpCall call;
    call.host = "127.0.0.1";
    call.port = port;
    call.method = method;
    call.target = target;
    return call;
  }
  Answer Send(HttpCall call) {
    auto promise = std::make_shared<std::promise<Result<HttpReply>>>();
    Answer answer = promise->get_future();
    Run(std::move(call), std::move(promise));
    return answer;
  }
  Result<HttpReply> SendAndWait(HttpCall call) { return Send(std::move(call)).get(); }

  template <class Action>
  void OnLoop(Action action) {
    std::promise<void> done;
    [](Reactor& loop, Action& act, std::promise<void>& finished) -> async_detail::Detached {
      co_await loop.Enter();
      act();
      finished.set_value();
    }(reactor, action, done);
    done.get_future().wait();
  }
  size_t connections() {
    size_t count = 0;
    OnLoop([&] { count = client->connection_count(); });
    return count;
  }
  size_t idle() {
    size_t count = 0;
    OnLoop([&] { count = client->idle_count(); });
    return count;
  }
  void Step(int64_t millis) {
    clock.AdvanceMillis(millis);
    reactor.Wake();
  }
  template <class Condition>
  void Await(Condition condition) {
    for (int i = 0; i < 10'000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_TRUE(condition());
  }
  static bool IsReady(const Answer& answer) {
    return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  ManualClock clock;
  Reactor reactor{clock};
  AsyncHttpClientOptions options;
  std::promise<void> release;  // of a lookup that waits for it
  std::unique_ptr<Resolver> resolver;
  std::unique_ptr<AsyncHttpClient> client;
  std::thread thread;

 private:
  async_detail::Detached Run(HttpCall call, std::shared_ptr<std::promise<Result<HttpReply>>> promise) {
    co_await reactor.Enter();
    Result<HttpReply> result = co_await client->Send(std::move(call));
    promise->set_value(std::move(result));
  }
};

}  // namespace armature::net
