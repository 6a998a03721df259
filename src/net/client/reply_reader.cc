#include "net/client/reply_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "net/header_lines.h"

namespace armature::net {
namespace {

// Room beyond the body limit for chunk lines not yet undone.
constexpr size_t kChunkSlackBytes = 64 * 1024;
// A server that has more to say before its reply says it to somebody else.
constexpr int kMaxInterimReplies = 16;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// One pass over a head.
class ReplyHeadParser {
 public:
  ReplyHeadParser(std::string_view bytes, const ReplyLimits& limits, HttpReply& reply, ReplyFraming& framing)
      : start_(bytes.data()),
        p_(bytes.data()),
        end_(bytes.data() + bytes.size()),
        limits_(limits),
        reply_(reply),
        framing_(framing) {}

  ParseState Run() {
    reply_ = HttpReply();
    framing_ = ReplyFraming();
    if (const ParseState state = StatusLine(); state != ParseState::kComplete) return state;
    if (const ParseState state = Headers(); state != ParseState::kComplete) return state;
    if (says_close_) framing_.keep_alive = false;
    if (framing_.is_chunked && (framing_.has_length || is_http10_)) return ParseState::kError;
    framing_.head_bytes = static_cast<size_t>(p_ - start_);
    return ParseState::kComplete;
  }

 private:
  // "HTTP/1.1 200 OK": the reason may be empty, and the blank before it may be missing then.
  ParseState StatusLine() {
    static constexpr std::string_view kForm = "HTTP/1.d ddd";
    const char* const limit = Limit(limits_.max_status_line_bytes);
    for (const char form : kForm) {
      if (p_ == limit) return OutOfBytes(limit);
      if (form == 'd' ? !IsDigit(*p_) : *p_ != form) return ParseState::kError;
      ++p_;
    }
    is_http10_ = start_[7] == '0';
    framing_.keep_alive = !is_http10_;
    reply_.status = (start_[9] - '0') * 100 + (start_[10] - '0') * 10 + (start_[11] - '0');
    if (reply_.status < 100 || reply_.status > 599) return ParseState::kError;
    const char* const reason = p_;
    while (true) {
      p_ = FindControl(p_, limit);
      if (p_ == limit) return OutOfBytes(limit);
      if (*p_ != '\t') break;
      ++p_;
    }
    if (limit - p_ < 2) return *p_ == '\r' ? OutOfBytes(limit) : ParseState::kError;
    if (p_[0] != '\r' || p_[1] != '\n') return ParseState::kError;
    reply_.reason = {reason, static_cast<size_t>(p_ - reason)};
    if (!reply_.reason.empty() && reply_.reason.front() != ' ') return ParseState::kError;
    if (!reply_.reason.empty()) reply_.reason.remove_prefix(1);
    p_ += 2;
    return ParseState::kComplete;
  }

  ParseState Headers() {
    const char* const limit = Limit(limits_.max_header_bytes);
    while (true) {
      if (p_ == limit) return OutOfBytes(limit);
      if (*p_ == '\r') {
        if (limit - p_ < 2) return OutOfBytes(limit);
        if (p_[1] != '\n') return ParseState::kError;
        p_ += 2;
        return ParseState::kComplete;
      }
      Header header;
      const ParseState state = ParseHeaderLine(p_, limit, header);
      if (state == ParseState::kNeedMore) return OutOfBytes(limit);
      if (state == ParseState::kError || !Note(header)) return ParseState::kError;
      reply_.headers.push_back(header);
    }
  }

  // The few headers that say where the reply ends and what becomes of the connection. False: they contradict.
  bool Note(const Header& header) {
    if (EqualsIgnoreCase(header.name, "content-length")) {
      uint64_t length = 0;
      if (!ParseContentLength(header.value, length)) return false;
      if (framing_.has_length && length != framing_.content_length) return false;
      framing_.has_length = true;
      framing_.content_length = length;
    } else if (EqualsIgnoreCase(header.name, "transfer-encoding")) {
      // We offer no other coding, so none can be meant for us.
      if (framing_.is_chunked || !EqualsIgnoreCase(header.value, "chunked")) return false;
      framing_.is_chunked = true;
    } else if (EqualsIgnoreCase(header.name, "connection")) {
      ForEachElement(header.value, [&](std::string_view option) {
        if (EqualsIgnoreCase(option, "close")) says_close_ = true;
        if (EqualsIgnoreCase(option, "keep-alive")) framing_.keep_alive = true;
      });
    }
    return true;
  }

  const char* Limit(size_t max_bytes) const {
    return static_cast<size_t>(end_ - p_) > max_bytes ? p_ + max_bytes : end_;
  }
  // The bytes ended (more may come) or the limit was reached.
  ParseState OutOfBytes(const char* limit) const { return limit == end_ ? ParseState::kNeedMore : ParseState::kError; }

