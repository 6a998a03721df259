// ReplyReader: finds one HTTP/1.x reply in the bytes that come from a server.
//
// Parses the status line and headers, passes over interim replies (1xx), undoes chunks where they lie, and knows where
// the reply ends: by its length, its last chunk, or the end of the connection. As strict as the request parser: what
// two readers could understand differently is refused. No I/O; the caller brings bytes into one buffer and asks again.
// Used by the client's sessions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "net/client/http_reply.h"
#include "net/http_parser.h"
#include "net/transport/buffer.h"

namespace armature::net {

struct ReplyLimits {
  size_t max_status_line_bytes = 4 * 1024;
  size_t max_header_bytes = 32 * 1024;
  size_t max_body_bytes = size_t{64} << 20;
};

struct ReplyFraming {
  size_t head_bytes = 0;
  uint64_t content_length = 0;
  bool has_length = false;
  bool is_chunked = false;
  bool keep_alive = true;
};

// Parses the head of a reply at the start of `bytes`: all but the body and the bytes of `reply` is filled, with views
// of `bytes`. Call again with more bytes after kNeedMore.
ParseState ParseReplyHead(std::string_view bytes, const ReplyLimits& limits, HttpReply& reply, ReplyFraming& framing);

class ReplyReader {
 public:
  // To a HEAD the reply has no body, whatever its head says.
  ReplyReader(const ReplyLimits& limits, bool is_to_head) : limits_(limits), is_to_head_(is_to_head) {}

  // Looks at what has come; `in` holds all of it, but for interim replies and chunk lines, which are taken out.
  ParseState Read(Buffer& in);
  // The same when nothing more will come.
  ParseState ReadEnd(Buffer& in);
  // The reply with its bytes, which are all that `in` held. REQUIRES: kComplete.
  HttpReply Take(Buffer& in);

  // What is wrong, after kError.
  std::string_view error() const { return error_; }
  // Nothing of a reply has come, not even an interim one.
  bool is_untouched(const Buffer& in) const { return interim_count_ == 0 && in.empty(); }
  // Another reply can follow on this connection. REQUIRES: kComplete, and not taken yet.
  bool CanReuse(const Buffer& in) const;
  // How much input the reply may take, as far as is known by now.
  size_t MaxInputBytes() const;

 private:
  enum class Phase : uint8_t { kHead, kBody, kComplete };
  enum class Body : uint8_t { kNone, kLength, kChunks, kToEnd };

  ParseState ReadHead(Buffer& in);
  ParseState ReadBody(Buffer& in);
  ParseState ReadChunks(Buffer& in);
  ParseState Complete(size_t body_bytes);
  ParseState Fail(std::string_view error);
  Body BodyOf(int status) const;

  ReplyLimits limits_;
  bool is_to_head_;
  Phase phase_ = Phase::kHead;
  Body body_ = Body::kNone;
  ReplyFraming framing_;
  ChunkedDecoder chunks_;
  size_t head_seen_ = 0;   // bytes of an incomplete head already looked at
  size_t body_bytes_ = 0;  // of chunks undone so far; of the whole body when complete
  int interim_count_ = 0;
  std::string_view error_;
};

}  // namespace armature::net
