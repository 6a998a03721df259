// Posture: with no principal at all everybody is believed; as soon as there is one, everything is verified.
//
// Decided for every request anew, by one atomic read, so that the first principal shuts the door on every connection at
// once and without a restart; who came in before it is marked, so that the rest of his request is of one mind too. The
// way back is the ring's to guard: one whose last principal must not open the door again never becomes empty. Stands
// before both verifiers; made by server/.
#pragma once

#include "auth/key_ring.h"
#include "auth/verifier.h"

namespace armature::auth {

class PostureVerifier final : public Verifier {
 public:
  // All three must outlive it.
  PostureVerifier(const KeyRing& keys, const Verifier& believing, const Verifier& verifying)
      : keys_(keys), believing_(believing), verifying_(verifying) {}

  AuthResult<Verified> Verify(const net::HttpRequest& request, const Expected& expected, Arena& arena) const override {
    if (is_verifying()) return verifying_.Verify(request, expected, arena);
    AuthResult<Verified> verified = believing_.Verify(request, expected, arena);
    if (verified) verified->is_unproven = true;
    return verified;
  }

  // With the first principal too.
  uint64_t generation() const override { return keys_.generation(); }

  bool is_verifying() const { return !keys_.is_empty(); }

 private:
  const KeyRing& keys_;
  const Verifier& believing_;
  const Verifier& verifying_;
};

}  // namespace armature::auth
