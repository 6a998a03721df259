// TinyHttpServer: a server of plain sockets, for tests of what calls out over HTTP.
//
// Reads one request after another from each connection, on a thread of its own, and sends what `answer` returns; an
// empty answer keeps the client waiting. `answer` may be called by several threads at once. Test support only; not
// linked into the server.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace armature {

class TinyHttpServer {
 public:
  using Answer = std::function<std::string(const std::string& request)>;

  explicit TinyHttpServer(Answer answer, uint16_t port = 0)
      : answer_(std::move(answer)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    const int yes = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { Accept(); });
  }
  ~TinyHttpServer() {
    shutdown(listener_, SHUT_RDWR);
    accepting_.join();
    for (const int connection : connections_) shutdown(connection, SHUT_RDWR);
    for (std::thread& thread : threads_) thread.join();
    for (const int connection : connections_) close(connection);
    close(listener_);
  }
  TinyHttpServer(const TinyHttpServer&) = delete;
  TinyHttpServer& operator=(const TinyHttpServer&) = delete;

  uint16_t port() const { return port_; }
  std::string Url(std::string_view path = "/") const { return fmt::format("http://127.0.0.1:{}{}", port_, path); }
  int accepted() const { return accepted_; }
  std::promise<void>& got_request() { return got_request_; }

 private:
  void Accept() {
    for (int connection = accept(listener_, nullptr, nullptr); connection >= 0;
         connection = accept(listener_, nullptr, nullptr)) {
      ++accepted_;
      connections_.push_back(connection);
      threads_.emplace_back([this, connection] { Serve(connection); });
    }
  }

  void Serve(int connection) {
    std::string buffer;
    char chunk[65536];
    for (ssize_t n = 0; (n = read(connection, chunk, sizeof chunk)) > 0;) {
      buffer.append(chunk, static_cast<size_t>(n));
      const size_t head_end = buffer.find("\r\n\r\n");
      if (head_end == std::string::npos) continue;
      size_t body_size = 0;
      if (const size_t at = buffer.find("Content-Length: "); at != std::string::npos && at < head_end)
        body_size = std::stoul(buffer.substr(at + 16));
      if (buffer.size() < head_end + 4 + body_size) continue;
      const std::string reply = answer_(buffer.substr(0, head_end + 4 + body_size));
      buffer.erase(0, head_end + 4 + body_size);
      if (reply.empty()) got_request_.set_value();
      else if (send(connection, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) return;
    }
  }

  const Answer answer_;
  const int listener_;
  uint16_t port_ = 0;
  std::atomic<int> accepted_{0};
  std::promise<void> got_request_;
  std::vector<int> connections_;      // of accepting_ until it is joined
  std::vector<std::thread> threads_;  // likewise
  std::thread accepting_;
};

inline std::string HttpReply(std::string_view body, std::string_view head = "HTTP/1.1 200 OK\r\n") {
  return fmt::format("{}Content-Length: {}\r\nX-Note:  two words \r\n\r\n{}", head, body.size(), body);
}

}  // namespace armature
