#include "auth/signature.h"

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "auth/percent_encoding.h"

namespace armature::auth {

namespace {

// Beyond so many comparisons of names, headers are looked up in order instead.
constexpr size_t kMostComparisons = 4096;

// What a thread keeps of the memory it has used for canonical requests.
constexpr size_t kMostScratchBytes = 64 * 1024;

// Cuts `text` behind the first `end`, or empties it, and gives what stood before.
std::string_view Take(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool IsLessIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(a, b, {}, Lower, Lower);
}

// Without blanks around it, and with one blank for each row of them.
void AppendHeaderValue(std::string_view value, std::string& out) {
  if (value.find("  ") == std::string_view::npos && value.find('\t') == std::string_view::npos &&
      !value.starts_with(' ') && !value.ends_with(' ')) {
    out += value;
    return;
  }
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

void AppendHeaders(std::span<const net::Header> headers, std::string_view names, std::string& out) {
  while (!names.empty()) AppendHeader(headers, Take(names, ';'), out);
}

// The same for a hostile number of names and headers: the headers are put in order first, those of a name side by side.
void AppendManyHeaders(std::span<const net::Header> headers, std::string_view names, std::string& out) {
  std::vector<net::Header> sorted(headers.begin(), headers.end());
  std::ranges::stable_sort(sorted, IsLessIgnoringCase, &net::Header::name);
  while (!names.empty()) {
    const std::string_view name = Take(names, ';');
    const auto first = std::ranges::lower_bound(sorted, name, IsLessIgnoringCase, &net::Header::name);
    auto last = first;
    while (last != sorted.end() && net::EqualsIgnoreCase(last->name, name)) ++last;
    AppendHeader({first, last}, name, out);
  }
}

bool AreCanonicalNames(std::string_view names) {
  if (names.ends_with(';') || std::ranges::any_of(names, [](char c) { return Lower(c) != c; })) return false;
  std::string_view last = Take(names, ';');
  if (last.empty()) return false;
  while (!names.empty()) {
    const std::string_view name = Take(names, ';');
    if (name <= last) return false;
    last = name;
  }
  return true;
}

void AppendStringToSignHead(std::string_view time, std::string_view scope, std::string& out) {
  out.append(kSignatureAlgorithm).append("\n").append(time).append("\n").append(scope).append("\n");
}

}  // namespace

std::string_view CanonicalHeaderNames(std::string_view names, Arena& arena) {
  if (AreCanonicalNames(names)) return names;
  char* const lower = static_cast<char*>(arena.Allocate(names.size(), 1));
  std::ranges::transform(names, lower, Lower);
  std::vector<std::string_view> sorted;
  for (std::string_view rest(lower, names.size()); !rest.empty();)
    if (const std::string_view name = Take(rest, ';'); !name.empty()) sorted.push_back(name);
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::string joined;
  joined.reserve(names.size());
  for (const std::string_view name : sorted) joined.append(joined.empty() ? "" : ";").append(name);
  return arena.Copy(joined);
}

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

void AppendCanonicalHead(const SignedParts& parts, std::string& out) {
  out.append(parts.method).append("\n");
  if (parts.path.empty() || parts.path == "/") out += '/';
  else out += CanonicalPath(parts.path);
  out += '\n';
  if (!parts.query.empty()) out += CanonicalQuery(parts.query);
  out += '\n';
  const auto names = 1 + static_cast<size_t>(std::ranges::count(parts.signed_headers, ';'));
  if (names * parts.headers.size() <= kMostComparisons) AppendHeaders(parts.headers, parts.signed_headers, out);
  else AppendManyHeaders(parts.headers, parts.signed_headers, out);
  out.append("\n").append(parts.signed_headers).append("\n");
}

std::string CanonicalHead(const SignedParts& parts) {
  std::string text;
  AppendCanonicalHead(parts, text);
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
  return fmt::format("{}/{}/{}/{}", day, region, service, kSignatureTerminator);
}

std::string StringToSignHead(std::string_view time, std::string_view scope) {
  std::string text;
  AppendStringToSignHead(time, scope, text);
  return text;
}

Sha256Digest SigningKey(std::string_view secret, std::string_view day, std::string_view region,
                        std::string_view service) {
  std::string seed = "AWS4";
  seed += secret;
  Sha256Digest key = HmacSha256::Of(seed, day);
  OPENSSL_cleanse(seed.data(), seed.size());  // no copy of a secret stays behind
  for (const std::string_view part : {region, service, kSignatureTerminator}) key = HmacSha256::Of(BytesOf(key), part);
  return key;
}

std::string& SigningScratch::Begin() {
  if (text_.capacity() > kMostScratchBytes) {
    std::string().swap(text_);
    std::string().swap(head_);
    state_ = Sha256();
  }
  text_.clear();
  return text_;
}

Sha256Digest SigningScratch::Digest(size_t head) {
  const size_t whole = head - head % Sha256::kBlockBytes;
  if (std::string_view(text_).substr(0, whole) != head_) {
    head_.clear();  // should memory run out in the next line
    state_ = Sha256();
    head_.assign(text_, 0, whole);
    state_.Update(head_);
  }
  Sha256 hash = state_;
  hash.Update(std::string_view(text_).substr(whole));
  return hash.Digest();
}

HexDigest Sign(const SignedParts& parts, const HexDigest& body_hash, std::string_view time, std::string_view scope,
               const HmacSha256& key, SigningScratch& scratch) {
  std::string& text = scratch.Begin();
  AppendCanonicalHead(parts, text);
  const size_t head = text.size();
  text += body_hash.text();
  const HexDigest canonical(scratch.Digest(head));
  text.clear();
  AppendStringToSignHead(time, scope, text);
  text += canonical.text();
  HmacSha256 signature = key;
  signature.Update(text);
  return HexDigest(signature.Digest());
}

HexDigest Sign(const SignedParts& parts, const HexDigest& body_hash, std::string_view time, std::string_view scope,
               const Sha256Digest& key) {
  SigningScratch scratch;
  return Sign(parts, body_hash, time, scope, HmacSha256(BytesOf(key)), scratch);
}

std::string AuthorizationHead(std::string_view access_key_id, std::string_view scope, std::string_view signed_headers) {
  return fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature=", kSignatureAlgorithm, access_key_id, scope,
                     signed_headers);
}

}  // namespace armature::auth
