// AsyncHttpClient: HTTP/1.1 requests from a reactor's coroutines, without a thread that waits.
//
// One per reactor; everything is called on its thread. Connections are transports, as the server's are: made when
// needed, kept for the next request to the same host and port, closed when idle for long. One request at a time per
// connection; what exceeds the connections of a host waits for one. Names are looked up by the resolver's threads. All
// time is the reactor's clock's. What is received and held for replies is bounded, each by its call's limit and all
// together by the client's. Over TCP, or TLS where a call says so; a reply with an error status is a reply. No
// redirects, no cookies, no proxies. (base/http_client.h is the blocking one, for threads that may wait.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/async.h"
#include "base/result.h"
#include "net/client/http_call.h"
#include "net/client/http_reply.h"
#include "net/tls/tls_connector.h"
#include "net/transport/reactor.h"
#include "net/transport/resolver.h"

namespace armature::net {

struct AsyncHttpClientOptions {
  size_t max_connections_per_host = 64;
  size_t max_idle_per_host = 16;
  int64_t idle_timeout_millis = 60'000;
  std::shared_ptr<TlsConnector> tls;  // for secure calls; null: there can be none
  // Of replies being received, together. Near it who does not move gives way, as the server's clients do.
  size_t max_buffered_bytes = size_t{256} << 20;
};

class AsyncHttpClient {
 public:
  // Reactor and resolver must outlive the client and its calls.
  AsyncHttpClient(Reactor& reactor, Resolver& resolver, const AsyncHttpClientOptions& options = {});
  // Closes what is kept. REQUIRES: no call is under way; on the reactor's thread, unless that does not run.
  ~AsyncHttpClient();
  AsyncHttpClient(const AsyncHttpClient&) = delete;
  AsyncHttpClient& operator=(const AsyncHttpClient&) = delete;

  // kInvalidArgument: see CheckCall, or a secure call without TLS. kUnavailable: no answer (refused, timed out, name
  // not known, certificate not believed, connection lost before a byte of the reply, no memory for it, shut down).
  // kIoError: an answer that is not HTTP, is too long, or ends early. A request that failed after it was sent may have
  // been carried out. A kept connection that its peer closes as we use it is replaced by a new one, once, if the call
  // may be repeated.
  Task<Result<HttpReply>> Send(HttpCall call);

  // Every call under way ends with kUnavailable, as soon as the reactor turns; so does every later one, at once.
  void Shutdown();

  size_t connection_count() const;
  size_t idle_count() const;

 private:
  class Call;
  class Connection;
  struct Core;
  struct Host;
  std::shared_ptr<Core> core_;
};

}  // namespace armature::net
