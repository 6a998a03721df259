// A connected TCP socket that closes itself, for the load driver's clients.
//
// Owns one file descriptor. Movable value; no thread-safety of its own. Nagle's delay is off.
#pragma once

#include <utility>

#include "base/result.h"
#include "cli/bench/options.h"

namespace armature::cli::bench {

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  // Blocking connect; the socket stays blocking.
  static Result<Socket> Connect(const Endpoint& endpoint);

  Result<void> MakeNonBlocking();
  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace armature::cli::bench
