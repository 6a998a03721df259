#include "net/connection.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/log.h"

namespace armature::net {
namespace {

// A connection that keeps the loop busy longer than this lets the others have their turn.
constexpr int kReceivesPerTurn = 16;
constexpr int64_t kLingerMillis = 2'000;
// How long a reader may take nothing while the server stops.
constexpr int64_t kDrainStallMillis = 2'000;
// Registered once per connection: TCP reports EPOLLOUT edges only after a write has been refused.
constexpr uint32_t kEvents = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;

// Memory may be what has run out; a log line is not worth the process.
void LogFailure(const char* what) noexcept {
  try {
    LogError("a request failed with an exception: {}", what);
  } catch (...) {}
}

}  // namespace

Connection::Connection(ConnectionContext& context, int fd, const sockaddr_in6& peer)
    : MemoryHolder(context.reactor), context_(context), fd_(fd), peer_(peer) {
  next_ = context_.connections;
  if (next_ != nullptr) next_->previous_ = this;
  context_.connections = this;
  context_.connection_count.fetch_add(1, std::memory_order_relaxed);
}

Connection::~Connection() {
  ReleaseInput();
  ReleaseOutput();
  ReleaseExchange();
  Account();
}

bool Connection::Open() {
  if (Status status = context_.reactor.Add(fd_, kEvents, *this); !status.ok()) {
    LogWarn("{}", status.message());
    Close();
    return false;
  }
  SetDeadline(context_.reactor.now_millis() + context_.options.idle_timeout_millis);
  return true;
}

void Connection::OnEvents(uint32_t events) {
  if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) may_read_ = true;
  if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) peer_finished_ = true;
  if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) write_blocked_ = false;
  Advance();
}

void Connection::Advance() {
  if (phase_ == Phase::kClosed || write_blocked_) return;
  if (phase_ == Phase::kLinger) return Linger();
  try {
    if (HasOutput() && !Flush()) return;
    ServeBuffered();
    if (phase_ == Phase::kClosed || write_blocked_) return;
    if (HasOutput() && !Flush()) return;
  } catch (const std::bad_alloc&) {
    // Not even a buffer could be had: this client is given up, the others may be luckier.
    LogFailure("out of memory; connection closed");
    return Close();
  }
  if (phase_ == Phase::kGoodbye) return AfterGoodbye();
  Settle();
}

// Serves requests until bytes run out, one waits for its handler, or the client must read first.
void Connection::ServeBuffered() {
  int receives = 0;
  while (phase_ == Phase::kHead || phase_ == Phase::kBody) {
    const Progress progress = TakeRequest();
    if (progress == Progress::kStopped) return;
    if (progress == Progress::kDispatched) {
      // A large answer, or many small ones, go out before the next request is looked at.
      if (!body_pending_.empty() || out_.size() >= BufferPool::kBufferBytes / 2) {
        if (!Flush()) return;
      }
      continue;
    }
    if (at_end_) {
      phase_ = Phase::kGoodbye;
      return;
    }
    if (!may_read_) return;
    // Answers to what came before must not wait for a client that sends without end.
    if (++receives > kReceivesPerTurn) {
      context_.reactor.Rearm(fd_, kEvents, *this);
      return;
    }
    if (!Receive()) return;
  }
}

