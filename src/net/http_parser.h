// Parsing HTTP/1.x requests: the head in one pass, chunked bodies in place.
//
// Pure functions and one small state machine, no I/O, no allocation beyond the header list.
// Strict on purpose: whatever could make two parsers disagree about where a request ends (a bare
// LF, folded lines, blanks before a colon, NULs, contradicting lengths) is refused, not repaired.
// Called by HTTP sessions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "net/http_message.h"

namespace armature::net {

struct HeadLimits {
  size_t max_request_line_bytes = 16 * 1024;
  size_t max_header_bytes = 16 * 1024;
};

// How the rest of the request lies on the wire, and what the client expects of the connection.
struct Framing {
  size_t head_bytes = 0;  // request line, headers and the empty line (and empty lines before)
  uint64_t content_length = 0;
  bool is_chunked = false;
  bool keep_alive = true;
  bool expects_continue = false;
};

enum class ParseState : uint8_t { kComplete, kNeedMore, kError };

struct HeadResult {
  ParseState state;
  int status;  // of the error answer, when kError
};

// Parses the head at the start of `bytes`. On kComplete `request` (all but its body) and `framing`
// are filled; the views point into `bytes`. Call again with more bytes after kNeedMore.
HeadResult ParseHead(std::string_view bytes, const HeadLimits& limits, HttpRequest& request, Framing& framing);

// Undoes chunked encoding where it lies: data moves down over the chunk lines.
class ChunkedDecoder {
 public:
  struct Step {
    ParseState state;
    int status;       // of the error answer, when kError
    size_t consumed;  // raw bytes used
    size_t produced;  // body bytes written
  };

  // Reads `size` raw bytes and writes the body bytes they hold to `out`, which may be the same memory
  // or lie before it. Stops behind the last chunk's trailers (kComplete).
  Step Decode(char* out, const char* raw, size_t size, size_t max_body_bytes, size_t max_trailer_bytes);

 private:
  enum class State : uint8_t {
    kSize,
    kExtension,
    kSizeLf,
    kData,
    kDataCr,
    kDataLf,
    kTrailerStart,
    kTrailer,
    kTrailerLf,
    kEndLf
  };
  State state_ = State::kSize;
  bool has_digit_ = false;
  uint64_t remaining_ = 0;
  uint64_t body_bytes_ = 0;
  size_t line_bytes_ = 0;     // of the current chunk line
  size_t trailer_bytes_ = 0;  // of all trailers
};

}  // namespace armature::net
