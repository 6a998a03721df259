#include "net/http_parser.h"

#include <algorithm>
#include <cstring>

#include "net/header_lines.h"

namespace armature::net {
namespace {

constexpr HeadResult kNeedMore{ParseState::kNeedMore, 0};
constexpr HeadResult Error(int status) { return {ParseState::kError, status}; }

// `name` in lower case. Most headers of the same length differ in the first letter already.
bool IsNamed(const Header& header, std::string_view name) {
  return (header.name.front() | 0x20) == name.front() && EqualsIgnoreCase(header.name, name);
}

Method MethodOf(std::string_view name) {
  switch (name.size()) {
    case 3:
      if (name == "GET") return Method::kGet;
      if (name == "PUT") return Method::kPut;
      break;
    case 4:
      if (name == "POST") return Method::kPost;
      if (name == "HEAD") return Method::kHead;
      break;
    case 5:
      if (name == "PATCH") return Method::kPatch;
      break;
    case 6:
      if (name == "DELETE") return Method::kDelete;
      break;
    case 7:
      if (name == "OPTIONS") return Method::kOptions;
      break;
    default: break;
  }
  return Method::kOther;
}

// Splits the target into path and query; an absolute target loses its scheme and authority.
void SplitTarget(HttpRequest& request) {
  std::string_view rest = request.target;
  if (rest.front() != '/' && rest != "*") {
    if (const size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
      const size_t path = rest.find_first_of("/?", scheme + 3);
      rest = path == std::string_view::npos ? std::string_view("/") : rest.substr(path);
      if (rest.front() == '?') {
        request.path = "/";
        request.query = rest.substr(1);
        return;
      }
    }
  }
  const size_t question = rest.find('?');
  request.path = rest.substr(0, question);
  request.query = question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
}

// One pass over a head. Each step returns kComplete to go on, or the result to give back.
class HeadParser {
 public:
  HeadParser(std::string_view bytes, const HeadLimits& limits, HttpRequest& request, Framing& framing)
      : start_(bytes.data()),
        p_(bytes.data()),
        end_(bytes.data() + bytes.size()),
        limits_(limits),
        request_(request),
        framing_(framing) {}

  HeadResult Run() {
    request_.Clear();
    framing_ = Framing();
    if (auto result = EmptyLines(); result.state != ParseState::kComplete) return result;
    if (auto result = RequestLine(); result.state != ParseState::kComplete) return result;
    if (auto result = Headers(); result.state != ParseState::kComplete) return result;
    return Settle();
  }

 private:
  static constexpr HeadResult kGoOn{ParseState::kComplete, 0};
  static constexpr int kMaxEmptyLines = 4;

  // Old clients send a CR LF too many behind a body; RFC 9112 wants it ignored.
  HeadResult EmptyLines() {
    for (int lines = 0; p_ != end_ && *p_ == '\r'; ++lines) {
      if (end_ - p_ < 2) return kNeedMore;
      if (p_[1] != '\n' || lines == kMaxEmptyLines) return Error(400);
      p_ += 2;
    }
    return kGoOn;
  }

  HeadResult RequestLine() {
    const char* const line = p_;
    const char* const limit = Limit(line, limits_.max_request_line_bytes);
    while (p_ != limit && IsToken(*p_)) ++p_;
    if (p_ == limit) return OutOfBytes(limit);
    if (*p_ != ' ' || p_ == line) return Error(400);
    request_.method_name = View(line, p_);
    request_.method = MethodOf(request_.method_name);

    const char* const target = ++p_;
    while (p_ != limit && *p_ != ' ' && !IsControl(*p_)) ++p_;
    if (p_ == limit) return OutOfBytes(limit);
    if (*p_ != ' ' || p_ == target) return Error(400);
    request_.target = View(target, p_);
    SplitTarget(request_);
    ++p_;
    return Version(limit);
  }

