// ResponseWriter: renders the head of every answer, with the Date line made once a second.
//
// One per reactor, not thread-safe. Also holds the few answers net/ gives by itself, when
// a request never reaches a handler. Used by sessions.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "net/http_message.h"
#include "net/transport/buffer.h"

namespace armature::net {

inline constexpr std::string_view kContinueLine = "HTTP/1.1 100 Continue\r\n\r\n";
inline constexpr std::string_view kJsonContentType = "application/x-amz-json-1.0";
inline constexpr std::string_view kUnavailableBody =
    R"({"__type":"com.amazon.coral.service#ServiceUnavailableException","message":"The service is currently unavailable or busy."})";
inline constexpr std::string_view kInternalErrorBody =
    R"({"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"The request processing has failed because of an unknown error, exception or failure."})";

inline constexpr std::string_view kNeedsTlsBody = "This port speaks HTTPS: the URL has to begin with https://\n";

class ResponseWriter {
 public:
  explicit ResponseWriter(const Clock& wall_clock) : clock_(wall_clock) {}

  // Appends status line and headers of `response` to `out`; the body is up to the caller.
  void RenderHead(const HttpResponse& response, bool keep_alive, int64_t timer_now_millis, Buffer& out);
  // Appends a whole answer of our own: 503 and 500 with their JSON bodies, a request id and a checksum, as such an
  // answer has when it comes from above; anything else with an empty one.
  void RenderOwn(int status, bool keep_alive, bool is_head, int64_t timer_now_millis, Buffer& out);
  // Appends the answer to a client that speaks HTTP where HTTPS is spoken: somebody reads it who has typed a URL.
  void RenderNeedsTls(int64_t timer_now_millis, Buffer& out);

 private:
  static constexpr size_t kCommonBytes = 2 + 14 + 2 + 37;  // room for what follows the reason phrase
  void RefreshDate(int64_t timer_now_millis);
  void Render(int status, std::string_view content_type, size_t content_length, std::string_view headers,
              bool keep_alive, int64_t timer_now_millis, Buffer& out);

  const Clock& clock_;
  SystemRandom random_;
  int64_t looked_at_millis_ = INT64_MIN;
  int64_t date_second_ = INT64_MIN;
  char common_[kCommonBytes + 16] = {};  // "\r\nServer: Server\r\nDate: …\r\n"
  size_t common_size_ = 0;
};

}  // namespace armature::net
