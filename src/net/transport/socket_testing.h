// TestSocket: a blocking peer on a real socket, for tests of what stands on transports. Test support only.
//
// Reads give up after ten seconds, so that a hanging server fails a test instead of stopping it.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace armature::net {

class TestSocket {
 public:
  explicit TestSocket(uint16_t port, int receive_buffer_bytes = 0) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    SetTimeouts();
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
  // One that is connected already, say an accepted one.
  static TestSocket Adopt(int fd) { return TestSocket(Adopted{fd}); }
  TestSocket(TestSocket&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_), pending_(std::move(other.pending_)) {}
  TestSocket& operator=(TestSocket&& other) noexcept {
    Close();
    fd_ = std::exchange(other.fd_, -1);
    connected_ = other.connected_;
    timed_out_ = other.timed_out_;
    pending_ = std::move(other.pending_);
    return *this;
  }
  ~TestSocket() { Close(); }

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

  // So many bytes; fewer only if the end came first.
  std::string ReadBytes(size_t count) {
    while (pending_.size() < count && Fill()) {}
    return Take(count);
  }
  // All that comes up to and including `end`; empty if the end of all came first.
  std::string ReadUntil(std::string_view end) {
    size_t at = std::string::npos;
    while ((at = pending_.find(end)) == std::string::npos)
      if (!Fill()) return {};
    return Take(at + end.size());
  }
  // All that comes until the server closes; "timeout" behind it if it never does.
  std::string ReadToEnd() {
    while (Fill()) {}
    return std::exchange(pending_, {}) + (timed_out_ ? "timeout" : "");
  }
  // What is there now.
  std::string ReadNow() {
    char bytes[65536];
    for (ssize_t count = 0; (count = recv(fd_, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0;)
      pending_.append(bytes, static_cast<size_t>(count));
    return std::exchange(pending_, {});
  }
  bool IsClosedByServer() { return ReadToEnd().empty(); }

 private:
  struct Adopted {
    int fd;
  };
  explicit TestSocket(Adopted adopted) : fd_(adopted.fd), connected_(adopted.fd >= 0) { SetTimeouts(); }

  void SetTimeouts() const {
    const timeval timeout{10, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
  }
  std::string Take(size_t count) {
    std::string taken = pending_.substr(0, count);
    pending_.erase(0, taken.size());
    return taken;
  }
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

}  // namespace armature::net
