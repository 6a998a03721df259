#include "auth/request_signer.h"

#include <algorithm>
#include <vector>

#include "auth/signature.h"

namespace armature::auth {

namespace {

struct UrlParts {
  std::string_view host;  // with the port, unless it is the scheme's own
  std::string_view path;
  std::string_view query;
};

UrlParts SplitUrl(std::string_view url) {
  url = url.substr(0, url.find('#'));
  const size_t scheme_end = url.find("://");
  const std::string_view scheme = scheme_end == std::string_view::npos ? "http" : url.substr(0, scheme_end);
  if (scheme_end != std::string_view::npos) url.remove_prefix(scheme_end + 3);
  UrlParts parts;
  parts.host = url.substr(0, url.find_first_of("/?"));
  url.remove_prefix(parts.host.size());
  parts.path = url.substr(0, url.find('?'));
  if (parts.path.size() < url.size()) parts.query = url.substr(parts.path.size() + 1);
  if (const size_t at = parts.host.rfind('@'); at != std::string_view::npos) parts.host.remove_prefix(at + 1);
  const std::string_view own_port = net::EqualsIgnoreCase(scheme, "https") ? ":443" : ":80";
  if (parts.host.ends_with(own_port)) parts.host.remove_suffix(own_port.size());
  return parts;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return lower;
}

// The names of all headers, in order, each once.
std::string SignedHeaderNames(const std::vector<HttpHeader>& headers) {
  std::vector<std::string> names;
  names.reserve(headers.size());
  for (const HttpHeader& header : headers) names.push_back(LowerCase(header.name));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ";") + name;
  return joined;
}

}  // namespace

void SignRequest(const SigningIdentity& identity, std::string_view region, std::string_view service,
                 int64_t unix_seconds, HttpClientRequest& request) {
  const UrlParts url = SplitUrl(request.url);
  const std::string time = SignatureTime(unix_seconds);
  const std::string_view day = std::string_view(time).substr(0, 8);
  // Told to the client too: what it would make of the URL itself need not be what is signed here.
  request.headers.push_back({"Host", std::string(url.host)});
  request.headers.push_back({"X-Amz-Date", time});
  if (!identity.session_token.empty()) request.headers.push_back({"X-Amz-Security-Token", identity.session_token});

  const std::string scope = CredentialScope(day, region, service);
  const std::string names = SignedHeaderNames(request.headers);
  std::vector<net::Header> headers;
  headers.reserve(request.headers.size());
  for (const HttpHeader& header : request.headers) headers.push_back({header.name, header.value});
  const HexDigest signature = Sign(
      {.method = request.method, .path = url.path, .query = url.query, .headers = headers, .signed_headers = names},
      HexDigest(Sha256::Of(request.body)), time, scope, SigningKey(identity.secret_access_key, day, region, service));
  std::string authorization = AuthorizationHead(identity.access_key_id, scope, names);
  authorization += signature.text();
  request.headers.push_back({"Authorization", std::move(authorization)});
}

}  // namespace armature::auth
