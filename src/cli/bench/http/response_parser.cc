#include "cli/bench/http/response_parser.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <strings.h>

namespace armature::cli::bench {
namespace {

constexpr size_t kInitialBuffer = 16 * 1024;
constexpr size_t kMinSpace = 4 * 1024;
constexpr size_t kMaxResponse = 64 * 1024 * 1024;

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

template <class Number>
bool ParseNumber(std::string_view text, Number& number, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

ResponseParser::ResponseParser() : buffer_(kInitialBuffer + kPadding) {}

std::span<char> ResponseParser::Space() {
  if (begin_ == end_) begin_ = end_ = 0;
  const size_t capacity = buffer_.size() - kPadding;
  if (capacity - end_ < kMinSpace) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (capacity - end_ < kMinSpace) buffer_.resize(2 * capacity + kPadding);
  }
  return {buffer_.data() + end_, buffer_.size() - kPadding - end_};
}

bool ResponseParser::ParseHeader(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = Trim(line.substr(colon + 1));
  if (EqualsIgnoringCase(name, "content-length")) {
    has_length_ = true;
    return ParseNumber(value, content_length_) && content_length_ <= kMaxResponse;
  }
  if (EqualsIgnoringCase(name, "transfer-encoding")) {
    is_chunked_ = true;
    return EqualsIgnoringCase(value, "chunked");
  }
  if (EqualsIgnoringCase(name, "connection")) closes_ = EqualsIgnoringCase(value, "close");
  return true;
}

ResponseParser::State ResponseParser::ParseHead() {
  const std::string_view received(buffer_.data() + begin_, end_ - begin_);
  const size_t head_end = received.find("\r\n\r\n", scanned_);
  if (head_end == std::string_view::npos) {
    scanned_ = received.size() < 3 ? 0 : received.size() - 3;
    return received.size() > kMaxResponse ? State::kBad : State::kNeedMore;
  }
  std::string_view head = received.substr(0, head_end + 2);
  const size_t line_end = head.find("\r\n");
  const std::string_view line = head.substr(0, line_end);
  if (line.size() < 12 || line.substr(0, 7) != "HTTP/1." || !ParseNumber(line.substr(9, 3), status_))
    return State::kBad;
  head.remove_prefix(line_end + 2);
  while (!head.empty()) {
    const size_t end = head.find("\r\n");
    if (!ParseHeader(head.substr(0, end))) return State::kBad;
    head.remove_prefix(end + 2);
  }
  if (!is_chunked_ && !has_length_) return State::kBad;
  head_size_ = head_end + 4;
  return State::kDone;
}

// Restarts from the first chunk each time more bytes arrive: bodies are small, and peers that
// chunk at all send one or two.
ResponseParser::State ResponseParser::ParseChunks() {
  decoded_.clear();
  size_t at = begin_ + head_size_;
  for (;;) {
    const std::string_view rest(buffer_.data() + at, end_ - at);
    const size_t line_end = rest.find("\r\n");
    if (line_end == std::string_view::npos) return rest.size() > 1024 ? State::kBad : State::kNeedMore;
    size_t size = 0;
    if (!ParseNumber(Trim(rest.substr(0, std::min(line_end, rest.find(';')))), size, 16) || size > kMaxResponse) {
      return State::kBad;
    }
    if (size == 0) {
      // Trailers, if any, are lines up to an empty one.
      const size_t end = rest.find("\r\n\r\n", line_end);
      if (end == std::string_view::npos) return State::kNeedMore;
      total_size_ = at + end + 4 - begin_;
      decoded_.resize(decoded_.size() + kPadding);
      body_ = decoded_.data();
      body_size_ = decoded_.size() - kPadding;
      return State::kDone;
    }
    if (rest.size() < line_end + 2 + size + 2) return State::kNeedMore;
    if (rest.substr(line_end + 2 + size, 2) != "\r\n") return State::kBad;
    const char* data = rest.data() + line_end + 2;
    decoded_.insert(decoded_.end(), data, data + size);
    at += line_end + 2 + size + 2;
  }
}

ResponseParser::State ResponseParser::Parse() {
  if (head_size_ == 0) {
    if (const State state = ParseHead(); state != State::kDone) return state;
  }
  if (is_chunked_) return ParseChunks();
  total_size_ = head_size_ + content_length_;
  if (end_ - begin_ < total_size_) return State::kNeedMore;
  body_ = buffer_.data() + begin_ + head_size_;
  body_size_ = content_length_;
  return State::kDone;
}

void ResponseParser::Consume() {
  begin_ += total_size_;
  head_size_ = total_size_ = content_length_ = scanned_ = body_size_ = 0;
  has_length_ = is_chunked_ = closes_ = false;
  status_ = 0;
  body_ = nullptr;
}

}  // namespace armature::cli::bench
