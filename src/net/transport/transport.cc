#include "net/transport/transport.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/log.h"
#include "net/tls/tls_stream.h"

namespace armature::net {
namespace {

// A transport that keeps the loop busy longer than this lets the others have their turn.
constexpr int kReceivesPerTurn = 16;
constexpr int64_t kLingerMillis = 2'000;
// How long a reader may take nothing while the server stops.
constexpr int64_t kDrainStallMillis = 2'000;
// Registered once per socket: TCP reports EPOLLOUT edges only after a write has been refused.
constexpr uint32_t kEvents = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;

int64_t After(int64_t now_millis, int64_t millis) {
  return millis >= TimerWheel::kNever - now_millis ? TimerWheel::kNever : now_millis + millis;
}

// Memory may be what has run out; a log line is not worth the process.
void LogGivenUp() noexcept {
  try {
    LogError("out of memory; a connection is closed");
  } catch (...) {}
}

}  // namespace

Transport::Transport(TransportContext& context, int fd, const sockaddr_in6& peer)
    : MemoryHolder(context.reactor),
      context_(context),
      fd_(fd),
      idle_timeout_millis_(context.limits.idle_timeout_millis),
      peer_{.address = peer} {
  next_ = context_.transports;
  if (next_ != nullptr) next_->previous_ = this;
  context_.transports = this;
  context_.open_count.fetch_add(1, std::memory_order_relaxed);
}

// The session goes last: it may keep alive what the context is a part of.
Transport::~Transport() {
  ReleaseInput();
  ReleaseOutput();
  context_.memory.HoldForClient(*this, 0, now_millis());
  if (!context_.room.empty()) context_.room.Hurry();
}

bool Transport::Open(std::unique_ptr<Session> session, Link link) {
  session_ = std::move(session);
  if (link == Link::kConnecting) {
    state_ = State::kConnecting;
    is_full_duplex_ = is_connecting_ = true;
  }
  if (!Watch()) return false;
  SetDeadline(After(now_millis(), idle_timeout_millis_));
  return true;
}

bool Transport::Watch() {
  const Status status = context_.reactor.Add(fd_, kEvents, *this);
  if (status.ok()) return true;
  LogWarn("{}", status.message());
  Close(errno);
  return false;
}

// --- What happens on the socket

void Transport::OnEvents(uint32_t events) {
  if (state_ < State::kOpen) [[unlikely]]
    return OnLinkEvents(events);
  if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) may_read_ = true;
  if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) peer_finished_ = true;
  if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) write_blocked_ = false;
  Advance();
}

void Transport::OnLinkEvents(uint32_t events) {
  if (state_ == State::kHandshake) return OnHandshakeEvents(events);
  if (state_ == State::kConnecting && (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))) OnConnectEvents(events);
}

