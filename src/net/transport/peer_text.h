// A peer's address in words, for logs, policies and whoever counts by address. Pure.
#pragma once

#include <string>

namespace armature::net {

struct Peer;

// "127.0.0.1:54321" or "[::1]:54321".
std::string PeerText(const Peer& peer);
// Its IP address alone, as policies compare it: one of IPv4 that came over IPv6 is of IPv4.
std::string AddressText(const Peer& peer);
// It is on this machine, as far as its address tells.
bool IsLoopback(const Peer& peer);

}  // namespace armature::net
