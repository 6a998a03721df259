// TlsConnector: makes the TLS streams of connections that we make.
//
// Owns OpenSSL's settings and knows whose certificates are believed; the peer's certificate is always verified, its
// name too. Immutable and thread-safe: one for all reactors. Made where an https endpoint is called, and only there:
// until then nothing of it is set up.
#pragma once

#include <memory>
#include <string>

#include "base/metrics.h"
#include "base/result.h"
#include "net/tls/tls_context.h"
#include "net/tls/tls_stream.h"

namespace armature::net {

class TlsConnector {
 public:
  // `ca_file` (PEM) says whom to believe; empty: whom the system does. The error is one line fit for a user.
  static Result<std::shared_ptr<TlsConnector>> Open(const std::string& ca_file);

  // For a descriptor that does not block and stays the caller's; `host` is the name or address that the peer's
  // certificate has to be for. Null: no memory.
  std::unique_ptr<TlsStream> Connect(int fd, const std::string& host);

 private:
  explicit TlsConnector(SslContextPtr context) : context_(std::move(context)) {}

  const SslContextPtr context_;
  Counter handshakes_, resumed_, failed_;
  const TlsCounters counters_{handshakes_, resumed_, failed_};
};

}  // namespace armature::net