void Transport::OnConnectEvents(uint32_t events) {
  int error = 0;
  socklen_t size = sizeof(error);
  if (getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return Close(error);
  if (tls_) {
    BeginHandshake();
    return OnHandshakeEvents(events);  // it is for us to begin
  }
  state_ = State::kOpen;
  AnnounceConnection();
  Advance();
}

void Transport::AnnounceConnection() {
  if (std::exchange(is_connecting_, false)) session_->OnConnected();
}

void Transport::Advance() {
  try {
    AdvanceUnguarded();
  } catch (const std::bad_alloc&) {
    // Not even a buffer could be had: this peer is given up, the others may be luckier.
    LogGivenUp();
    Close(ENOMEM);
  }
}

// Does all that can be done now.
void Transport::AdvanceUnguarded() {
  if (state_ < State::kOpen || IsHeldUp()) return;
  if (state_ == State::kLinger) return Linger();
  if (HasOutput() && !write_blocked_ && !Flush() && !is_full_duplex_) return;
  TakeInput();
  if (state_ < State::kOpen || IsHeldUp()) return;
  if (HasOutput() && !write_blocked_ && !Flush() && !is_full_duplex_) return;
  if (state_ == State::kGoodbye) return HasOutput() ? void() : AfterGoodbye();
  Settle();
}

// Lets the session take messages until bytes run out, it is busy, or the peer must read first.
void Transport::TakeInput() {
  int receives = 0;
  while (state_ == State::kOpen && !is_busy_) {
    const Session::Progress progress = in_.empty() ? Session::Progress::kNeedMore : session_->OnInput();
    if (progress == Session::Progress::kStopped) return;
    if (progress != Session::Progress::kNeedMore) has_partial_message_ = false;
    if (progress == Session::Progress::kBusy) {
      is_busy_ = true;
      return Account();
    }
    if (progress == Session::Progress::kTook) {
      if (in_.empty()) ReleaseInput();  // not to be held while the peer takes its time to read
      // A large answer, or many small ones, go out before the next message is looked at.
      if (!lent_.empty() || out_.size() >= BufferPool::kBufferBytes / 2) {
        if (!Flush()) return;
      }
      continue;
    }
    if (at_end_) {
      session_->OnPeerFinished();
      if (state_ == State::kOpen) state_ = State::kGoodbye;
      return;
    }
    if (!may_read_) return;
    // Answers to what came before must not wait for a peer that sends without end.
    if (++receives > kReceivesPerTurn) {
      context_.reactor.Rearm(fd_, kEvents, *this);
      return;
    }
    if (!Receive()) return;
  }
}

bool Transport::Receive() {
  if (!MakeRoom()) return false;
  const size_t room = in_.free_bytes();
  const ssize_t count = ReadSome(in_.free_space(), room);
  if (count > 0) {
    in_.Commit(static_cast<size_t>(count));
    context_.memory.NoteProgress(*this, static_cast<size_t>(count), now_millis());
    // A short read has emptied the socket, so the next edge will tell; no second call to be sure.
    may_read_ = peer_finished_ | (static_cast<size_t>(count) == room);
    return true;
  }
  if (count == 0) {
    at_end_ = true;
    may_read_ = false;
    return true;
  }
  if (errno == EINTR) return true;
  if (errno == EAGAIN || errno == EWOULDBLOCK) {
    may_read_ = false;
    return true;
  }
  Close(errno);
  return false;
}

ssize_t Transport::ReadSome(char* to, size_t room) {
  if (tls_) [[unlikely]]
    return ReadTls(to, room);
  return recv(fd_, to, room, 0);
}

ssize_t Transport::WriteSome() {
  if (tls_) [[unlikely]]
    return WriteTls();
  if (lent_.empty()) return send(fd_, out_.data(), out_.size(), MSG_NOSIGNAL);
  iovec parts[2] = {{out_.data(), out_.size()}, {const_cast<char*>(lent_.data()), lent_.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  return sendmsg(fd_, &message, MSG_NOSIGNAL);
}

bool Transport::Flush() {
  while (HasOutput()) {
    const ssize_t sent = WriteSome();
    if (sent < 0) {
      if (errno == EINTR) continue;
      return OnWriteError(errno);
    }
    context_.memory.NoteProgress(*this, static_cast<size_t>(sent), now_millis());
    const size_t from_output = std::min(static_cast<size_t>(sent), out_.size());
    out_.Consume(from_output);
    lent_.remove_prefix(static_cast<size_t>(sent) - from_output);
  }
  ReleaseOutput();
  if (std::exchange(is_lending_, false)) session_->OnSent();
  Account();
  return true;
}

bool Transport::OnWriteError(int error) {
  if (error == EAGAIN || error == EWOULDBLOCK) {
    write_blocked_ = true;
    Account();
    SetDeadline(After(now_millis(), is_draining() ? kDrainStallMillis : context_.limits.write_stall_timeout_millis));
    return false;
  }
  if (!is_full_duplex_) {
    Close(error);
    return false;
  }
  // Nobody reads our request any more; the peer may have said why. Reading on finds that, or the same error.
  ReleaseOutput();
  lent_ = {};
  is_lending_ = false;
  may_read_ = true;
  return false;
}

// --- Ends

void Transport::Finish() {
  state_ = State::kGoodbye;
  // Closing on unread bytes would reset the connection and could destroy our answer on its way.
  must_linger_ = !in_.empty() || may_read_;
}

void Transport::Reject() {
  ReleaseInput();
  state_ = State::kGoodbye;
  must_linger_ = true;
  Account();
}

void Transport::Dismiss(GiveUp why) {
  try {
    session_->OnGivenUp(why);
  } catch (const std::bad_alloc&) { return Close(ENOMEM); }
  if (state_ == State::kOpen) Reject();
}

void Transport::AfterGoodbye() {
  if (!must_linger_ || at_end_) return Close();
  if (tls_) tls_->SayGoodbye();
  shutdown(fd_, SHUT_WR);
  ReleaseInput();
  state_ = State::kLinger;
  deadline_millis_ = TimerWheel::kNever;
  SetDeadline(now_millis() + kLingerMillis);
  may_read_ = true;
  Linger();
}

void Transport::Linger() {
  for (int receives = 0; may_read_; ++receives) {
    if (receives == kReceivesPerTurn) return context_.reactor.Rearm(fd_, kEvents, *this);
    char discarded[16 * 1024];
    const ssize_t count = recv(fd_, discarded, sizeof(discarded), 0);  // not worth decrypting
    if (count > 0 || (count < 0 && errno == EINTR)) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      may_read_ = false;
      return;
    }
    return Close();
  }
}

void Transport::Close(int error) {
  if (fd_ < 0) return;
  // An answer cut short must not look like the end of what we had to say.
  if (tls_ && error == 0 && !HasOutput()) tls_->SayGoodbye();
  Unlink();
  if (previous_ != nullptr) previous_->next_ = next_;
  else context_.transports = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  context_.open_count.fetch_sub(1, std::memory_order_relaxed);
  // Closing alone would leave it watched for as long as a process being started (a trigger's handler) still has a copy.
  context_.reactor.Remove(fd_);
  close(std::exchange(fd_, -1));
  state_ = State::kClosed;
  lent_ = {};
  if (is_waiting_for_room_) context_.room.Remove(*this);
  if (session_) session_->OnClosed(error);
  // A busy session keeps the object until it is not.
  if (!is_busy_) context_.reactor.DeleteLater(this);
  if (context_.on_gone) context_.on_gone(peer_);
}

void Transport::Refuse() {
  if (state_ == State::kHandshake) {
    is_refused_ = true;
    return;
  }
  may_read_ = false;
  Dismiss(GiveUp::kRefused);
  Advance();
}

void Transport::Drain() {
  if (state_ == State::kLinger || is_busy_) return;
  if (state_ == State::kHandshake) return SetDeadline(std::min(deadline_millis_, context_.drain_until_millis));
  // A message may already lie in the socket: one last look before an idle connection is closed.
  may_read_ = true;
  if (write_blocked_) return SetDeadline(now_millis() + kDrainStallMillis);
  Advance();
}

bool Transport::Abort() {
  const bool was_busy = is_busy_;
  Close();
  return was_busy;
}

// --- The session's calls

void Transport::SendFrom(std::string_view bytes) {
  lent_ = bytes;
  is_lending_ = true;
}

void Transport::Resume() {
  is_busy_ = false;
  if (state_ == State::kClosed) return context_.reactor.DeleteLater(this);
  if (in_.empty()) ReleaseInput();
  if (write_blocked_) Account();  // until now it waited for us, from now on for its peer
  Advance();
}

// --- Time

// The end of a turn: memory is given back and the right clock is set running.
void Transport::Settle() {
  if (is_busy_) {
    deadline_millis_ = TimerWheel::kNever;
    return;
  }
  const int64_t now = now_millis();
  if (in_.empty()) ReleaseInput();
  Account();
  if (write_blocked_) return;
  if (in_.empty()) {
    if (context_.is_draining) return Close();
    return SetDeadline(After(now, idle_timeout_millis_));
  }
  if (!has_partial_message_) {
    has_partial_message_ = true;
    message_start_millis_ = now;
  }
  const auto received = static_cast<int64_t>(in_.size());
  int64_t due = After(message_start_millis_, context_.limits.message_timeout_millis);
  due = After(due, received * 1000 / std::max<int64_t>(1, context_.limits.min_bytes_per_second));
  // Who stops waits for messages that are worked on, not for such as may never come.
  if (context_.is_draining && !is_waiting_for_room_) due = std::min(due, context_.drain_until_millis);
  SetDeadline(due);
}

void Transport::OnTimer(int64_t now_millis) {
  if (deadline_millis_ == TimerWheel::kNever) return;
  if (now_millis < deadline_millis_) return context_.reactor.Schedule(*this, deadline_millis_);
  deadline_millis_ = TimerWheel::kNever;
  if (IsIdle() || state_ == State::kLinger) return Close();
  if (state_ == State::kHandshake) return OnHandshakeTimer();
  if (context_.is_draining && !is_waiting_for_room_) return Close();
  context_.counters.timed_out.Add();
  // Nothing can be told to a peer that does not read.
  if (HasOutput()) return Close(ETIMEDOUT);
  Dismiss(is_waiting_for_room_ ? GiveUp::kWaitedInVain : GiveUp::kTooSlow);
  Advance();
}

// Moving a deadline later costs one store: the timer finds out when it fires.
void Transport::SetDeadline(int64_t due_millis) {
  deadline_millis_ = due_millis;
  if (due_millis == TimerWheel::kNever) return;
  if (!is_scheduled() || this->due_millis() > due_millis) context_.reactor.Schedule(*this, due_millis);
}

}  // namespace armature::net