  const char* const start_;
  const char* p_;
  const char* const end_;
  const ReplyLimits& limits_;
  HttpReply& reply_;
  ReplyFraming& framing_;
  bool is_http10_ = false;
  bool says_close_ = false;
};

}  // namespace

ParseState ParseReplyHead(std::string_view bytes, const ReplyLimits& limits, HttpReply& reply, ReplyFraming& framing) {
  return ReplyHeadParser(bytes, limits, reply, framing).Run();
}

ParseState ReplyReader::Read(Buffer& in) {
  while (phase_ == Phase::kHead) {
    const ParseState state = ReadHead(in);
    if (state != ParseState::kComplete) return state;
  }
  return phase_ == Phase::kBody ? ReadBody(in) : ParseState::kComplete;
}

ParseState ReplyReader::ReadEnd(Buffer& in) {
  const ParseState state = Read(in);
  if (state != ParseState::kNeedMore) return state;
  if (phase_ == Phase::kBody && body_ == Body::kToEnd) return Complete(in.size() - framing_.head_bytes);
  return Fail("the reply ends early");
}

// One head, interim or final.
ParseState ReplyReader::ReadHead(Buffer& in) {
  // A head that trickles in is parsed again only when a line was completed, or is too long.
  if (head_seen_ != 0 && in.size() <= limits_.max_status_line_bytes &&
      std::memchr(in.data() + head_seen_, '\n', in.size() - head_seen_) == nullptr) {
    head_seen_ = in.size();
    return ParseState::kNeedMore;
  }
  HttpReply reply;
  const ParseState state = ParseReplyHead(in.view(), limits_, reply, framing_);
  if (state == ParseState::kError) return Fail("the reply is not acceptable HTTP");
  if (state == ParseState::kNeedMore) {
    head_seen_ = in.size();
    return state;
  }
  head_seen_ = 0;
  if (reply.status < 200) {
    if (reply.status == 101) return Fail("the reply changes the protocol, which was not asked for");
    if (++interim_count_ > kMaxInterimReplies) return Fail("the reply has no end of interim ones before it");
    in.Consume(framing_.head_bytes);
    return ParseState::kComplete;
  }
  body_ = BodyOf(reply.status);
  if (body_ == Body::kLength && framing_.content_length > limits_.max_body_bytes) return Fail("the reply is too long");
  phase_ = Phase::kBody;
  return ParseState::kComplete;
}

ReplyReader::Body ReplyReader::BodyOf(int status) const {
  if (is_to_head_ || status == 204 || status == 304) return Body::kNone;
  if (framing_.is_chunked) return Body::kChunks;
  return framing_.has_length ? Body::kLength : Body::kToEnd;
}

ParseState ReplyReader::ReadBody(Buffer& in) {
  const size_t come = in.size() - framing_.head_bytes;
  switch (body_) {
    case Body::kNone: return Complete(0);
    case Body::kLength:
      return come < framing_.content_length ? ParseState::kNeedMore : Complete(framing_.content_length);
    case Body::kToEnd: return come > limits_.max_body_bytes ? Fail("the reply is too long") : ParseState::kNeedMore;
    case Body::kChunks: return ReadChunks(in);
  }
  return Fail("never");
}

ParseState ReplyReader::ReadChunks(Buffer& in) {
  const size_t decoded_end = framing_.head_bytes + body_bytes_;
  const size_t raw_bytes = in.size() - decoded_end;
  char* const raw = in.data() + decoded_end;
  const ChunkedDecoder::Step step =
      chunks_.Decode(raw, raw, raw_bytes, limits_.max_body_bytes, limits_.max_header_bytes);
  if (step.state == ParseState::kError)
    return Fail(step.status == 413 ? "the reply is too long" : "the reply's chunks are malformed");
  body_bytes_ += step.produced;
  // Close the gap that the chunk lines left, so that the buffer holds body bytes and no overhead.
  const size_t rest = raw_bytes - step.consumed;
  if (rest > 0) std::memmove(raw + step.produced, raw + step.consumed, rest);
  in.Truncate(framing_.head_bytes + body_bytes_ + rest);
  return step.state == ParseState::kComplete ? Complete(body_bytes_) : ParseState::kNeedMore;
}

ParseState ReplyReader::Complete(size_t body_bytes) {
  body_bytes_ = body_bytes;
  phase_ = Phase::kComplete;
  return ParseState::kComplete;
}

ParseState ReplyReader::Fail(std::string_view error) {
  error_ = error;
  return ParseState::kError;
}

// What comes behind a reply nobody has asked for: whose would it be?
bool ReplyReader::CanReuse(const Buffer& in) const {
  return framing_.keep_alive && body_ != Body::kToEnd && in.size() == framing_.head_bytes + body_bytes_;
}

HttpReply ReplyReader::Take(Buffer& in) {
  // Parsed once more: its views may have moved with the buffer since.
  HttpReply reply;
  ReplyFraming framing;
  ParseReplyHead(in.view(), limits_, reply, framing);
  reply.body = in.view().substr(framing.head_bytes, body_bytes_);
  reply.bytes = std::move(in);
  return reply;
}

size_t ReplyReader::MaxInputBytes() const {
  if (phase_ == Phase::kHead)
    return limits_.max_status_line_bytes + limits_.max_header_bytes + BufferPool::kBufferBytes;
  if (body_ == Body::kLength) return framing_.head_bytes + framing_.content_length;
  return framing_.head_bytes + limits_.max_body_bytes + kChunkSlackBytes;
}

}  // namespace armature::net
