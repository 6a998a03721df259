// SignIn: whom an authorizeConnection message comes from.
//
// Its signature is a SigV4 signature of a request that is always the same: POST / to dax.amazonaws.com without a body.
// So that request is made and shown to the server's verifier, which knows keys, sessions, clocks and limits. The string
// to sign that the client sends along is only looked at for its time and scope: what else it says the signature would
// not fit. Pure but for the verifier.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "auth/identity.h"
#include "auth/principal.h"
#include "auth/verifier.h"
#include "base/memory/arena.h"
#include "dax/translate/parsed_request.h"

namespace armature::dax {

// Who a connection belongs to until the next authorizeConnection. Owns its texts: a Principal is views of it.
struct SignedIn {
  std::shared_ptr<const auth::Identity> identity;
  std::string access_key_id;
  std::string region;
  std::string user_agent;
  bool is_unproven = false;  // see auth::Verified

  auth::Principal principal() const { return auth::PrincipalOf(identity, access_key_id); }
};

// `expected` says where it came from; its services are DAX's own.
auth::AuthResult<SignedIn> SignIn(const auth::Verifier& verifier, const ParsedRequest& request, auth::Expected expected,
                                  Arena& arena);

}  // namespace armature::dax
