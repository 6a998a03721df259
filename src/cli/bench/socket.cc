#include "cli/bench/socket.h"

#include <cerrno>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace armature::cli::bench {

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(tls_, other.tls_);
  return *this;
}

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

Result<Socket> Socket::Connect(const Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = fmt::format("{}", endpoint.port);
  if (const int error = getaddrinfo(endpoint.host.c_str(), port.c_str(), &hints, &found); error != 0) {
    return Status::Unavailable(fmt::format("cannot resolve {}: {}", endpoint.host, gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  int last_error = ECONNREFUSED;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    Socket socket(::socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol));
    if (!socket.is_open() || connect(socket.fd(), address->ai_addr, address->ai_addrlen) != 0) {
      last_error = errno;
      continue;
    }
    const int on = 1;
    setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (endpoint.is_secure) {
      ARMATURE_TRY(socket.tls_, TlsClient::Connect(*endpoint.trust, socket.fd(), endpoint.host));
    }
    return socket;
  }
  return Status::Unavailable(fmt::format("cannot connect to {}: {}", endpoint.HostHeader(), std::strerror(last_error)));
}

ssize_t Socket::Send(std::string_view bytes) const {
  return tls_ ? tls_->Send(bytes) : send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

ssize_t Socket::Receive(std::span<char> room) const {
  return tls_ ? tls_->Receive(room) : recv(fd_, room.data(), room.size(), 0);
}

Result<void> Socket::MakeNonBlocking() {
  const int flags = fcntl(fd_, F_GETFL);
  if (flags < 0 || fcntl(fd_, F_SETFL, flags | O_NONBLOCK) < 0) {
    return Status::IoError(fmt::format("fcntl: {}", std::strerror(errno)));
  }
  return {};
}

}  // namespace armature::cli::bench