  HeadResult Version(const char* limit) {
    static constexpr std::string_view kPrefix = "HTTP/";
    static constexpr ptrdiff_t kSize = 10;  // "HTTP/1.1\r\n"
    const auto have = static_cast<size_t>(std::min(limit - p_, kSize));
    if (std::memcmp(p_, kPrefix.data(), std::min(have, kPrefix.size())) != 0) return Error(400);
    if (have < kSize) return OutOfBytes(limit);
    const char major = p_[5], minor = p_[7];
    if (major < '0' || major > '9' || p_[6] != '.' || minor < '0' || minor > '9') return Error(400);
    if (p_[8] != '\r' || p_[9] != '\n') return Error(400);
    if (major != '1') return Error(505);
    request_.version_minor = minor - '0';
    framing_.keep_alive = minor != '0';
    p_ += kSize;
    return kGoOn;
  }

  HeadResult Headers() {
    const char* const limit = Limit(p_, limits_.max_header_bytes);
    while (true) {
      if (p_ == limit) return OutOfBytes(limit);
      if (*p_ == '\r') {
        if (limit - p_ < 2) return OutOfBytes(limit);
        if (p_[1] != '\n') return Error(400);
        p_ += 2;
        return kGoOn;
      }
      if (auto result = OneHeader(limit); result.state != ParseState::kComplete) return result;
    }
  }

  HeadResult OneHeader(const char* limit) {
    Header header;
    const ParseState state = ParseHeaderLine(p_, limit, header);
    if (state == ParseState::kNeedMore) return OutOfBytes(limit);
    if (state == ParseState::kError) return Error(400);
    request_.headers.push_back(header);
    return Note(request_.headers.back());
  }

  // The few headers that say how the message is framed.
  HeadResult Note(const Header& header) {
    switch (header.name.size()) {
      case 4:
        if (IsNamed(header, "host") && has_host_++) return Error(400);
        break;
      case 6:
        if (IsNamed(header, "expect")) {
          if (!EqualsIgnoreCase(header.value, "100-continue")) return Error(417);
          framing_.expects_continue = true;
        }
        break;
      case 10:
        if (IsNamed(header, "connection")) NoteConnection(header.value);
        break;
      case 14:
        if (IsNamed(header, "content-length")) return NoteContentLength(header.value);
        break;
      case 17:
        if (IsNamed(header, "transfer-encoding")) {
          if (framing_.is_chunked) return Error(400);
          if (!EqualsIgnoreCase(header.value, "chunked")) return Error(header.value.empty() ? 400 : 501);
          framing_.is_chunked = true;
        }
        break;
      default: break;
    }
    return kGoOn;
  }

  void NoteConnection(std::string_view value) {
    ForEachElement(value, [&](std::string_view option) {
      if (EqualsIgnoreCase(option, "close")) says_close_ = true;
      if (EqualsIgnoreCase(option, "keep-alive")) framing_.keep_alive = true;
    });
  }

  HeadResult NoteContentLength(std::string_view value) {
    uint64_t length = 0;
    if (!ParseContentLength(value, length)) return Error(400);
    if (has_length_ && length != framing_.content_length) return Error(400);
    has_length_ = true;
    framing_.content_length = length;
    return kGoOn;
  }

  // What only the whole head can tell.
  HeadResult Settle() {
    if (says_close_) framing_.keep_alive = false;
    if (framing_.is_chunked && (has_length_ || request_.version_minor == 0)) return Error(400);
    if (request_.version_minor == 0) framing_.expects_continue = false;
    else if (has_host_ == 0) return Error(400);
    framing_.head_bytes = static_cast<size_t>(p_ - start_);
    return kGoOn;
  }

  const char* Limit(const char* from, size_t max_bytes) const {
    return static_cast<size_t>(end_ - from) > max_bytes ? from + max_bytes : end_;
  }
  // The bytes ended (more may come) or the limit was reached.
  HeadResult OutOfBytes(const char* limit) const { return limit == end_ ? kNeedMore : Error(400); }
  static std::string_view View(const char* from, const char* to) { return {from, static_cast<size_t>(to - from)}; }

