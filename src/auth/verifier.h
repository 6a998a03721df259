// Verifier: whether a request's signature is to be believed, and whose it is.
//
// Reads the signature, in AWS's order of checks and with its texts, and gives the Principal on whose behalf the request
// comes, or the fault. One object serves all reactors: implementations are thread-safe and never block. Chosen by
// server/, called by front/ once per request.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "auth/auth_fault.h"
#include "auth/principal.h"
#include "base/memory/arena.h"
#include "net/http_message.h"

namespace armature::net {
class Exchange;
}

namespace armature::auth {

// Signing names. DynamoDB and its streams share one.
inline constexpr std::array<std::string_view, 1> kDynamoDbSigningNames{"dynamodb"};

// Where a request comes from. Asked only where failures are being counted, so that others do not pay for the text.
class ClientAddress {
 public:
  virtual ~ClientAddress() = default;
  virtual std::string Text() const = 0;  // "192.0.2.7" or "2001:db8::7": without a port
};

// What the route knows of a request and its signature does not say.
struct Expected {
  // For which services it may be signed: faults name the first.
  std::span<const std::string_view> services = kDynamoDbSigningNames;
  // Whose failures are counted together. Null: unknown, nothing is counted.
  const ClientAddress* client = nullptr;
  bool is_secure = false;  // it came through TLS
  // With whose connection it comes. Null: unknown, connections are not counted.
  net::Exchange* exchange = nullptr;
};

struct Verified {
  Principal principal;
  // Of the scope. Of a verifier that believes everybody the service is whatever was written there.
  std::string_view region;
  std::string_view service;
  // Nobody has looked at the signature, because there are no principals: no policy is asked about him.
  bool is_unproven = false;
};

class Verifier {
 public:
  virtual ~Verifier() = default;
  // The texts are the identity's, the request's or in its arena.
  virtual AuthResult<Verified> Verify(const net::HttpRequest& request, const Expected& expected,
                                      Arena& arena) const = 0;
  // Another number once the same request could be answered otherwise: keys, their owners or policies have changed. For
  // those who ask once and rely on it for longer than a request; that time passes they have to think of themselves.
  virtual uint64_t generation() const { return 0; }
};

}  // namespace armature::auth
