#include "net/http_session.h"

#include <cstring>
#include <new>

#include "base/log.h"

namespace armature::net {
namespace {

// Room beyond the body limit for chunk lines not yet undone.
constexpr size_t kChunkSlackBytes = 64 * 1024;
// Requests up to this size cannot hold much while they are executed, unless they are compressed.
constexpr size_t kSmallRequestBytes = 64 * 1024;
static_assert(Buffer::kPaddingBytes >= kBodyPaddingBytes, "bodies are handed up where they lie");

// Memory may be what has run out; a log line is not worth the process.
void LogFailure(const char* what) noexcept {
  try {
    LogError("a request failed with an exception: {}", what);
  } catch (...) {}
}

}  // namespace

// --- From bytes to a request

Session::Progress HttpSession::OnInput() {
  if (phase_ == Phase::kHead) return TakeHead();
  return framing_.is_chunked ? TakeChunks() : TakeBody();
}

Session::Progress HttpSession::TakeHead() {
  Buffer& in = transport_.input();
  // A head that trickles in is parsed again only when a line was completed, or is too long.
  if (head_seen_ != 0 && in.size() <= context_.head_limits.max_request_line_bytes &&
      std::memchr(in.data() + head_seen_, '\n', in.size() - head_seen_) == nullptr) {
    head_seen_ = in.size();
    return Progress::kNeedMore;
  }
  TakeExchange();
  const HeadResult result = ParseHead(in.view(), context_.head_limits, exchange_->request_, framing_);
  if (result.state == ParseState::kError) return Fail(result.status);
  if (result.state == ParseState::kNeedMore) {
    head_seen_ = in.size();
    ReleaseExchange();
    return Progress::kNeedMore;
  }
  head_seen_ = 0;
  if (framing_.content_length > context_.max_body_bytes) return Fail(413);
  if (!framing_.is_chunked && in.size() - framing_.head_bytes >= framing_.content_length)
    return HandUp(framing_.head_bytes + framing_.content_length);
  ReleaseExchange();
  phase_ = Phase::kBody;
  chunks_ = ChunkedDecoder();
  body_bytes_ = 0;
  if (framing_.expects_continue && in.size() == framing_.head_bytes) transport_.output().Append(kContinueLine);
  return framing_.is_chunked ? TakeChunks() : Progress::kNeedMore;
}

// The head is parsed a second time: its views may have moved with the buffer since.
Session::Progress HttpSession::TakeBody() {
  const size_t request_bytes = framing_.head_bytes + framing_.content_length;
  if (transport_.input().size() < request_bytes) return Progress::kNeedMore;
  TakeExchange();
  ParseHead(transport_.input().view(), context_.head_limits, exchange_->request_, framing_);
  return HandUp(request_bytes);
}

Session::Progress HttpSession::TakeChunks() {
  Buffer& in = transport_.input();
  const size_t decoded_end = framing_.head_bytes + body_bytes_;
  const size_t raw_bytes = in.size() - decoded_end;
  char* const raw = in.data() + decoded_end;
  const ChunkedDecoder::Step step =
      chunks_.Decode(raw, raw, raw_bytes, context_.max_body_bytes, context_.head_limits.max_header_bytes);
  if (step.state == ParseState::kError) return Fail(step.status);
  body_bytes_ += step.produced;
  // Close the gap that the chunk lines left, so that the buffer holds body bytes and no overhead.
  const size_t rest = raw_bytes - step.consumed;
  if (rest > 0) std::memmove(raw + step.produced, raw + step.consumed, rest);
  in.Truncate(framing_.head_bytes + body_bytes_ + rest);
  if (step.state == ParseState::kNeedMore) return Progress::kNeedMore;
  const size_t body_bytes = body_bytes_;
  TakeExchange();
  ParseHead(in.view(), context_.head_limits, exchange_->request_, framing_);
  return HandUp(framing_.head_bytes + body_bytes);
}

Session::Progress HttpSession::Fail(int status) {
  if (status == 400 || status == 413 || status == 417 || status == 501 || status == 505)
    context_.counters.malformed.Add();
  RenderOwn(status, false, false);
  ReleaseExchange();
  transport_.Reject();
  return Progress::kStopped;
}

// --- From a request to its answer

// Requests in flight may hold many times their size. Large ones leave half of the limit to the small, so that those
// need not wait for them.
bool HttpSession::MayHandUp(size_t request_bytes) const {
  const MemoryLedger& memory = transport_.memory();
  const size_t in_flight = memory.in_flight_bytes();
  if (in_flight <= memory.limit_bytes() / 2) [[likely]]
    return true;
  if (in_flight > memory.limit_bytes()) return false;
  return request_bytes <= kSmallRequestBytes && exchange_->request_.Find("Content-Encoding") == nullptr;
}

Session::Progress HttpSession::HandUp(size_t request_bytes) {
  if (MayHandUp(request_bytes)) [[likely]]
    return Dispatch(request_bytes);
  // It lies whole in the buffer, its chunks undone, and is looked at again from there.
  framing_.is_chunked = false;
  framing_.content_length = request_bytes - framing_.head_bytes;
  ReleaseExchange();
  transport_.WaitForRoom();
  return Progress::kStopped;
}

Session::Progress HttpSession::Dispatch(size_t request_bytes) {
  request_bytes_ = request_bytes;
  context_.counters.requests.Add();
  if (transport_.MustShed()) {
    AnswerShed();
    return Progress::kTook;
  }
  exchange_->request_.body = {transport_.input().data() + framing_.head_bytes, request_bytes - framing_.head_bytes};
  phase_ = Phase::kAnswer;
  is_starting_handler_ = true;
  try {
    RunHandler();
  } catch (const std::bad_alloc&) {  // no memory for the coroutine itself
    handler_failed_ = true;
    phase_ = Phase::kHead;
  }
  is_starting_handler_ = false;
  if (phase_ == Phase::kAnswer) return Progress::kBusy;
  Answer();
  return Progress::kTook;
}

// The root of a request's coroutines. Whatever a handler throws ends here.
async_detail::Detached HttpSession::RunHandler() {
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
void HttpSession::OnHandlerDone() {
  phase_ = Phase::kHead;
  if (!transport_.is_closed()) {
    try {
      Answer();
    } catch (const std::bad_alloc&) { transport_.Close(); }
  }
  transport_.Resume();
}

void HttpSession::Answer() {
  HttpResponse& response = exchange_->response_;
  const bool keep_alive = framing_.keep_alive && !transport_.is_draining() && !response.close_connection;
  const bool is_head = exchange_->request_.method == Method::kHead;
  if (handler_failed_) {
    context_.counters.failed.Add();
    RenderOwn(500, keep_alive, is_head);
    ReleaseExchange();
  } else {
    Buffer& out = transport_.output();
    context_.writer.RenderHead(response, keep_alive, transport_.now_millis(), out);
    if (is_head || response.body.empty()) {
      ReleaseExchange();
    } else if (response.body.size() <= out.free_bytes()) {
      out.Append(response.body);
      ReleaseExchange();
    } else {
      transport_.SendFrom(response.body);  // the exchange stays until it is written
      exchange_->arena_.Reset();
      exchange_->extra_bytes_ = 0;
    }
  }
  FinishRequest(keep_alive);
}

void HttpSession::AnswerShed() {
  const bool keep_alive = framing_.keep_alive && !transport_.is_draining();
  context_.counters.shed.Add();
  RenderOwn(503, keep_alive, exchange_->request_.method == Method::kHead);
  ReleaseExchange();
  FinishRequest(keep_alive);
}

void HttpSession::FinishRequest(bool keep_alive) {
  phase_ = Phase::kHead;
  transport_.input().Consume(request_bytes_);
  if (!keep_alive) transport_.Finish();
}

void HttpSession::RenderOwn(int status, bool keep_alive, bool is_head) {
  context_.writer.RenderOwn(status, keep_alive, is_head, transport_.now_millis(), transport_.output());
}

// --- What the transport asks and tells

size_t HttpSession::MaxInputBytes() const {
  if (phase_ == Phase::kHead) {
    const HeadLimits& limits = context_.head_limits;
    return limits.max_request_line_bytes + limits.max_header_bytes + BufferPool::kBufferBytes;
  }
  const size_t body = framing_.is_chunked ? context_.max_body_bytes + kChunkSlackBytes : framing_.content_length;
  return framing_.head_bytes + body;
}

size_t HttpSession::HeldBytes() const {
  if (exchange_ == nullptr) return 0;
  if (exchange_->elsewhere_bytes_ != 0) return exchange_->elsewhere_bytes_;
  const size_t arena = exchange_->arena_.bytes_reserved();
  const size_t beyond_usual = arena > Arena::kFirstBlockBytes ? arena - Arena::kFirstBlockBytes : 0;
  return beyond_usual + exchange_->response_.body.capacity() + exchange_->extra_bytes_;
}

void HttpSession::OnGivenUp(GiveUp why) {
  if (why == GiveUp::kNoRoom) context_.counters.shed.Add();
  if (why == GiveUp::kTooLong || why == GiveUp::kNotSecure) context_.counters.malformed.Add();
  if (why == GiveUp::kNotSecure) context_.writer.RenderNeedsTls(transport_.now_millis(), transport_.output());
  else RenderOwn(why == GiveUp::kTooSlow ? 408 : why == GiveUp::kTooLong ? 413 : 503, false, false);
  ReleaseExchange();
}

void HttpSession::TakeExchange() {
  if (exchange_ != nullptr) return;
  exchange_ = context_.exchanges.Take();
  exchange_->reactor_ = &transport_.reactor();
  exchange_->peer_ = &transport_.peer();
  exchange_->note_ = &note_;
}

void HttpSession::ReleaseExchange() {
  if (exchange_ == nullptr) return;
  exchange_->response_.Clear();
  exchange_->arena_.Reset();
  exchange_->extra_bytes_ = exchange_->elsewhere_bytes_ = 0;
  context_.exchanges.Give(exchange_);
  exchange_ = nullptr;
}

}  // namespace armature::net
