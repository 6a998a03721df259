// TlsStream: one connection's TLS, of either side, in the manner of a socket that does not block.
//
// After the handshake Read and Write are what recv and send are to a plain socket, errno included, and fewer bytes than
// asked for prove as much: there is nothing more before the next event. Nothing here waits. A peer that ends without a
// farewell has ended: what is spoken over a transport says itself where a message ends. Between messages a stream holds
// a few kilobytes, its buffers are given back. One thread, that of its transport. Made by TlsAcceptor and, for the
// connections that we make, TlsConnector.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <openssl/ssl.h>
#include <sys/types.h>

#include "base/metrics.h"
#include "base/tls/openssl_handles.h"
#include "net/tls/socket_bio.h"

namespace armature::net {

using SslPtr = std::unique_ptr<SSL, OpensslFree<SSL_free>>;

struct TlsCounters {
  Counter& handshakes;
  Counter& resumed;  // of these, those that needed no certificate
  Counter& failed;
};

class TlsStream {
 public:
  // What a stream may hold while its handshake lasts: OpenSSL takes what a message announces, up to this.
  static constexpr size_t kHandshakeBytes = 160 * 1024;

  enum class Handshake {
    kDone,
    kWaits,      // for the socket
    kRefused,    // the peer has been told why; it should be able to read that (see problem)
    kPlainText,  // it speaks HTTP without TLS
    kLost,       // the peer is gone
  };

  enum class Side { kServer, kClient };

  // Null: no memory. The descriptor stays the caller's.
  static std::unique_ptr<TlsStream> Make(SslPtr ssl, int fd, bool tries_kernel, const TlsCounters& counters,
                                         Side side = Side::kServer);

  // Goes on with the handshake; once done, with what the stream itself has to write (see needs_to_write).
  Handshake Advance();
  // As recv: what came, 0 at the end, or -1 and errno.
  ssize_t Read(char* to, size_t room);
  // As send. What was refused with EAGAIN has to be offered again.
  ssize_t Write(std::string_view bytes);
  // The peer has shut its side of the socket: what it has sent is to be read up to the end.
  void OnPeerFinished() { link_.is_finishing = true; }
  // Tells the peer that nothing more comes, if the socket takes it.
  void SayGoodbye();

  // The end, or a failure, lies behind what Read has returned.
  bool is_ending() const { return is_ending_; }
  // Read has to write first, an answer to the peer's new key, and the socket is full: call Advance when it is not.
  bool needs_to_write() const { return needs_to_write_; }
  // Why the handshake was refused; empty: it was not.
  const std::string& problem() const { return problem_; }

 private:
  TlsStream(SslPtr ssl, const TlsCounters& counters) : ssl_(std::move(ssl)), counters_(counters) {}

  void OnReadRefused();
  Handshake OnHandshakeFailed();

  SocketLink link_;  // outlives ssl_, which refers to it
  const SslPtr ssl_;
  const TlsCounters& counters_;
  bool is_established_ = false;
  bool is_broken_ = false;  // OpenSSL must not be asked again
  bool is_ending_ = false;
  bool needs_to_write_ = false;
  bool has_said_goodbye_ = false;
  std::string problem_;
};

}  // namespace armature::net
