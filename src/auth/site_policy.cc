#include "auth/site_policy.h"

#include <algorithm>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

namespace armature::auth {

namespace {

constexpr std::string_view kAny = "*";
// What a page may read of an answer besides its body: the headers DynamoDB exposes.
constexpr std::string_view kExposedHeaders =
    "Access-Control-Expose-Headers: x-amzn-RequestId,x-amzn-ErrorType,x-amz-request-id,x-amz-id-2,x-amzn-ErrorMessage,"
    "x-amz-crc32,Date\r\n";

bool IsOneOf(std::string_view text, const std::vector<std::string>& list) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& entry) { return net::EqualsIgnoreCase(text, entry); });
}

bool IsDigits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// What a host name or an address literal is made of.
bool IsHostText(std::string_view text) {
  return !text.empty() && text.size() <= 255 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_' || c == ':';
  });
}

// The name or address in "name:port" or "[address]:port"; empty if it is neither.
std::string_view HostOf(std::string_view header) {
  std::string_view host, rest;
  if (header.starts_with('[')) {
    const size_t end = header.find(']');
    if (end == std::string_view::npos) return {};
    host = header.substr(1, end - 1);
    rest = header.substr(end + 1);
  } else {
    host = header.substr(0, header.find(':'));
    rest = header.substr(host.size());
  }
  if (!rest.empty() && (rest.front() != ':' || !IsDigits(rest.substr(1)))) return {};
  return host;
}

struct Literal {
  bool is_address = false;
  bool is_loopback = false;
};

Literal ReadLiteral(std::string_view host) {
  char text[INET6_ADDRSTRLEN + 1];
  if (host.size() >= sizeof(text)) return {};
  text[host.copy(text, host.size())] = '\0';
  in_addr v4{};
  if (inet_pton(AF_INET, text, &v4) == 1) return {true, ntohl(v4.s_addr) >> 24 == 127};
  in6_addr v6{};
  if (inet_pton(AF_INET6, text, &v6) != 1) return {};
  return {true, IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127)};
}

model::ApiError Refuse(std::string message) {
  model::ApiError error = model::AccessDeniedException(std::move(message));
  error.http_status = 403;
  return error;
}

// A header's text is shown only if it is plain: it is the caller's, and the answer is JSON.
std::string Quoted(std::string_view text) {
  const bool is_plain =
      text.size() <= 300 && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
  return is_plain ? fmt::format("'{}'", text) : std::string("what it does");
}

}  // namespace

SitePolicy::SitePolicy(std::string_view bound_host, std::vector<std::string> allowed_hosts,
                       std::vector<std::string> origins)
    : bound_host_(bound_host),
      allows_any_address_(bound_host == "0.0.0.0" || bound_host == "::" || !ReadLiteral(bound_host).is_address),
      allows_any_host_(IsOneOf(kAny, allowed_hosts)),
      allows_any_origin_(IsOneOf(kAny, origins)),
      hosts_(std::move(allowed_hosts)),
      origins_(std::move(origins)) {}

model::ApiResult<void> SitePolicy::Check(const net::HttpRequest& request) const {
  // HTTP/1.0 has no Host; what sends none is no browser.
  if (const net::Header* host = request.Find("Host"); host && !IsHostAllowed(host->value)) [[unlikely]]
    return Refuse(
        fmt::format("The Host header names {}, which is neither this server's address nor a name it was given with "
                    "--allowed-host.",
                    Quoted(host->value)));
  // Any Origin, the first or a repeated one, must be known.
  for (const net::Header& header : request.headers)
    if (header.name.size() == 6 && net::EqualsIgnoreCase(header.name, "Origin") && !IsOriginAllowed(header.value))
        [[unlikely]]
      return Refuse(
          fmt::format("The Origin header names {}: web pages may use this server only if it was given their origin "
                      "with --cors-origin.",
                      Quoted(header.value)));
  return {};
}

bool SitePolicy::IsHostAllowed(std::string_view header) const {
  if (allows_any_host_) return true;
  const std::string_view host = HostOf(header);
  if (host == "127.0.0.1" || net::EqualsIgnoreCase(host, "localhost")) [[likely]]
    return true;
  if (host.empty()) return false;
  const Literal literal = ReadLiteral(host);
  if (literal.is_loopback || (literal.is_address && allows_any_address_)) return true;
  return net::EqualsIgnoreCase(host, bound_host_) || IsOneOf(host, hosts_);
}

bool SitePolicy::IsOriginAllowed(std::string_view origin) const {
  return allows_any_origin_ || IsOneOf(origin, origins_);
}

void SitePolicy::Grant(const net::HttpRequest& request, net::HttpResponse& response) const {
  const net::Header* origin = request.Find("Origin");
  if (origin == nullptr) [[likely]]
    return;
  if (allows_any_origin_) {
    response.AddRenderedHeaders("Access-Control-Allow-Origin: *\r\n");
  } else {
    response.AddHeader("Access-Control-Allow-Origin", origin->value);
    response.AddRenderedHeaders("Vary: Origin\r\n");
  }
  response.AddRenderedHeaders(kExposedHeaders);
  // Browsers ask for this before a page of the Internet may reach an address of a private network.
  if (net::EqualsIgnoreCase(request.Value("Access-Control-Request-Private-Network"), "true"))
    response.AddRenderedHeaders("Access-Control-Allow-Private-Network: true\r\n");
}

Status SitePolicy::CheckHost(std::string_view host) {
  const bool is_address = ReadLiteral(host).is_address;
  const bool has_port = !is_address && host.find(':') != std::string_view::npos;
  if (host == kAny || (IsHostText(host) && !has_port)) return Status::Ok();
  return Status::InvalidArgument("an allowed host is a name or an address without a port, or *");
}

Status SitePolicy::CheckOrigin(std::string_view origin) {
  if (origin == kAny) return Status::Ok();
  const size_t colon = origin.find("://");
  const std::string_view scheme = origin.substr(0, colon == std::string_view::npos ? 0 : colon);
  const std::string_view host = scheme.empty() ? std::string_view() : HostOf(origin.substr(colon + 3));
  if (IsHostText(scheme) && IsHostText(host)) return Status::Ok();
  return Status::InvalidArgument(
      "an origin is what a browser sends: scheme://host or scheme://host:port, without a path; or *");
}

}  // namespace armature::auth
