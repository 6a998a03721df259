// Listening sockets: one port, shared by our reactors and by nobody else.
//
// SO_REUSEPORT alone would let a second server of the same user slip onto the same port
// and steal half of the connections; the first socket is therefore bound and listening without
// it, which fails if anybody is there, and only then opened to its siblings. Used by the server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace armature::net {

struct Listeners {
  std::vector<int> fds;  // non-blocking, listening; the caller closes them
  uint16_t port = 0;
};

// Opens `count` sockets on one address. kLocked when the port is in use.
Result<Listeners> OpenListeners(const std::string& host, uint16_t port, size_t count, int send_buffer_bytes);

}  // namespace armature::net