bool Connection::Receive() {
  if (!MakeRoom()) return false;
  const size_t room = in_.free_bytes();
  const ssize_t count = recv(fd_, in_.free_space(), room, 0);
  if (count > 0) {
    in_.Commit(static_cast<size_t>(count));
    context_.stats.memory.NoteProgress(*this, static_cast<size_t>(count), context_.reactor.now_millis());
    // A short read has emptied the socket, so the next edge will tell; no second call to be sure.
    if (static_cast<size_t>(count) < room && !peer_finished_) may_read_ = false;
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
  Close();
  return false;
}

Connection::Progress Connection::TakeRequest() {
  if (in_.empty()) return Progress::kNeedMore;
  if (phase_ == Phase::kHead) return TakeHead();
  return framing_.is_chunked ? TakeChunks() : TakeBody();
}

Connection::Progress Connection::TakeHead() {
  // A head that trickles in is parsed again only when a line was completed, or is too long.
  if (head_seen_ != 0 && in_.size() <= context_.head_limits.max_request_line_bytes &&
      std::memchr(in_.data() + head_seen_, '\n', in_.size() - head_seen_) == nullptr) {
    head_seen_ = in_.size();
    return Progress::kNeedMore;
  }
  TakeExchange();
  const HeadResult result = ParseHead(in_.view(), context_.head_limits, exchange_->request_, framing_);
  if (result.state == ParseState::kError) return Fail(result.status);
  if (result.state == ParseState::kNeedMore) {
    head_seen_ = in_.size();
    ReleaseExchange();
    return Progress::kNeedMore;
  }
  head_seen_ = 0;
  if (framing_.content_length > context_.options.max_body_bytes) return Fail(413);
  if (!framing_.is_chunked && in_.size() - framing_.head_bytes >= framing_.content_length)
    return HandUp(framing_.head_bytes + framing_.content_length);
  ReleaseExchange();
  phase_ = Phase::kBody;
  chunks_ = ChunkedDecoder();
  body_bytes_ = 0;
  if (framing_.expects_continue && in_.size() == framing_.head_bytes) SendContinue();
  return framing_.is_chunked ? TakeChunks() : Progress::kNeedMore;
}

void Connection::SendContinue() {
  ReserveOutput();
  out_.Append(kContinueLine);
}

// The head is parsed a second time: its views may have moved with the buffer since.
Connection::Progress Connection::TakeBody() {
  const size_t request_bytes = framing_.head_bytes + framing_.content_length;
  if (in_.size() < request_bytes) return Progress::kNeedMore;
  TakeExchange();
  ParseHead(in_.view(), context_.head_limits, exchange_->request_, framing_);
  return HandUp(request_bytes);
}

Connection::Progress Connection::TakeChunks() {
  const size_t decoded_end = framing_.head_bytes + body_bytes_;
  const size_t raw_bytes = in_.size() - decoded_end;
  char* const raw = in_.data() + decoded_end;
  const ChunkedDecoder::Step step =
      chunks_.Decode(raw, raw, raw_bytes, context_.options.max_body_bytes, context_.head_limits.max_header_bytes);
  if (step.state == ParseState::kError) return Fail(step.status);
  body_bytes_ += step.produced;
  // Close the gap that the chunk lines left, so that the buffer holds body bytes and no overhead.
  const size_t rest = raw_bytes - step.consumed;
  if (rest > 0) std::memmove(raw + step.produced, raw + step.consumed, rest);
  in_.Truncate(framing_.head_bytes + body_bytes_ + rest);
  if (step.state == ParseState::kNeedMore) return Progress::kNeedMore;
  const size_t body_bytes = body_bytes_;
  TakeExchange();
  ParseHead(in_.view(), context_.head_limits, exchange_->request_, framing_);
  return HandUp(framing_.head_bytes + body_bytes);
}

Connection::Progress Connection::Fail(int status) {
  if (status == 400 || status == 413 || status == 417 || status == 501 || status == 505)
    context_.counters.malformed.Add();
  ReserveOutput();
  context_.writer.RenderOwn(status, false, false, context_.reactor.now_millis(), out_);
  ReleaseExchange();
  ReleaseInput();
  phase_ = Phase::kGoodbye;
  must_linger_ = true;
  Account();
  return Progress::kStopped;
}

void Connection::Dispatch(size_t request_bytes) {
  request_bytes_ = request_bytes;
  has_partial_request_ = false;
  context_.counters.requests.Add();
  const bool keep_alive = framing_.keep_alive && !context_.is_draining;
  if (MustShed()) {
    context_.counters.shed.Add();
    ReserveOutput();
    context_.writer.RenderOwn(503, keep_alive, exchange_->request_.method == Method::kHead,
                              context_.reactor.now_millis(), out_);
    ReleaseExchange();
    return FinishRequest(keep_alive);
  }
  exchange_->request_.body = {in_.data() + framing_.head_bytes, request_bytes - framing_.head_bytes};
  phase_ = Phase::kAnswer;
  is_starting_handler_ = true;
  try {
    RunHandler();
  } catch (const std::bad_alloc&) {  // no memory for the coroutine itself
    handler_failed_ = true;
    phase_ = Phase::kHead;
  }
  is_starting_handler_ = false;
  if (phase_ != Phase::kAnswer) Answer();
  else Account();
}

// The root of a request's coroutines. Whatever a handler throws ends here.
async_detail::Detached Connection::RunHandler() {
  handler_failed_ = false;
  try {
    co_await context_.handler.Handle(*exchange_);
  } catch (const std::exception& error) {
    handler_failed_ = true;
    LogFailure(error.what());
  } catch (...) {
    handler_failed_ = true;
    LogFailure("unknown");
  }
  if (is_starting_handler_) phase_ = Phase::kHead;
  else OnHandlerDone();
}

// A suspended handler has finished, on our reactor's thread. Last thing in its coroutine: `this` may go.
void Connection::OnHandlerDone() {
  if (fd_ < 0) {
    phase_ = Phase::kClosed;
    context_.reactor.DeleteLater(this);
    return;
  }
  phase_ = Phase::kHead;
  try {
    Answer();
    if (write_blocked_) Account();  // until now it waited for us, from now on for its client
  } catch (const std::bad_alloc&) { return Close(); }
  Advance();
}

void Connection::Answer() {
  HttpResponse& response = exchange_->response_;
  const bool keep_alive = framing_.keep_alive && !context_.is_draining && !response.close_connection;
  const bool is_head = exchange_->request_.method == Method::kHead;
  ReserveOutput();
  if (handler_failed_) {
    context_.counters.failed.Add();
    context_.writer.RenderOwn(500, keep_alive, is_head, context_.reactor.now_millis(), out_);
    ReleaseExchange();
  } else {
    context_.writer.RenderHead(response, keep_alive, context_.reactor.now_millis(), out_);
    if (is_head || response.body.empty()) {
      ReleaseExchange();
    } else if (response.body.size() <= out_.free_bytes()) {
      out_.Append(response.body);
      ReleaseExchange();
    } else {
      body_pending_ = response.body;  // written from where it lies; the exchange stays until then
      exchange_->arena_.Reset();
      exchange_->extra_bytes_ = 0;
    }
  }
  FinishRequest(keep_alive);
}

void Connection::FinishRequest(bool keep_alive) {
  in_.Consume(request_bytes_);
  if (in_.empty()) ReleaseInput();
  phase_ = keep_alive ? Phase::kHead : Phase::kGoodbye;
  // Closing on unread bytes would reset the connection and could destroy our answer on its way.
  if (!keep_alive) must_linger_ = !in_.empty() || may_read_;
}

bool Connection::Flush() {
  while (HasOutput()) {
    ssize_t sent = 0;
    if (body_pending_.empty()) {
      sent = send(fd_, out_.data(), out_.size(), MSG_NOSIGNAL);
    } else {
      iovec parts[2] = {{out_.data(), out_.size()}, {const_cast<char*>(body_pending_.data()), body_pending_.size()}};
      msghdr message{};
      message.msg_iov = parts;
      message.msg_iovlen = 2;
      sent = sendmsg(fd_, &message, MSG_NOSIGNAL);
    }
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) {
        Close();
        return false;
      }
      write_blocked_ = true;
      Account();
      SetDeadline(context_.reactor.now_millis() +
                  (context_.is_draining ? kDrainStallMillis : context_.options.write_stall_timeout_millis));
      return false;
    }
    context_.stats.memory.NoteProgress(*this, static_cast<size_t>(sent), context_.reactor.now_millis());
    const size_t from_head = std::min(static_cast<size_t>(sent), out_.size());
    out_.Consume(from_head);
    body_pending_.remove_prefix(static_cast<size_t>(sent) - from_head);
  }
  ReleaseOutput();
  // A large answer was written out of its exchange. (In kAnswer the exchange is the next request's.)
  if (phase_ != Phase::kAnswer) ReleaseExchange();
  Account();
  return true;
}

