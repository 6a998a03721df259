#include "net/tls/tls_stream.h"

#include <cerrno>
#include <utility>

#include <openssl/x509.h>

namespace armature::net {
namespace {

// What a call that failed waits for. SSL_get_error says so too, but takes whatever lies in the thread's queue of errors
// for a failure of the call before it, so that the queue would have to be emptied before each.
bool WaitsToRead(const SSL* ssl) { return SSL_want_read(ssl) && BIO_should_read(SSL_get_rbio(ssl)); }
bool WaitsToWrite(const SSL* ssl) { return SSL_want_write(ssl) && BIO_should_write(SSL_get_wbio(ssl)); }

int FailWith(int error) {
  errno = error;
  return -1;
}

}  // namespace

std::unique_ptr<TlsStream> TlsStream::Make(SslPtr ssl, int fd, bool tries_kernel, const TlsCounters& counters,
                                           Side side) {
  if (!ssl) return nullptr;
  std::unique_ptr<TlsStream> stream(new TlsStream(std::move(ssl), counters));
  stream->link_.fd = fd;
  stream->link_.tries_kernel = tries_kernel;
  BioPtr bio = MakeSocketBio(stream->link_);
  if (!bio) return nullptr;
  SSL_set_bio(stream->ssl_.get(), bio.get(), bio.get());
  static_cast<void>(bio.release());
  if (side == Side::kServer) SSL_set_accept_state(stream->ssl_.get());
  else SSL_set_connect_state(stream->ssl_.get());
  return stream;
}

TlsStream::Handshake TlsStream::Advance() {
  needs_to_write_ = false;
  if (is_established_) return Handshake::kDone;
  link_.is_drained = false;
  ERR_clear_error();  // a failure is looked for there
  const int result = SSL_do_handshake(ssl_.get());
  if (result == 1) {
    is_established_ = true;
    counters_.handshakes.Add();
    if (SSL_session_reused(ssl_.get()) == 1) counters_.resumed.Add();
    return Handshake::kDone;
  }
  if (WaitsToRead(ssl_.get()) || WaitsToWrite(ssl_.get())) return Handshake::kWaits;
  return OnHandshakeFailed();
}

TlsStream::Handshake TlsStream::OnHandshakeFailed() {
  const unsigned long code = ERR_peek_error();
  const std::string reason = TakeOpensslReason();
  is_broken_ = true;
  counters_.failed.Add();
  if (code == 0 || link_.error != 0) return Handshake::kLost;
  const bool is_http = ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_HTTP_REQUEST;
  if (is_http) return Handshake::kPlainText;
  // That a certificate is not believed says nothing without the reason.
  const long verdict = SSL_get_verify_result(ssl_.get());
  problem_ = verdict == X509_V_OK ? reason : X509_verify_cert_error_string(verdict);
  return Handshake::kRefused;
}

ssize_t TlsStream::Read(char* to, size_t room) {
  if (is_broken_) return FailWith(link_.error);
  link_.is_drained = false;
  size_t total = 0;
  while (total < room) {
    size_t count = 0;
    if (SSL_read_ex(ssl_.get(), to + total, room - total, &count) != 1) {
      OnReadRefused();
      if (total > 0) break;
      if (is_broken_) return FailWith(link_.error);
      return is_ending_ ? 0 : FailWith(EAGAIN);
    }
    total += count;
    if (link_.is_drained && SSL_has_pending(ssl_.get()) == 0) break;
  }
  return static_cast<ssize_t>(total);
}

void TlsStream::OnReadRefused() {
  if (WaitsToRead(ssl_.get())) return;
  if (WaitsToWrite(ssl_.get())) {
    needs_to_write_ = true;
    return;
  }
  // A peer that gives up in anger counts as having shut down, too, but leaves an error.
  if ((SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0 && ERR_peek_error() == 0) {
    is_ending_ = true;
    return;
  }
  ERR_clear_error();
  is_broken_ = is_ending_ = true;
  if (link_.error == 0) link_.error = EPROTO;
}

ssize_t TlsStream::Write(std::string_view bytes) {
  if (is_broken_) return FailWith(link_.error);
  size_t count = 0;
  if (SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count) == 1) return static_cast<ssize_t>(count);
  if (WaitsToWrite(ssl_.get())) return FailWith(EAGAIN);
  ERR_clear_error();
  is_broken_ = is_ending_ = true;
  if (link_.error == 0) link_.error = EPROTO;
  return FailWith(link_.error);
}

void TlsStream::SayGoodbye() {
  if (!is_established_ || is_broken_ || std::exchange(has_said_goodbye_, true)) return;
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

}  // namespace armature::net
