#include "net/transport/listener.h"

#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace armature::net {
namespace {

constexpr int kBacklog = 4096;

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
  int family = AF_UNSPEC;
};

Result<Address> Resolve(const std::string& host, uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string service = std::to_string(port);
  const int code = getaddrinfo(host.empty() ? nullptr : host.c_str(), service.c_str(), &hints, &found);
  if (code != 0) return Status::InvalidArgument(fmt::format("cannot listen on '{}': {}", host, gai_strerror(code)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  Address address;
  std::memcpy(&address.bytes, found->ai_addr, found->ai_addrlen);
  address.size = found->ai_addrlen;
  address.family = found->ai_family;
  return address;
}

uint16_t PortOf(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

void SetPort(sockaddr_storage& address, uint16_t port) {
  if (address.ss_family == AF_INET6) reinterpret_cast<sockaddr_in6&>(address).sin6_port = htons(port);
  else reinterpret_cast<sockaddr_in&>(address).sin_port = htons(port);
}

void SetOption(int fd, int level, int name, int value) { setsockopt(fd, level, name, &value, sizeof(value)); }

Status Failure(const std::string& host, uint16_t port) {
  const int error = errno;
  if (error == EADDRINUSE)
    return Status::Locked(fmt::format("cannot listen on {}:{}: the port is already in use", host, port));
  return Status::InvalidArgument(fmt::format("cannot listen on {}:{}: {}", host, port, strerror(error)));
}

// Options set here are inherited by accepted connections: no call per connection.
int OpenSocket(const Address& address, int send_buffer_bytes) {
  const int fd = socket(address.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return fd;
  SetOption(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  // A peer that is gone without a word is found out after two minutes, also where a protocol lets connections be idle
  // for ever. Connections have these of the socket that accepted them.
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, 60);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, 15);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, 4);
  if (send_buffer_bytes > 0) SetOption(fd, SOL_SOCKET, SO_SNDBUF, send_buffer_bytes);
  return fd;
}

}  // namespace

Result<Listeners> OpenListeners(const std::string& host, uint16_t port, size_t count, int send_buffer_bytes) {
  ARMATURE_TRY(Address address, Resolve(host, port));
  Listeners listeners;
  const auto fail = [&] {
    Status status = Failure(host, port);
    for (int fd : listeners.fds) close(fd);
    return status;
  };
  for (size_t i = 0; i < count; ++i) {
    const int fd = OpenSocket(address, send_buffer_bytes);
    if (fd < 0) return fail();
    listeners.fds.push_back(fd);
    if (i > 0) SetOption(fd, SOL_SOCKET, SO_REUSEPORT, 1);
    if (bind(fd, reinterpret_cast<const sockaddr*>(&address.bytes), address.size) != 0 || listen(fd, kBacklog) != 0)
      return fail();
    if (i == 0) {
      SetOption(fd, SOL_SOCKET, SO_REUSEPORT, 1);
      sockaddr_storage bound{};
      socklen_t size = sizeof(bound);
      if (getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return fail();
      listeners.port = PortOf(bound);
      SetPort(address.bytes, listeners.port);
    }
  }
  return listeners;
}

}  // namespace armature::net