void Connection::AfterGoodbye() {
  if (!must_linger_ || at_end_) return Close();
  shutdown(fd_, SHUT_WR);
  ReleaseInput();
  phase_ = Phase::kLinger;
  deadline_millis_ = TimerWheel::kNever;
  SetDeadline(context_.reactor.now_millis() + kLingerMillis);
  may_read_ = true;
  Linger();
}

void Connection::Linger() {
  for (int receives = 0; may_read_; ++receives) {
    if (receives == kReceivesPerTurn) return context_.reactor.Rearm(fd_, kEvents, *this);
    char discarded[16 * 1024];
    const ssize_t count = recv(fd_, discarded, sizeof(discarded), 0);
    if (count > 0 || (count < 0 && errno == EINTR)) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      may_read_ = false;
      return;
    }
    return Close();
  }
}

void Connection::Close() {
  if (fd_ < 0) return;
  Unlink();
  if (previous_ != nullptr) previous_->next_ = next_;
  else context_.connections = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  context_.connection_count.fetch_sub(1, std::memory_order_relaxed);
  context_.stats.connections.fetch_sub(1, std::memory_order_relaxed);
  // Closing alone would leave it watched for as long as a process being started (a trigger's handler) still has a copy.
  context_.reactor.Remove(fd_);
  close(std::exchange(fd_, -1));
  body_pending_ = {};
  if (is_waiting_for_room_) context_.room.Remove(*this);
  // A request in flight keeps the object until its handler has finished.
  if (phase_ != Phase::kAnswer) {
    phase_ = Phase::kClosed;
    context_.reactor.DeleteLater(this);
  }
  context_.on_connection_gone();
}

