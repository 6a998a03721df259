// HTTP heads and chunked bodies, whole and in pieces.
//
// Input: a byte that says how to cut, then what a client sends. However the bytes arrive, the result is the same; what
// was parsed lies within the bytes; and a request rendered from it parses to the same again.
#include <algorithm>
#include <string>
#include <vector>

#include "base/testing/fuzz_check.h"
#include "net/http_parser.h"

namespace armature::net {
namespace {

constexpr size_t kMaxBodyBytes = 1000;
constexpr size_t kMaxTrailerBytes = 100;

bool LiesIn(std::string_view part, std::string_view whole) {
  if (part.empty()) return true;
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

bool HasBreaks(std::string_view text) { return text.find_first_of(std::string_view("\r\n\0", 3)) != text.npos; }

void CheckViews(const HttpRequest& request, std::string_view head) {
  for (const std::string_view part : {request.method_name, request.target, request.path, request.query}) {
    Require(LiesIn(part, head) || part == "/", "views point into the head");  // http://host has no path of its own
    Require(!HasBreaks(part), "no line break in the request line");
  }
  Require(!request.target.empty() && !request.method_name.empty(), "a request has method and target");
  for (const Header& header : request.headers) {
    Require(LiesIn(header.name, head) && LiesIn(header.value, head), "headers point into the head");
    Require(!header.name.empty() && !HasBreaks(header.name) && !HasBreaks(header.value), "no line break in a header");
    Require(header.name.find_first_of(" \t:") == header.name.npos, "no blank or colon in a header's name");
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    Require(header.value.empty() || (!is_blank(header.value.front()) && !is_blank(header.value.back())),
            "values have no blanks around them");
  }
}

bool SameFraming(const Framing& a, const Framing& b) {
  return a.head_bytes == b.head_bytes && a.content_length == b.content_length && a.is_chunked == b.is_chunked &&
         a.keep_alive == b.keep_alive && a.expects_continue == b.expects_continue;
}

bool SameHeaders(const HttpRequest& a, const HttpRequest& b) {
  return std::equal(a.headers.begin(), a.headers.end(), b.headers.begin(), b.headers.end(),
                    [](const Header& x, const Header& y) { return x.name == y.name && x.value == y.value; });
}

// A head cut anywhere needs more bytes, or is refused as the whole is: never is a part of it taken for a request.
void CheckPrefixes(std::string_view bytes, const HeadLimits& limits, const HeadResult& whole, size_t head_bytes) {
  const size_t step = bytes.size() > 512 ? bytes.size() / 64 : 1;
  for (size_t size = 0; size < bytes.size(); size += step) {
    HttpRequest request;
    Framing framing;
    const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
    const HeadResult result = ParseHead({part.data(), part.size()}, limits, request, framing);
    if (result.state == ParseState::kComplete) {
      Require(whole.state == ParseState::kComplete && size >= head_bytes && framing.head_bytes == head_bytes,
              "a head is complete only behind its last byte");
    } else if (result.state == ParseState::kError) {
      Require(whole.state == ParseState::kError, "a part of a good head is not refused");
    } else {
      Require(whole.state != ParseState::kComplete || size < head_bytes, "a whole head needs no more");
    }
  }
}

// Rendered plainly and parsed again, a request means the same.
void CheckRendered(const HttpRequest& request, const Framing& framing, const HeadLimits& limits) {
  std::string text(request.method_name);
  text.append(" ").append(request.target).append(request.version_minor == 0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
  for (const Header& header : request.headers)
    text.append(header.name).append(": ").append(header.value).append("\r\n");
  text += "\r\n";
  HeadLimits roomy = limits;
  roomy.max_header_bytes += 4 * request.headers.size() + 2;  // it may have been written without blanks
  HttpRequest again;
  Framing framing_again;
  const HeadResult result = ParseHead(text, roomy, again, framing_again);
  Require(result.state == ParseState::kComplete, "a rendered head is a head");
  framing_again.head_bytes = framing.head_bytes;
  Require(SameFraming(framing, framing_again) && SameHeaders(request, again), "and means the same");
  Require(again.path == request.path && again.query == request.query && again.method == request.method, "all of it");
}

struct Decoded {
  ParseState state = ParseState::kNeedMore;
  int status = 0;
  size_t consumed = 0;
  std::string body;
};

// Feeds the decoder `step` bytes at a time, in place, as a connection does.
Decoded DecodeChunks(std::string_view raw, size_t step) {
  std::string buffer(raw);
  ChunkedDecoder decoder;
  Decoded out;
  size_t produced = 0;
  while (out.state == ParseState::kNeedMore && out.consumed < buffer.size()) {
    const size_t size = std::min(step, buffer.size() - out.consumed);
    const auto result =
        decoder.Decode(buffer.data() + produced, buffer.data() + out.consumed, size, kMaxBodyBytes, kMaxTrailerBytes);
    Require(result.consumed <= size && result.produced <= size, "no more than there is");
    Require(result.state != ParseState::kNeedMore || result.consumed == size, "all is used while more is needed");
    out.consumed += result.consumed;
    produced += result.produced;
    out.state = result.state;
    out.status = result.status;
  }
  Require(produced <= kMaxBodyBytes || out.state == ParseState::kError, "a body keeps its limit");
  out.body = buffer.substr(0, produced);
  return out;
}

void CheckChunks(std::string_view raw, size_t step) {
  const Decoded whole = DecodeChunks(raw, raw.size() + 1);
  const Decoded pieces = DecodeChunks(raw, step);
  Require(whole.state == pieces.state && whole.status == pieces.status, "pieces end as the whole does");
  if (whole.state == ParseState::kError) return;
  Require(whole.body == pieces.body && whole.consumed == pieces.consumed, "pieces give the same body");
}

}  // namespace
}  // namespace armature::net

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace net = armature::net;
  if (size == 0) return 0;
  const size_t step = data[0] % 16 + 1;
  const std::string_view bytes = armature::FuzzText(data + 1, size - 1);
  const net::HeadLimits limits{.max_request_line_bytes = 256, .max_header_bytes = 512};
  net::HttpRequest request;
  net::Framing framing;
  const net::HeadResult result = net::ParseHead(bytes, limits, request, framing);
  net::CheckPrefixes(bytes, limits, result, framing.head_bytes);
  net::CheckChunks(bytes, step);
  if (result.state == net::ParseState::kError) armature::Require(result.status >= 400, "errors have a status");
  if (result.state != net::ParseState::kComplete) return 0;
  armature::Require(framing.head_bytes <= bytes.size(), "a head ends within the bytes");
  net::CheckViews(request, bytes.substr(0, framing.head_bytes));
  net::CheckRendered(request, framing, limits);
  if (framing.is_chunked) net::CheckChunks(bytes.substr(framing.head_bytes), step);
  return 0;
}
