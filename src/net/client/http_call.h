// HttpCall: a request that we send, its checks and its bytes.
//
// All views must hold until the call is over. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http_message.h"
#include "net/transport/buffer.h"

namespace armature::net {

struct HttpCall {
  std::string host;  // a name or an address, an IPv6 one without brackets
  uint16_t port = 80;
  bool is_secure = false;  // by TLS; the client has to be given whom it believes
  std::string_view method = "POST";
  std::string_view target = "/";  // path and query, as they are to stand in the request
  // Any but Content-Length, Transfer-Encoding and Connection. Host is made of host and port unless it is among them.
  std::vector<Header> headers;
  std::string_view body;

  // Whether it does no harm to carry it out twice. By default as its method says: GET, HEAD, PUT, DELETE, OPTIONS.
  std::optional<bool> is_repeatable;
  // Not by a connection that was used before: kept ones are closed, as another was found to be stale.
  bool needs_new_connection = false;
  // Becomes true when bytes of the request are given to a connection: from then on it may be carried out. Null: nobody
  // wants to know.
  bool* is_sent = nullptr;

  int64_t connect_timeout_millis = 5'000;  // for each of the host's addresses
  int64_t timeout_millis = 30'000;         // for everything
  size_t max_reply_bytes = size_t{64} << 20;
};

// kInvalidArgument: what would make another request of it than is meant.
Status CheckCall(const HttpCall& call);
bool IsRepeatable(const HttpCall& call);
// "host:port", as it stands in messages, and in Host unless the port is the scheme's own.
std::string AuthorityOf(const HttpCall& call);
// Appends the request line and headers. REQUIRES: checked.
void RenderCallHead(const HttpCall& call, Buffer& out);

}  // namespace armature::net
