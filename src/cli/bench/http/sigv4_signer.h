// Signs DynamoDB requests with AWS Signature Version 4, cheaply enough for a load driver.
//
// Owns the signing key and hashes that are not finished: everything that is equal for all requests of one operation in
// one second is hashed once, so a signature costs the hash of the body and a handful of SHA-256 blocks (about 1 µs).
// What a signature is says auth/signature.h; they are real: a server that checks them accepts them. Not thread-safe:
// one per driver thread. Takes the time from its caller, never from a clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec/sha256.h"

namespace armature::cli::bench {

struct Credentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string region;
};

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
    std::string head;      // request line and headers up to and including "Signature="
    Sha256 canonical;      // the canonical request up to the body's hash
    HmacSha256 signature;  // the signature up to the canonical request's hash
  };

  const Prepared& Prepare(std::string_view target);
  void StartSecond(int64_t unix_seconds);

  Credentials credentials_;
  std::string host_;
  int64_t second_ = -1;
  std::string time_;                    // 20260102T030405Z
  std::string scope_;                   // 20260102/us-east-1/dynamodb/aws4_request
  HmacSha256 key_{std::string_view()};  // of that scope
  std::vector<Prepared> prepared_;      // a workload uses one or two operations
};

}  // namespace armature::cli::bench
