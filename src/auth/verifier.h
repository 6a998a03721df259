// Verifier: whether a well-formed signature is to be believed, and whose it is.
//
// The place where keys, clock skew, scope and the signature itself are checked, and where session tokens are looked up.
// One object serves all reactors: implementations are thread-safe and never block. Chosen by server/, called by front/
// once per request, after ParseAuthorization.
#pragma once

#include "auth/principal.h"
#include "auth/sigv4.h"
#include "base/memory/arena.h"
#include "model/api_error.h"
#include "net/http_message.h"

namespace armature::auth {

class Verifier {
 public:
  virtual ~Verifier() = default;
  // The principal's texts are the verifier's, the request's or in its arena.
  virtual model::ApiResult<Principal> Verify(const Credential& credential, const net::HttpRequest& request,
                                             Arena& arena) const = 0;
};

}  // namespace armature::auth
