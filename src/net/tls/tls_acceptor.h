// TlsAcceptor: makes the TLS streams of a server's connections.
//
// Owns OpenSSL's settings, which are replaced as a whole when the files are read again: connections go on with those
// they began with. Also owns the keys of tickets, which outlast a new certificate. One per server, shared by its
// reactors; thread-safe. Made by server/ and only where TLS was asked for: until then nothing of it is set up.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "net/tls/ticket_keys.h"
#include "net/tls/tls_context.h"
#include "net/tls/tls_stream.h"

namespace armature::net {

struct TlsOptions {
  TlsFiles files;
  bool wants_kernel = false;  // let the kernel encrypt, where it can
};

class TlsAcceptor {
 public:
  // Reads the files. The error is one line fit for a user; what is odd but works is logged. `metrics` and `clock` must
  // outlive it.
  static Result<std::shared_ptr<TlsAcceptor>> Open(TlsOptions options, Metrics& metrics, const Clock& clock);

  // Reads the files again: connections accepted from now on get what they hold. On an error all is as before.
  Status Reload();

  // A connection that was accepted; the descriptor must not block, and stays the caller's. Null: no memory.
  std::unique_ptr<TlsStream> Accept(int fd);

  // The kernel encrypts, if cipher and version are such that it can.
  bool uses_kernel() const { return uses_kernel_; }

 private:
  TlsAcceptor(TlsOptions options, Metrics& metrics, const Clock& clock);

  const TlsOptions options_;
  const Clock& clock_;
  const bool uses_kernel_;
  const TlsCounters counters_;
  TicketKeys ticket_keys_;
  Mutex mutex_;
  SslContextPtr context_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::net
