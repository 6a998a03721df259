#include "cli/bench/http/sigv4_signer.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "auth/signature.h"

namespace armature::cli::bench {
namespace {

constexpr std::string_view kService = "dynamodb";
constexpr std::string_view kContentType = "application/x-amz-json-1.0";
constexpr std::string_view kTargetPrefix = "DynamoDB_20120810.";
constexpr std::string_view kSignedHeaders = "content-type;host;x-amz-date;x-amz-target";

}  // namespace

SigV4Signer::SigV4Signer(Credentials credentials, std::string host)
    : credentials_(std::move(credentials)), host_(std::move(host)) {}

void SigV4Signer::StartSecond(int64_t unix_seconds) {
  time_ = auth::SignatureTime(unix_seconds);
  const std::string_view day = std::string_view(time_).substr(0, 8);
  std::string scope = auth::CredentialScope(day, credentials_.region, kService);
  if (scope != scope_) {
    scope_ = std::move(scope);
    key_ = HmacSha256(BytesOf(auth::SigningKey(credentials_.secret_access_key, day, credentials_.region, kService)));
  }
  second_ = unix_seconds;
  prepared_.clear();
}

const SigV4Signer::Prepared& SigV4Signer::Prepare(std::string_view operation) {
  for (const auto& known : prepared_) {
    if (known.target == operation) return known;
  }
  Prepared& fresh = prepared_.emplace_back(
      Prepared{.target = std::string(operation), .head = {}, .canonical = {}, .signature = key_});
  // The name of an operation of DynamoDB itself, or a whole target of its Streams.
  const std::string_view prefix = operation.find('.') == std::string_view::npos ? kTargetPrefix : std::string_view();
  const std::string target = fmt::format("{}{}", prefix, operation);
  const net::Header headers[] = {
      {"Host", host_}, {"Content-Type", kContentType}, {"X-Amz-Target", target}, {"X-Amz-Date", time_}};
  fresh.head = "POST / HTTP/1.1\r\n";
  for (const auto& [name, value] : headers) fresh.head += fmt::format("{}: {}\r\n", name, value);
  fresh.head += "User-Agent: armature-bench\r\nAuthorization: ";
  fresh.head += auth::AuthorizationHead(credentials_.access_key_id, scope_, kSignedHeaders);
  fresh.canonical.Update(auth::CanonicalHead(
      {.method = "POST", .path = "/", .query = {}, .headers = headers, .signed_headers = kSignedHeaders}));
  fresh.signature.Update(auth::StringToSignHead(time_, scope_));
  return fresh;
}

void SigV4Signer::AppendRequest(std::string_view target, std::string_view body, int64_t unix_seconds,
                                std::string& out) {
  if (unix_seconds != second_) StartSecond(unix_seconds);
  const Prepared& prepared = Prepare(target);

  Sha256 canonical = prepared.canonical;
  canonical.Update(HexDigest(Sha256::Of(body)).text());
  HmacSha256 signature = prepared.signature;
  signature.Update(HexDigest(canonical.Digest()).text());

  out.append(prepared.head);
  out.append(HexDigest(signature.Digest()).text());
  fmt::format_to(std::back_inserter(out), "\r\nContent-Length: {}\r\n\r\n", body.size());
  out.append(body);
}

}  // namespace armature::cli::bench
