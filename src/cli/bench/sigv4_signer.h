// Signs DynamoDB requests with AWS Signature Version 4, cheaply enough for a load driver.
//
// Owns the derived signing key and hash midstates: everything that is equal for all requests of
// one operation in one second is hashed once, so a signature costs the hash of the body and a
// handful of SHA-256 blocks (about 1 µs). The signatures are real: a server that checks them accepts
// them. Not thread-safe: one per driver thread. Takes the time from its caller, never from a clock.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/sha.h>

namespace armature::cli::bench {

struct Credentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string region;
};

using Sha256Digest = std::array<uint8_t, 32>;

// The key of the day: HMAC over date, region, service and "aws4_request".
Sha256Digest DeriveSigningKey(std::string_view secret, std::string_view date, std::string_view region,
                              std::string_view service);

class SigV4Signer {
 public:
  SigV4Signer(Credentials credentials, std::string host);

  // Appends a complete signed `POST /` of `body` to `out`. `target` names the operation
  // ("GetItem", or "DynamoDBStreams_20120810.GetRecords").
  void AppendRequest(std::string_view target, std::string_view body, int64_t unix_seconds, std::string& out);

 private:
  // What is constant for one operation within one second.
  struct Prepared {
    std::string target;
    std::string head;        // request line and headers up to and including "Signature="
    SHA256_CTX canonical{};  // canonical request hashed up to the payload hash
    SHA256_CTX inner{};      // inner HMAC hashed up to the canonical request's hash
  };

  Prepared& Prepare(std::string_view target);
  void StartSecond(int64_t unix_seconds);

  Credentials credentials_;
  std::string host_;
  int64_t second_ = -1;
  std::string date_time_;  // 20260102T030405Z
  std::string scope_;      // 20260102/us-east-1/dynamodb/aws4_request
  SHA256_CTX key_inner_{};
  SHA256_CTX key_outer_{};
  std::vector<Prepared> prepared_;  // a workload uses one or two operations
};

}  // namespace armature::cli::bench
