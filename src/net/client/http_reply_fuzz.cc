// HTTP replies, whole and in pieces.
//
// Input: a byte that says how to cut and what was asked, then what a server sends. However the bytes arrive, the result
// is the same; what was parsed lies within the bytes; limits hold; and a reply rendered from it parses to the same
// again.
#include <algorithm>
#include <string>
#include <utility>

#include "base/testing/fuzz_check.h"
#include "net/client/reply_reader.h"

namespace armature::net {
namespace {

constexpr ReplyLimits kLimits{.max_status_line_bytes = 128, .max_header_bytes = 512, .max_body_bytes = 1000};

struct Outcome {
  ParseState state = ParseState::kNeedMore;
  bool can_reuse = false;
  HttpReply reply;
};

Outcome ReadAll(std::string_view bytes, size_t step, bool is_to_head) {
  ReplyReader reader(kLimits, is_to_head);
  Buffer in;
  in.Grow(8 * 1024);
  Outcome out;
  while (out.state == ParseState::kNeedMore && !bytes.empty()) {
    Require(in.size() <= reader.MaxInputBytes() + step, "no more is kept than was said");
    in.Append(bytes.substr(0, step));
    bytes.remove_prefix(std::min(step, bytes.size()));
    out.state = reader.Read(in);
  }
  if (out.state == ParseState::kNeedMore) out.state = reader.ReadEnd(in);
  Require(out.state != ParseState::kNeedMore, "behind the end there is an outcome");
  Require((out.state == ParseState::kError) == !reader.error().empty(), "an error has a text");
  if (out.state != ParseState::kComplete) return out;
  out.can_reuse = reader.CanReuse(in);
  out.reply = reader.Take(in);
  return out;
}

bool LiesIn(std::string_view part, std::string_view whole) {
  if (part.empty()) return true;
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

void CheckReply(const HttpReply& reply) {
  const std::string_view bytes = reply.bytes.view();
  Require(reply.status >= 200 && reply.status <= 599, "a final status");
  Require(LiesIn(reply.reason, bytes) && LiesIn(reply.body, bytes), "views point into the bytes");
  Require(reply.body.size() <= kLimits.max_body_bytes, "a body keeps its limit");
  for (const Header& header : reply.headers) {
    Require(LiesIn(header.name, bytes) && LiesIn(header.value, bytes), "headers point into the bytes");
    Require(!header.name.empty() && header.value.find_first_of(std::string_view("\r\n\0", 3)) == header.value.npos,
            "no line break in a header");
  }
}

// Rendered with a length and parsed again, a reply means the same.
void CheckRendered(const HttpReply& reply, bool is_to_head) {
  std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " " + std::string(reply.reason) + "\r\n";
  for (const Header& header : reply.headers)
    if (!EqualsIgnoreCase(header.name, "transfer-encoding") && !EqualsIgnoreCase(header.name, "content-length"))
      text.append(header.name).append(": ").append(header.value).append("\r\n");
  text += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n\r\n" + std::string(reply.body);
  ReplyLimits roomy = kLimits;
  roomy.max_status_line_bytes += 2;
  roomy.max_header_bytes += 4 * reply.headers.size() + 32;  // it may have been written without blanks
  ReplyReader reader(roomy, is_to_head);
  Buffer in;
  in.Append(text);
  Require(reader.Read(in) == ParseState::kComplete, "a rendered reply is a reply");
  const HttpReply again = reader.Take(in);
  Require(again.status == reply.status && again.reason == reply.reason, "with the same status");
  Require(again.body == reply.body, "and the same body");
}

}  // namespace
}  // namespace armature::net

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace net = armature::net;
  if (size == 0) return 0;
  const size_t step = data[0] % 16 + 1;
  const bool is_to_head = data[0] >= 128;
  const std::string_view bytes = armature::FuzzText(data + 1, size - 1);
  const net::Outcome whole = net::ReadAll(bytes, bytes.size() + 1, is_to_head);
  const net::Outcome pieces = net::ReadAll(bytes, step, is_to_head);
  armature::Require(whole.state == pieces.state, "pieces end as the whole does");
  if (whole.state != net::ParseState::kComplete) return 0;
  armature::Require(whole.reply.status == pieces.reply.status && whole.reply.body == pieces.reply.body,
                    "pieces give the same reply");
  armature::Require(!whole.can_reuse || pieces.can_reuse, "what ends with the bytes ends there in pieces too");
  net::CheckReply(whole.reply);
  net::CheckRendered(whole.reply, is_to_head);
  return 0;
}
