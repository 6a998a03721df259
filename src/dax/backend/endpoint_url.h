// EndpointUrl: where requests go, taken out of "http://host:port/path" or "https://host". Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace armature::dax {

struct EndpointUrl {
  bool is_secure = false;
  std::string host;  // an IPv6 address without its brackets
  uint16_t port = 80;
  std::string path = "/";
  std::string authority;  // what the Host header says: the host, and the port unless it is the scheme's own
};

// The error is one line fit for a user. No user, query or fragment.
Result<EndpointUrl> ParseEndpointUrl(std::string_view url);

}  // namespace armature::dax
