// Verifier: whether a well-formed signature is to be believed.
//
// The place where keys, clock skew, scope and the signature itself are checked, and where session tokens are looked up.
// One object serves all reactors: implementations are thread-safe and never block. Chosen by server/, called by api/
// once per request, after ParseAuthorization.
#pragma once

#include "auth/sigv4.h"
#include "model/api_error.h"
#include "net/http_message.h"

namespace armature::auth {

class Verifier {
 public:
  virtual ~Verifier() = default;
  virtual model::ApiResult<void> Verify(const Credential& credential, const net::HttpRequest& request) const = 0;
};

// Believes everyone, as developers expect of a database on their own loopback. Only fit for that.
class AcceptAnyVerifier final : public Verifier {
 public:
  model::ApiResult<void> Verify(const Credential&, const net::HttpRequest&) const override { return {}; }
};

}  // namespace armature::auth
