// TlsClient: one connection's TLS on the client's side, for endpoints that begin with https.
//
// The handshake blocks, as the connect before it does; Send and Receive are what send and recv are, errno included.
// The server's certificate is always verified, its name too. Not thread-safe; what it trusts may be shared by threads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <openssl/ssl.h>
#include <sys/types.h>

#include "base/result.h"
#include "base/tls/openssl_handles.h"

namespace armature::cli::bench {

// Whose certificates are trusted.
using TlsTrust = std::shared_ptr<SSL_CTX>;

// `ca_file` is PEM; empty: the system's.
Result<TlsTrust> LoadTrust(const std::string& ca_file);

class TlsClient {
 public:
  // The descriptor is connected, blocks, and stays the caller's.
  static Result<std::unique_ptr<TlsClient>> Connect(SSL_CTX& trust, int fd, const std::string& host);

  ssize_t Send(std::string_view bytes);
  ssize_t Receive(std::span<char> room);
  // Bytes have been received that no event will announce.
  bool HasPending() const { return SSL_pending(ssl_.get()) > 0; }

 private:
  using SslPtr = std::unique_ptr<SSL, OpensslFree<SSL_free>>;
  explicit TlsClient(SslPtr ssl) : ssl_(std::move(ssl)) {}
  ssize_t Fail(int result);

  SslPtr ssl_;
};

}  // namespace armature::cli::bench
