#include "net/client/http_call.h"

#include <algorithm>

#include <fmt/format.h>

#include "net/header_lines.h"

namespace armature::net {
namespace {

bool IsTokenText(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), IsToken); }

bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return IsControl(c) && c != '\t'; });
}

bool IsOurs(std::string_view name) {
  return EqualsIgnoreCase(name, "content-length") || EqualsIgnoreCase(name, "transfer-encoding") ||
         EqualsIgnoreCase(name, "connection");
}

bool Has(const HttpCall& call, std::string_view name) {
  return std::any_of(call.headers.begin(), call.headers.end(),
                     [&](const Header& header) { return EqualsIgnoreCase(header.name, name); });
}

}  // namespace

Status CheckCall(const HttpCall& call) {
  if (call.host.empty() || call.host.find_first_of(" /?#@[]\t") != std::string::npos || HasControl(call.host))
    return Status::InvalidArgument("a request needs a host name or address");
  if (!IsTokenText(call.method)) return Status::InvalidArgument("a request's method is not a word");
  if (call.target.empty() || call.target.find_first_of(" \t") != std::string_view::npos || HasControl(call.target))
    return Status::InvalidArgument("a request's target has blanks or control characters, or is empty");
  for (const Header& header : call.headers) {
    if (!IsTokenText(header.name) || IsOurs(header.name))
      return Status::InvalidArgument(fmt::format("a request cannot have the header '{}'", header.name));
    if (HasControl(header.value))
      return Status::InvalidArgument(fmt::format("the header {} has control characters", header.name));
  }
  return Status::Ok();
}

bool IsRepeatable(const HttpCall& call) {
  if (call.is_repeatable) return *call.is_repeatable;
  for (const std::string_view method : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"})
    if (call.method == method) return true;
  return false;
}

std::string AuthorityOf(const HttpCall& call) {
  const bool is_ipv6 = call.host.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", call.host, call.port) : fmt::format("{}:{}", call.host, call.port);
}

void RenderCallHead(const HttpCall& call, Buffer& out) {
  fmt::memory_buffer text;
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "{} {} HTTP/1.1\r\n", call.method, call.target);
  if (!Has(call, "host")) {
    const std::string authority = AuthorityOf(call);
    const std::string_view without_port = std::string_view(authority).substr(0, authority.rfind(':'));
    fmt::format_to(to, "Host: {}\r\n", call.port == (call.is_secure ? 443 : 80) ? without_port : authority);
  }
  for (const Header& header : call.headers) fmt::format_to(to, "{}: {}\r\n", header.name, header.value);
  // A length of nothing is said where a body is usual, and left out where it would be odd.
  const bool is_bodiless = call.method == "GET" || call.method == "HEAD" || call.method == "DELETE";
  if (!call.body.empty() || !is_bodiless) fmt::format_to(to, "Content-Length: {}\r\n", call.body.size());
  fmt::format_to(to, "\r\n");
  out.Append({text.data(), text.size()});
}

}  // namespace armature::net