// The end of a turn: memory is given back and the right clock is set running.
void Connection::Settle() {
  if (phase_ == Phase::kAnswer) {
    deadline_millis_ = TimerWheel::kNever;
    return;
  }
  const int64_t now = context_.reactor.now_millis();
  if (in_.empty()) ReleaseInput();
  Account();
  if (in_.empty()) {
    if (context_.is_draining) return Close();
    return SetDeadline(now + context_.options.idle_timeout_millis);
  }
  if (!has_partial_request_) {
    has_partial_request_ = true;
    request_start_millis_ = now;
  }
  const auto received = static_cast<int64_t>(in_.size());
  int64_t due = request_start_millis_ + context_.options.request_timeout_millis +
                received * 1000 / std::max<int64_t>(1, context_.options.min_bytes_per_second);
  // Who stops waits for requests that are executed, not for such as may never come.
  if (context_.is_draining && !is_waiting_for_room_) due = std::min(due, context_.drain_until_millis);
  SetDeadline(due);
}

void Connection::OnTimer(int64_t now_millis) {
  if (deadline_millis_ == TimerWheel::kNever) return;
  if (now_millis < deadline_millis_) return context_.reactor.Schedule(*this, deadline_millis_);
  deadline_millis_ = TimerWheel::kNever;
  if (IsIdle() || phase_ == Phase::kLinger) return Close();
  if (context_.is_draining && !is_waiting_for_room_) return Close();
  context_.counters.timed_out.Add();
  // Nothing can be told to a client that does not read.
  if (HasOutput()) return Close();
  Fail(is_waiting_for_room_ ? 503 : 408);
  Advance();
}

// Moving a deadline later costs one store: the timer finds out when it fires.
void Connection::SetDeadline(int64_t due_millis) {
  deadline_millis_ = due_millis;
  if (!is_scheduled() || this->due_millis() > due_millis) context_.reactor.Schedule(*this, due_millis);
}

void Connection::Refuse() {
  may_read_ = false;
  Fail(503);
  Advance();
}

void Connection::Drain() {
  if (phase_ == Phase::kLinger || phase_ == Phase::kAnswer) return;
  // A request may already lie in the socket: one last look before an idle connection is closed.
  may_read_ = true;
  if (write_blocked_) return SetDeadline(context_.reactor.now_millis() + kDrainStallMillis);
  Advance();
}

bool Connection::Abort() {
  const bool was_in_flight = phase_ == Phase::kAnswer;
  Close();
  return was_in_flight;
}

}  // namespace armature::net
