#include "auth/signature.h"

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "auth/percent_encoding.h"

namespace armature::auth {

namespace {

constexpr std::string_view kTerminator = "aws4_request";

// Cuts `text` behind the first `end`, or empties it, and gives what stood before.
std::string_view Take(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

// Without blanks around it, and with one blank for each row of them.
void AppendHeaderValue(std::string_view value, std::string& out) {
  bool owes_blank = false;
  const size_t start = out.size();
  for (const char c : value) {
    if (c == ' ' || c == '\t') {
      owes_blank = out.size() > start;
      continue;
    }
    if (std::exchange(owes_blank, false)) out += ' ';
    out += c;
  }
}

void AppendHeader(std::span<const net::Header> headers, std::string_view name, std::string& out) {
  out += name;
  char separator = ':';
  for (const net::Header& header : headers) {
    if (!net::EqualsIgnoreCase(header.name, name)) continue;
    out += std::exchange(separator, ',');
    AppendHeaderValue(header.value, out);
  }
  if (separator == ':') out += ':';
  out += '\n';
}

}  // namespace

std::string CanonicalPath(std::string_view path) {
  std::vector<std::string_view> segments;
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view segment = Take(rest, '/');
    if (segment.empty() || segment == ".") continue;
    if (segment != "..") segments.push_back(segment);
    else if (!segments.empty()) segments.pop_back();
  }
  std::string canonical;
  for (const std::string_view segment : segments) {
    canonical += '/';
    PercentEncode(segment, canonical);
  }
  if (segments.empty() || path.ends_with('/')) canonical += '/';
  return canonical;
}

std::string CanonicalQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  while (!query.empty()) {
    std::string_view value = Take(query, '&');
    const std::string_view name = Take(value, '=');
    if (name.empty() && value.empty()) continue;
    if (name == "X-Amz-Signature") continue;
    auto& [encoded_name, encoded_value] = parameters.emplace_back();
    PercentEncode(PercentDecode(name), encoded_name);
    PercentEncode(PercentDecode(value), encoded_value);
  }
  std::ranges::sort(parameters);
  std::string canonical;
  for (const auto& [name, value] : parameters) {
    if (!canonical.empty()) canonical += '&';
    canonical += name;
    canonical += '=';
    canonical += value;
  }
  return canonical;
}

std::string CanonicalHead(const SignedParts& parts) {
  std::string text = fmt::format("{}\n{}\n{}\n", parts.method, CanonicalPath(parts.path), CanonicalQuery(parts.query));
  for (std::string_view names = parts.signed_headers; !names.empty();)
    AppendHeader(parts.headers, Take(names, ';'), text);
  text += '\n';
  text += parts.signed_headers;
  text += '\n';
  return text;
}

std::string SignatureTime(int64_t unix_seconds) {
  const std::time_t time = unix_seconds;
  std::tm utc{};
  gmtime_r(&time, &utc);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
                     utc.tm_min, utc.tm_sec);
}

std::string CredentialScope(std::string_view day, std::string_view region, std::string_view service) {
  return fmt::format("{}/{}/{}/{}", day, region, service, kTerminator);
}

std::string StringToSignHead(std::string_view time, std::string_view scope) {
  return fmt::format("{}\n{}\n{}\n", kSignatureAlgorithm, time, scope);
}

Sha256Digest SigningKey(std::string_view secret, std::string_view day, std::string_view region,
                        std::string_view service) {
  Sha256Digest key = HmacSha256::Of(fmt::format("AWS4{}", secret), day);
  for (const std::string_view part : {region, service, kTerminator}) key = HmacSha256::Of(BytesOf(key), part);
  return key;
}

HexDigest Sign(const SignedParts& parts, const HexDigest& body_hash, std::string_view time, std::string_view scope,
               const Sha256Digest& key) {
  Sha256 canonical;
  canonical.Update(CanonicalHead(parts));
  canonical.Update(body_hash.text());
  HmacSha256 signature(BytesOf(key));
  signature.Update(StringToSignHead(time, scope));
  signature.Update(HexDigest(canonical.Digest()).text());
  return HexDigest(signature.Digest());
}

std::string AuthorizationHead(std::string_view access_key_id, std::string_view scope, std::string_view signed_headers) {
  return fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature=", kSignatureAlgorithm, access_key_id, scope,
                     signed_headers);
}

}  // namespace armature::auth
