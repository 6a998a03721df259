#include "net/transport/peer_text.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include "net/transport/session.h"

namespace armature::net {
namespace {

bool IsVersion6(const Peer& peer) { return peer.address.sin6_family == AF_INET6; }

const in_addr& Version4Of(const Peer& peer) { return reinterpret_cast<const sockaddr_in&>(peer.address).sin_addr; }

// Not inet_ntop, which prints by way of sprintf: this is made for every request whose policies may look at it.
std::string Version4Text(const void* address) {
  const auto* const bytes = static_cast<const uint8_t*>(address);
  std::string text;
  for (size_t i = 0; i < 4; ++i) {
    const fmt::format_int number(static_cast<unsigned>(bytes[i]));
    if (i > 0) text += '.';
    text.append(number.data(), number.size());
  }
  return text;
}

std::string Version6Text(const in6_addr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(AF_INET6, &address, text, sizeof(text));
  return text;
}

}  // namespace

std::string PeerText(const Peer& peer) {
  const unsigned port = ntohs(peer.address.sin6_port);  // where IPv4 has it too
  if (!IsVersion6(peer)) return fmt::format("{}:{}", Version4Text(&Version4Of(peer)), port);
  return fmt::format("[{}]:{}", Version6Text(peer.address.sin6_addr), port);
}

std::string AddressText(const Peer& peer) {
  if (!IsVersion6(peer)) return Version4Text(&Version4Of(peer));
  const in6_addr& address = peer.address.sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&address)) return Version4Text(&address.s6_addr[12]);
  return Version6Text(address);
}

bool IsLoopback(const Peer& peer) {
  constexpr uint8_t kLoopbackNetwork = 127;
  if (!IsVersion6(peer)) return ntohl(Version4Of(peer).s_addr) >> 24 == kLoopbackNetwork;
  const in6_addr& address = peer.address.sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&address)) return address.s6_addr[12] == kLoopbackNetwork;
  return IN6_IS_ADDR_LOOPBACK(&address);
}

}  // namespace armature::net
