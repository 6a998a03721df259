// What a transport does for TLS: the handshake before its session hears of anything, and bytes through the stream.
#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include <sys/epoll.h>

#include "net/tls/tls_stream.h"
#include "net/transport/transport.h"

namespace armature::net {

bool Transport::OpenTls(std::unique_ptr<Session> session, std::unique_ptr<TlsStream> tls, Link link) {
  tls_ = std::move(tls);
  peer_.is_secure = true;
  if (link == Link::kConnecting) return Open(std::move(session), link);
  session_ = std::move(session);
  if (!Watch()) return false;
  BeginHandshake();
  return true;
}

// A peer has as long for it as for a message. What OpenSSL takes for it counts as held for the peer: who stops in the
// middle goes first when memory is short.
void Transport::BeginHandshake() {
  state_ = State::kHandshake;
  const int64_t now = now_millis();
  const int64_t limit = context_.limits.message_timeout_millis;
  int64_t due = limit >= TimerWheel::kNever - now ? TimerWheel::kNever : now + limit;
  if (context_.is_draining) due = std::min(due, context_.drain_until_millis);
  SetDeadline(due);
  context_.memory.HoldForClient(*this, TlsStream::kHandshakeBytes, now);
}

void Transport::OnHandshakeEvents(uint32_t events) {
  if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) {
    peer_finished_ = true;
    tls_->OnPeerFinished();
  }
  try {
    AdvanceHandshake();
  } catch (const std::bad_alloc&) { Close(ENOMEM); }
}

void Transport::AdvanceHandshake() {
  switch (tls_->Advance()) {
    case TlsStream::Handshake::kWaits: return;
    case TlsStream::Handshake::kLost: return Close(ECONNRESET);
    case TlsStream::Handshake::kDone: break;
    case TlsStream::Handshake::kRefused:
      if (is_connecting_) return Close(EPROTO);
      state_ = State::kOpen;
      Reject();
      return Advance();
    case TlsStream::Handshake::kPlainText:
      // Its request is lost in OpenSSL, but the peer can be told, in its own way.
      tls_.reset();
      peer_.is_secure = false;
      state_ = State::kOpen;
      Dismiss(GiveUp::kNotSecure);
      return Advance();
  }
  state_ = State::kOpen;
  may_read_ = true;  // the first message may lie in the stream already
  write_blocked_ = false;
  Account();
  if (is_refused_) return Refuse();
  AnnounceConnection();
  Advance();
}

std::string_view Transport::tls_problem() const {
  return tls_ ? std::string_view(tls_->problem()) : std::string_view();
}

void Transport::OnHandshakeTimer() {
  if (!context_.is_draining) context_.counters.timed_out.Add();
  Close(ETIMEDOUT);
}

// In the manner of recv, so that what is made of its answer is the same.
ssize_t Transport::ReadTls(char* to, size_t room) {
  const ssize_t count = tls_->Read(to, room);
  const int error = errno;
  if (tls_->is_ending()) peer_finished_ = true;  // read on until the end, which no event announces
  if (tls_->needs_to_write()) BeginHandshake();
  errno = error;
  return count;
}

ssize_t Transport::WriteTls() { return tls_->Write(out_.empty() ? lent_ : out_.view()); }

}  // namespace armature::net
