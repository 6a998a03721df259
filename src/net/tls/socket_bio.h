// SocketBio: the socket under a TLS stream, as OpenSSL sees it.
//
// OpenSSL's own would raise SIGPIPE, and would ask an empty socket once more after every message to learn that it is
// empty. This one remembers that a receive came back short, which proves it. What the kernel does itself (kernel TLS)
// is left to OpenSSL's. One thread. Internal to net/tls.
#pragma once

#include "base/tls/openssl_handles.h"

namespace armature::net {

struct SocketLink {
  int fd = -1;  // not owned
  bool tries_kernel = false;
  bool is_drained = false;    // nothing can be received before the next event
  bool is_finishing = false;  // the peer's end has come, and no event will announce it again: read until it is there
  int error = 0;              // errno of the call that failed for good
};

// `link` must outlive it. Null: no memory.
BioPtr MakeSocketBio(SocketLink& link);

}  // namespace armature::net
