// A connected TCP socket that closes itself, for the load driver's clients; with TLS over it if the endpoint has it.
//
// Owns one file descriptor. Movable value; no thread-safety of its own. Nagle's delay is off.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <sys/types.h>

#include "base/result.h"
#include "cli/bench/http/tls_client.h"
#include "cli/bench/options.h"

namespace armature::cli::bench {

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)), tls_(std::move(other.tls_)) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  // Blocking connect, and handshake; the socket stays blocking.
  static Result<Socket> Connect(const Endpoint& endpoint);

  Result<void> MakeNonBlocking();
  // As send and recv.
  ssize_t Send(std::string_view bytes) const;
  ssize_t Receive(std::span<char> room) const;
  // There is more to receive, which epoll does not know of.
  bool HasPending() const { return tls_ && tls_->HasPending(); }
  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
  std::unique_ptr<TlsClient> tls_;
};

}  // namespace armature::cli::bench
