// What a signature of AWS Signature Version 4 is, step by step: canonical request, string to sign, signing key,
// signature.
//
// The only place that computes one: whoever signs requests of our own (Kinesis, the shell, the bench) and whoever
// checks those of others stand on it. The steps end where the next hash is to follow, so that a caller with many
// requests alike can hash their common beginning once. Pure, thread-safe; takes the time from its caller.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/codec/sha256.h"
#include "base/memory/arena.h"
#include "net/http_message.h"

namespace armature::auth {

inline constexpr std::string_view kSignatureAlgorithm = "AWS4-HMAC-SHA256";
inline constexpr std::string_view kSignatureTerminator = "aws4_request";

// The parts of a request that are signed, as they are sent.
struct SignedParts {
  std::string_view method;
  std::string_view path;   // percent-encoded, as in the request line; empty means "/"
  std::string_view query;  // behind the '?'
  std::span<const net::Header> headers;
  std::string_view signed_headers;  // "host;x-amz-date": canonical (below); of others nothing is signed
};

// Names of headers as a canonical request has them: lower case, in order, each once. Clients may write them otherwise,
// but sign them so. The arena is touched only if anything changes.
std::string_view CanonicalHeaderNames(std::string_view names, Arena& arena);

// The canonical request but for its end, the hash of the body in hexadecimal.
std::string CanonicalHead(const SignedParts& parts);
void AppendCanonicalHead(const SignedParts& parts, std::string& out);

// The path with its dot segments and repeated slashes gone, each segment encoded once more: what all services but S3
// do.
std::string CanonicalPath(std::string_view path);
// The parameters encoded in one way and sorted. The signature of a presigned request cannot sign itself: it is left
// out.
std::string CanonicalQuery(std::string_view query);

// "20150830T123600Z". Its first eight characters are the day that scopes and keys are of.
std::string SignatureTime(int64_t unix_seconds);

// "20150830/us-east-1/dynamodb/aws4_request".
std::string CredentialScope(std::string_view day, std::string_view region, std::string_view service);

// The string to sign but for its end, the hash of the canonical request in hexadecimal.
std::string StringToSignHead(std::string_view time, std::string_view scope);

// The key of one secret for one day, Region and service.
Sha256Digest SigningKey(std::string_view secret, std::string_view day, std::string_view region,
                        std::string_view service);

// What signatures that follow one another on a thread share: memory, and the hash of how the last canonical request
// began. Clients send the same headers again, and their time changes once a second.
class SigningScratch {
 public:
  // Empty, with the memory of the last one.
  std::string& Begin();
  // The digest of the text, of which the first `head` bytes may well be those of the last one.
  Sha256Digest Digest(size_t head);

 private:
  std::string text_;
  std::string head_;  // whole blocks, which `state_` has taken in
  Sha256 state_;
};

// All steps in one, for a single request. With a key that is prepared already, and memory that others have used before,
// nothing is allocated.
HexDigest Sign(const SignedParts& parts, const HexDigest& body_hash, std::string_view time, std::string_view scope,
               const HmacSha256& key, SigningScratch& scratch);
HexDigest Sign(const SignedParts& parts, const HexDigest& body_hash, std::string_view time, std::string_view scope,
               const Sha256Digest& key);

// The Authorization header that carries a signature, but for its end, the signature.
std::string AuthorizationHead(std::string_view access_key_id, std::string_view scope, std::string_view signed_headers);

}  // namespace armature::auth
