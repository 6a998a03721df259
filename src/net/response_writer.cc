#include "net/response_writer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <time.h>

namespace armature::net {
namespace {

// CRC-32 as zlib has it, for texts known when the program is built.
consteval uint32_t Crc32Of(std::string_view text) {
  uint32_t crc = ~uint32_t{0};
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

// How stale the Date line may be before the wall clock is read again.
constexpr int64_t kDateLookMillis = 100;

char* Put(char* to, std::string_view text) {
  if (text.empty()) return to;  // memcpy must not see the null of an empty view
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

char* PutDecimal(char* to, size_t value) {
  char digits[20];
  char* p = digits + sizeof(digits);
  do {
    *--p = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  return Put(to, {p, static_cast<size_t>(digits + sizeof(digits) - p)});
}

}  // namespace

void ResponseWriter::RefreshDate(int64_t timer_now_millis) {
  if (common_size_ != 0 && timer_now_millis >= looked_at_millis_ &&
      timer_now_millis < looked_at_millis_ + kDateLookMillis)
    return;
  looked_at_millis_ = timer_now_millis;
  const int64_t second = clock_.NowMillis() / 1000;
  if (second == date_second_) return;
  date_second_ = second;
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const time_t seconds = static_cast<time_t>(second);
  tm parts{};
  gmtime_r(&seconds, &parts);
  // strftime would follow the locale; the wire does not.
  const int size =
      std::snprintf(common_, sizeof(common_), "\r\nServer: Server\r\nDate: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n",
                    kDays[parts.tm_wday], parts.tm_mday, kMonths[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour,
                    parts.tm_min, parts.tm_sec);
  common_size_ = std::min(static_cast<size_t>(size), sizeof(common_) - 1);
}

void ResponseWriter::Render(int status, std::string_view content_type, size_t content_length, std::string_view headers,
                            bool keep_alive, int64_t timer_now_millis, Buffer& out) {
  RefreshDate(timer_now_millis);
  const std::string_view reason = status == 200 ? std::string_view("OK") : ReasonPhrase(status);
  // The fixed parts below are under 128 bytes.
  const size_t most = 128 + reason.size() + common_size_ + content_type.size() + headers.size();
  if (out.free_bytes() < most) {
    out.Compact();
    if (out.free_bytes() < most) out.Grow(std::max(out.size() + most, 2 * out.capacity()));
  }
  char* p = out.free_space();
  p = Put(p, "HTTP/1.1 ");
  p = PutDecimal(p, static_cast<size_t>(status));
  *p++ = ' ';
  p = Put(p, reason);
  p = Put(p, {common_, common_size_});
  if (!content_type.empty()) {
    p = Put(p, "Content-Type: ");
    p = Put(p, content_type);
    p = Put(p, "\r\n");
  }
  p = Put(p, "Content-Length: ");
  p = PutDecimal(p, content_length);
  p = Put(p, keep_alive ? std::string_view("\r\nConnection: keep-alive\r\n")
                        : std::string_view("\r\nConnection: close\r\n"));
  p = Put(p, headers);
  p = Put(p, "\r\n");
  out.Commit(static_cast<size_t>(p - out.free_space()));
}

void ResponseWriter::RenderHead(const HttpResponse& response, bool keep_alive, int64_t timer_now_millis, Buffer& out) {
  Render(response.status, response.content_type, response.body.size(), response.rendered_headers(), keep_alive,
         timer_now_millis, out);
}

void ResponseWriter::RenderOwn(int status, bool keep_alive, bool is_head, int64_t timer_now_millis, Buffer& out) {
  const std::string_view body = status == 503   ? kUnavailableBody
                                : status == 500 ? kInternalErrorBody
                                                : std::string_view();
  if (body.empty()) return Render(status, {}, 0, {}, keep_alive, timer_now_millis, out);
  constexpr uint32_t kUnavailableCrc32 = Crc32Of(kUnavailableBody);
  constexpr uint32_t kInternalErrorCrc32 = Crc32Of(kInternalErrorBody);
  const fmt::format_int crc32(status == 503 ? kUnavailableCrc32 : kInternalErrorCrc32);
  std::string headers("x-amzn-RequestId: ");
  headers.append(RequestId(random_)).append("\r\nx-amz-crc32: ").append(crc32.data(), crc32.size()).append("\r\n");
  Render(status, kJsonContentType, body.size(), headers, keep_alive, timer_now_millis, out);
  if (!is_head) out.Append(body);
}

void ResponseWriter::RenderNeedsTls(int64_t timer_now_millis, Buffer& out) {
  Render(400, "text/plain", kNeedsTlsBody.size(), {}, false, timer_now_millis, out);
  out.Append(kNeedsTlsBody);
}

}  // namespace armature::net
