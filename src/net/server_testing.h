// What the server's tests share: a blocking client on a real socket and a handler made of a function.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "net/server.h"
#include "net/transport/socket_testing.h"

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

class TestClient : public TestSocket {
 public:
  using TestSocket::TestSocket;

  TestResponse Read(bool is_head_request = false) {
    TestResponse response;
    response.head = ReadUntil("\r\n\r\n");
    if (response.head.empty()) return response;
    response.head.resize(response.head.size() - 2);
    response.status = std::atoi(response.head.c_str() + 9);
    const size_t length = is_head_request ? 0 : std::strtoul(response.Header("Content-Length").c_str(), nullptr, 10);
    response.body = ReadBytes(length);
    return response.body.size() == length ? response : TestResponse();
  }

  TestResponse Call(std::string_view bytes) {
    Send(bytes);
    return Read();
  }
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
