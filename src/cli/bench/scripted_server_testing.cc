#include "cli/bench/scripted_server_testing.h"

#include <cstdlib>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace armature::cli::bench {
namespace {

// The text between `name` and the end of its line; the driver writes header names exactly so.
std::string HeaderValue(std::string_view head, std::string_view name) {
  const size_t at = head.find(name);
  if (at == std::string_view::npos) return {};
  const size_t begin = at + name.size();
  return std::string(head.substr(begin, head.find("\r\n", begin) - begin));
}

}  // namespace

ScriptedServer::ScriptedServer(Handler handler)
    : handler_(std::move(handler)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 1024) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::abort();
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::jthread([this] { Accept(); });
}

ScriptedServer::~ScriptedServer() {
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    MutexLock lock(mutex_);
    for (const int fd : fds_) shutdown(fd, SHUT_RDWR);
  }
  threads_.clear();  // joins
  for (const int fd : fds_) close(fd);
  close(listener_);
}

void ScriptedServer::Accept() {
  for (;;) {
    const int fd = accept(listener_, nullptr, nullptr);
    if (fd < 0) return;
    {
      MutexLock lock(mutex_);
      fds_.push_back(fd);
    }
    threads_.emplace_back([this, fd] { Serve(fd); });
  }
}

void ScriptedServer::Serve(int fd) {
  std::string input;
  char chunk[4096];
  for (;;) {
    const size_t head_end = input.find("\r\n\r\n");
    const size_t length =
        head_end == std::string::npos ? 0 : std::strtoul(HeaderValue(input, "Content-Length: ").c_str(), nullptr, 10);
    if (head_end == std::string::npos || input.size() < head_end + 4 + length) {
      const ssize_t received = recv(fd, chunk, sizeof chunk, 0);
      if (received <= 0) return;
      input.append(chunk, static_cast<size_t>(received));
      continue;
    }
    Reply reply;
    {
      MutexLock lock(mutex_);
      reply = handler_(HeaderValue(input, "X-Amz-Target: DynamoDB_20120810."),
                       std::string_view(input).substr(head_end + 4, length));
    }
    input.erase(0, head_end + 4 + length);
    if (!reply.close_before) {
      const std::string text =
          fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n{}\r\n{}", reply.status, reply.body.size(),
                      reply.close_after ? "Connection: close\r\n" : "", reply.body);
      if (send(fd, text.data(), text.size(), MSG_NOSIGNAL) < 0) return;
    }
    if (reply.close_before || reply.close_after) {
      shutdown(fd, SHUT_RDWR);
      return;
    }
  }
}

}  // namespace armature::cli::bench
