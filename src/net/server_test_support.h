// What the server's tests share: a blocking client on a real socket and a handler made of a function.
//
// Reads give up after ten seconds, so that a hanging server fails a test instead of stopping it.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/server.h"

namespace armature::net {

struct TestResponse {
  int status = 0;  // 0: the connection ended instead
  std::string head;
  std::string body;
  std::string Header(std::string_view name) const {
    const size_t at = head.find("\r\n" + std::string(name) + ": ");
    if (at == std::string::npos) return "";
    const size_t start = at + name.size() + 4;
    return head.substr(start, head.find("\r\n", start) - start);
  }
};

class TestClient {
 public:
  explicit TestClient(uint16_t port, int receive_buffer_bytes = 0) {
    fd_ = socket(AF_INET, SOCK_STREAM, 0);
    const timeval timeout{10, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
    const int one = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (receive_buffer_bytes > 0)
      setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof(receive_buffer_bytes));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  TestClient(TestClient&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_), pending_(std::move(other.pending_)) {}
  ~TestClient() { Close(); }

  bool connected() const { return connected_; }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }
  // Closes with a reset instead of a farewell.
  void Reset() {
    const linger now{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    Close();
  }
  void FinishWriting() { shutdown(fd_, SHUT_WR); }

  // False if the server no longer takes bytes.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  TestResponse Read(bool is_head_request = false) {
    TestResponse response;
    size_t end = std::string::npos;
    while ((end = pending_.find("\r\n\r\n")) == std::string::npos)
      if (!Fill()) return response;
    response.head = pending_.substr(0, end + 2);
    pending_.erase(0, end + 4);
    response.status = std::atoi(response.head.c_str() + 9);
    const size_t length = is_head_request ? 0 : std::strtoul(response.Header("Content-Length").c_str(), nullptr, 10);
    while (pending_.size() < length)
      if (!Fill()) return {};
    response.body = pending_.substr(0, length);
    pending_.erase(0, length);
    return response;
  }

  TestResponse Call(std::string_view bytes) {
    Send(bytes);
    return Read();
  }

  // All that comes until the server closes; "timeout" behind it if it never does.
  std::string ReadToEnd() {
    while (Fill()) {}
    return std::exchange(pending_, {}) + (timed_out_ ? "timeout" : "");
  }
  bool IsClosedByServer() { return ReadToEnd().empty(); }

 private:
  bool Fill() {
    char bytes[65536];
    const ssize_t count = recv(fd_, bytes, sizeof(bytes), 0);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) timed_out_ = true;
    if (count <= 0) return false;
    pending_.append(bytes, static_cast<size_t>(count));
    return true;
  }

  int fd_ = -1;
  bool connected_ = false;
  bool timed_out_ = false;
  std::string pending_;
};

class FunctionHandler final : public Handler {
 public:
  std::function<Task<void>(Exchange&)> function;
  Task<void> Handle(Exchange& exchange) override { return function(exchange); }
};

// A server whose timers follow `clock`. The handler answers with "METHOD path body" unless replaced.
class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    options.port = 0;
    options.threads = 2;
    options.timer_clock = &clock;
    handler.function = Echo;
  }

  void StartServer() {
    server = std::make_unique<Server>(options, handler, metrics);
    const Status status = server->Start();
    ASSERT_TRUE(status.ok()) << status.message();
  }
  TestClient Connect(int receive_buffer_bytes = 0) { return TestClient(server->port(), receive_buffer_bytes); }
  void Step(int64_t millis) {
    clock.AdvanceMillis(millis);
    server->Nudge();
  }

  static Task<void> Echo(Exchange& exchange) {
    const HttpRequest& request = exchange.request();
    HttpResponse& response = exchange.response();
    response.content_type = "text/plain";
    response.body.append(request.method_name).append(" ").append(request.path).append(" ").append(request.body);
    co_return;
  }

  static std::string Post(std::string_view body, std::string_view headers = "") {
    return "POST / HTTP/1.1\r\nHost: a\r\n" + std::string(headers) + "Content-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + std::string(body);
  }

  ManualClock clock;
  Metrics metrics;
  ServerOptions options;
  FunctionHandler handler;
  std::unique_ptr<Server> server;
};

inline constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

}  // namespace armature::net
