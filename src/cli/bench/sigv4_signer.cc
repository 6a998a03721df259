// OpenSSL 3 deprecates the low-level SHA-256 calls in favour of EVP, which allocates per digest and
// costs four times as much here; the driver must stay much cheaper than the server it measures.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "cli/bench/sigv4_signer.h"

#include <ctime>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace armature::cli::bench {
namespace {

constexpr std::string_view kService = "dynamodb";
constexpr std::string_view kContentType = "application/x-amz-json-1.0";
constexpr std::string_view kTargetPrefix = "DynamoDB_20120810.";
constexpr std::string_view kSignedHeaders = "content-type;host;x-amz-date;x-amz-target";
constexpr size_t kBlock = 64;

using Hex = std::array<char, 64>;

Sha256Digest Finish(SHA256_CTX context) {
  Sha256Digest digest;
  SHA256_Final(digest.data(), &context);
  return digest;
}

void Update(SHA256_CTX& context, std::string_view bytes) { SHA256_Update(&context, bytes.data(), bytes.size()); }

Hex ToHex(const Sha256Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  Hex hex;
  for (size_t i = 0; i < digest.size(); ++i) {
    hex[2 * i] = kDigits[digest[i] >> 4];
    hex[2 * i + 1] = kDigits[digest[i] & 15];
  }
  return hex;
}

// HMAC's two starting states for a key: the padded key already hashed.
void StartHmac(std::string_view key, SHA256_CTX& inner, SHA256_CTX& outer) {
  std::array<uint8_t, kBlock> block{};
  if (key.size() > kBlock) {
    SHA256(reinterpret_cast<const uint8_t*>(key.data()), key.size(), block.data());
  } else {
    std::copy(key.begin(), key.end(), block.begin());
  }
  for (auto& byte : block) byte ^= 0x36;
  SHA256_Init(&inner);
  SHA256_Update(&inner, block.data(), block.size());
  for (auto& byte : block) byte ^= 0x36 ^ 0x5c;
  SHA256_Init(&outer);
  SHA256_Update(&outer, block.data(), block.size());
}

Sha256Digest FinishHmac(const SHA256_CTX& inner, SHA256_CTX outer) {
  const Sha256Digest digest = Finish(inner);
  SHA256_Update(&outer, digest.data(), digest.size());
  return Finish(outer);
}

Sha256Digest Hmac(std::string_view key, std::string_view message) {
  SHA256_CTX inner;
  SHA256_CTX outer;
  StartHmac(key, inner, outer);
  Update(inner, message);
  return FinishHmac(inner, outer);
}

std::string_view View(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

Sha256Digest DeriveSigningKey(std::string_view secret, std::string_view date, std::string_view region,
                              std::string_view service) {
  Sha256Digest key = Hmac(fmt::format("AWS4{}", secret), date);
  for (const std::string_view part : {region, service, std::string_view("aws4_request")}) key = Hmac(View(key), part);
  return key;
}

SigV4Signer::SigV4Signer(Credentials credentials, std::string host)
    : credentials_(std::move(credentials)), host_(std::move(host)) {}

void SigV4Signer::StartSecond(int64_t unix_seconds) {
  const std::time_t time = unix_seconds;
  std::tm utc{};
  gmtime_r(&time, &utc);
  const std::string date = fmt::format("{:04}{:02}{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
  date_time_ = fmt::format("{}T{:02}{:02}{:02}Z", date, utc.tm_hour, utc.tm_min, utc.tm_sec);
  std::string scope = fmt::format("{}/{}/{}/aws4_request", date, credentials_.region, kService);
  if (scope != scope_) {
    scope_ = std::move(scope);
    const Sha256Digest key = DeriveSigningKey(credentials_.secret_access_key, date, credentials_.region, kService);
    StartHmac(View(key), key_inner_, key_outer_);
  }
  second_ = unix_seconds;
  prepared_.clear();
}

SigV4Signer::Prepared& SigV4Signer::Prepare(std::string_view target) {
  for (auto& known : prepared_) {
    if (known.target == target) return known;
  }
  Prepared& fresh = prepared_.emplace_back();
  fresh.target = target;
  // The name of an operation of DynamoDB itself, or a whole target of its Streams.
  const std::string_view prefix = target.find('.') == std::string_view::npos ? kTargetPrefix : std::string_view();
  fresh.head = fmt::format(
      "POST / HTTP/1.1\r\nHost: {}\r\nContent-Type: {}\r\nX-Amz-Target: {}{}\r\nX-Amz-Date: {}\r\n"
      "User-Agent: armature-bench\r\nAuthorization: AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature=",
      host_, kContentType, prefix, target, date_time_, credentials_.access_key_id, scope_, kSignedHeaders);
  SHA256_Init(&fresh.canonical);
  Update(fresh.canonical, fmt::format("POST\n/\n\ncontent-type:{}\nhost:{}\nx-amz-date:{}\nx-amz-target:{}{}\n\n{}\n",
                                      kContentType, host_, date_time_, prefix, target, kSignedHeaders));
  fresh.inner = key_inner_;
  Update(fresh.inner, fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n", date_time_, scope_));
  return fresh;
}

void SigV4Signer::AppendRequest(std::string_view target, std::string_view body, int64_t unix_seconds,
                                std::string& out) {
  if (unix_seconds != second_) StartSecond(unix_seconds);
  const Prepared& prepared = Prepare(target);

  Sha256Digest digest;
  SHA256(reinterpret_cast<const uint8_t*>(body.data()), body.size(), digest.data());
  Hex hex = ToHex(digest);
  SHA256_CTX canonical = prepared.canonical;
  SHA256_Update(&canonical, hex.data(), hex.size());
  hex = ToHex(Finish(canonical));
  SHA256_CTX inner = prepared.inner;
  SHA256_Update(&inner, hex.data(), hex.size());
  hex = ToHex(FinishHmac(inner, key_outer_));

  out.append(prepared.head);
  out.append(hex.data(), hex.size());
  fmt::format_to(std::back_inserter(out), "\r\nContent-Length: {}\r\n\r\n", body.size());
  out.append(body);
}

}  // namespace armature::cli::bench