  const char* const start_;
  const char* p_;
  const char* const end_;
  const HeadLimits& limits_;
  HttpRequest& request_;
  Framing& framing_;
  int has_host_ = 0;
  bool has_length_ = false;
  bool says_close_ = false;
};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A chunk line longer than this is an attack: extensions are never used by real clients.
constexpr size_t kMaxChunkLineBytes = 1024;

}  // namespace

HeadResult ParseHead(std::string_view bytes, const HeadLimits& limits, HttpRequest& request, Framing& framing) {
  return HeadParser(bytes, limits, request, framing).Run();
}

ChunkedDecoder::Step ChunkedDecoder::Decode(char* out, const char* raw, size_t size, size_t max_body_bytes,
                                            size_t max_trailer_bytes) {
  const char* p = raw;
  const char* const end = raw + size;
  char* const out_start = out;
  const auto step = [&](ParseState state, int status = 0) {
    return Step{state, status, static_cast<size_t>(p - raw), static_cast<size_t>(out - out_start)};
  };
  while (p != end) {
    if (state_ == State::kData) {
      const size_t count = std::min<uint64_t>(remaining_, static_cast<uint64_t>(end - p));
      if (out != p) std::memmove(out, p, count);
      out += count;
      p += count;
      remaining_ -= count;
      if (remaining_ == 0) state_ = State::kDataCr;
      continue;
    }
    const char c = *p++;
    switch (state_) {
      case State::kSize:
        if (const int digit = HexDigit(c); digit >= 0) {
          if (remaining_ >> 56) return step(ParseState::kError, 400);
          remaining_ = remaining_ * 16 + static_cast<uint64_t>(digit);
          has_digit_ = true;
          if (++line_bytes_ > kMaxChunkLineBytes) return step(ParseState::kError, 400);
          break;
        }
        if (!has_digit_) return step(ParseState::kError, 400);
        if (c == '\r') state_ = State::kSizeLf;
        else if (c == ';' || c == ' ' || c == '\t') state_ = State::kExtension;
        else return step(ParseState::kError, 400);
        break;
      case State::kExtension:
        if (c == '\r') state_ = State::kSizeLf;
        else if ((IsControl(c) && c != '\t') || ++line_bytes_ > kMaxChunkLineBytes)
          return step(ParseState::kError, 400);
        break;
      case State::kSizeLf:
        if (c != '\n') return step(ParseState::kError, 400);
        if (remaining_ > max_body_bytes - body_bytes_) return step(ParseState::kError, 413);
        body_bytes_ += remaining_;
        state_ = remaining_ == 0 ? State::kTrailerStart : State::kData;
        break;
      case State::kDataCr:
        if (c != '\r') return step(ParseState::kError, 400);
        state_ = State::kDataLf;
        break;
      case State::kDataLf:
        if (c != '\n') return step(ParseState::kError, 400);
        state_ = State::kSize;
        has_digit_ = false;
        line_bytes_ = 0;
        break;
      case State::kTrailerStart:
        if (c == '\r') {
          state_ = State::kEndLf;
          break;
        }
        if (!IsToken(c)) return step(ParseState::kError, 400);
        state_ = State::kTrailer;
        [[fallthrough]];
      case State::kTrailer:
        if (++trailer_bytes_ > max_trailer_bytes) return step(ParseState::kError, 400);
        if (c == '\r') state_ = State::kTrailerLf;
        else if (IsControl(c) && c != '\t') return step(ParseState::kError, 400);
        break;
      case State::kTrailerLf:
        if (c != '\n') return step(ParseState::kError, 400);
        state_ = State::kTrailerStart;
        break;
      case State::kEndLf:
        if (c != '\n') return step(ParseState::kError, 400);
        return step(ParseState::kComplete);
      case State::kData: break;
    }
  }
  return step(ParseState::kNeedMore);
}

}  // namespace armature::net
