#include "net/handler.h"

#include <arpa/inet.h>
#include <fmt/core.h>

#include "net/transport/session.h"

namespace armature::net {
namespace {

bool IsVersion6(const Peer& peer) { return peer.address.sin6_family == AF_INET6; }

const in_addr& Version4Of(const Peer& peer) { return reinterpret_cast<const sockaddr_in&>(peer.address).sin_addr; }

std::string AddressText(int family, const void* address) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(family, address, text, sizeof(text));
  return text;
}

}  // namespace

std::string Exchange::PeerAddress() const {
  const unsigned port = ntohs(peer_->address.sin6_port);  // where IPv4 has it too
  if (!IsVersion6(*peer_)) return fmt::format("{}:{}", AddressText(AF_INET, &Version4Of(*peer_)), port);
  return fmt::format("[{}]:{}", AddressText(AF_INET6, &peer_->address.sin6_addr), port);
}

std::string Exchange::SourceIp() const {
  if (!IsVersion6(*peer_)) return AddressText(AF_INET, &Version4Of(*peer_));
  const in6_addr& address = peer_->address.sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&address)) return AddressText(AF_INET, &address.s6_addr[12]);
  return AddressText(AF_INET6, &address);
}

bool Exchange::is_secure() const { return peer_->is_secure; }

bool Exchange::is_from_loopback() const {
  constexpr uint8_t kLoopbackNetwork = 127;
  if (!IsVersion6(*peer_)) return ntohl(Version4Of(*peer_).s_addr) >> 24 == kLoopbackNetwork;
  const in6_addr& address = peer_->address.sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&address)) return address.s6_addr[12] == kLoopbackNetwork;
  return IN6_IS_ADDR_LOOPBACK(&address);
}

uint64_t Exchange::client_network() const { return NetworkNumber(peer_->address); }

}  // namespace armature::net
