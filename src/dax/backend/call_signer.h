// CallSigner: the headers of a signed request to DynamoDB.
//
// Keeps what requests have in common: the signing keys of the Regions asked for last. Belongs to one reactor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "auth/signature.h"
#include "dax/backend/credentials.h"
#include "net/http_message.h"

namespace armature::dax {

// What is to be sent with a call. Views of its own texts and of what it was made from: it does not move.
struct SignedHeaders {
  SignedHeaders() = default;
  SignedHeaders(const SignedHeaders&) = delete;
  SignedHeaders& operator=(const SignedHeaders&) = delete;

  std::vector<net::Header> headers;
  std::string target;
  std::string time;
  std::string authorization;
  CredentialsPtr credentials;
};

struct CallToSign {
  std::string_view host;  // as the Host header has it
  std::string_view path;
  std::string_view operation;  // "GetItem"
  std::string_view body;
  std::string_view region;
};

class CallSigner {
 public:
  // Fills `to`, which holds as long as the call's own texts do.
  void Sign(const CallToSign& call, CredentialsPtr credentials, int64_t unix_seconds, SignedHeaders& to);

 private:
  struct Key {
    CredentialsPtr credentials;
    std::string scope;
    HmacSha256 key;
  };
  static constexpr size_t kMostKeys = 8;

  const Key& KeyFor(const CredentialsPtr& credentials, std::string_view day, std::string_view region);

  std::vector<Key> keys_;
  size_t next_ = 0;  // which is replaced next
  auth::SigningScratch scratch_;
};

}  // namespace armature::dax
