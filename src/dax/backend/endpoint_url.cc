#include "dax/backend/endpoint_url.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace armature::dax {

namespace {

std::optional<uint16_t> ParsePort(std::string_view digits) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0) return std::nullopt;
  return port;
}

// Splits "host", "host:port" or "[::1]:port"; false if it is none of them.
bool SplitAuthority(std::string_view authority, EndpointUrl& url) {
  std::string_view port;
  if (authority.starts_with('[')) {
    const size_t close = authority.find(']');
    if (close == std::string_view::npos) return false;
    url.host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
  } else {
    const size_t colon = std::min(authority.find(':'), authority.size());
    url.host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (url.host.empty()) return false;
  url.port = url.is_secure ? 443 : 80;
  if (port.empty()) return true;
  const auto number = port.front() == ':' ? ParsePort(port.substr(1)) : std::nullopt;
  if (number) url.port = *number;
  return number.has_value();
}

bool IsPrintable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

Result<EndpointUrl> ParseEndpointUrl(std::string_view url) {
  const auto refused = [&](std::string_view why) {
    return Status::InvalidArgument(fmt::format("the endpoint '{}' {}", url, why));
  };
  EndpointUrl parsed;
  parsed.is_secure = url.starts_with("https://");
  if (!parsed.is_secure && !url.starts_with("http://")) return refused("must begin with http:// or https://");
  if (!IsPrintable(url) || url.find_first_of("?#@") != std::string_view::npos)
    return refused("may have a host, a port and a path only");
  std::string_view rest = url.substr(parsed.is_secure ? 8 : 7);
  const size_t slash = std::min(rest.find('/'), rest.size());
  if (!SplitAuthority(rest.substr(0, slash), parsed)) return refused("has no host, or a port that is none");
  if (slash < rest.size()) parsed.path = rest.substr(slash);
  const bool is_ipv6 = parsed.host.find(':') != std::string::npos;
  parsed.authority = is_ipv6 ? fmt::format("[{}]", parsed.host) : parsed.host;
  if (parsed.port != (parsed.is_secure ? 443 : 80)) parsed.authority += fmt::format(":{}", parsed.port);
  return parsed;
}

}  // namespace armature::dax
