#include "net/handler.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>

namespace armature::net {

std::string Exchange::PeerAddress() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (peer_->sa_family == AF_INET6) {
    const auto* address = reinterpret_cast<const sockaddr_in6*>(peer_);
    inet_ntop(AF_INET6, &address->sin6_addr, text, sizeof(text));
    return fmt::format("[{}]:{}", text, ntohs(address->sin6_port));
  }
  const auto* address = reinterpret_cast<const sockaddr_in*>(peer_);
  inet_ntop(AF_INET, &address->sin_addr, text, sizeof(text));
  return fmt::format("{}:{}", text, ntohs(address->sin_port));
}

}  // namespace armature::net
