// SignatureVerifier: believes a request whose signature is what its key's secret gives, now and here.
//
// Every check of AWS's, in AWS's order and with its texts, so that of several faults the client is told the one that
// AWS would tell: request target, form, host signed, date, age, scope, key and session token, the token's end, the
// signature. Signatures are compared in constant time; the body counts as sent, before it is unpacked. Thread-safe,
// never blocks; what it needs to compute lies in memory of the thread and of the request. Used behind Posture.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "auth/key_ring.h"
#include "auth/sigv4.h"
#include "auth/verifier.h"
#include "auth/verify/failure_backoff.h"
#include "base/clock.h"

namespace armature::auth {

class SignatureVerifier final : public Verifier {
 public:
  // How far a client's clock may be off, either way; both ends are within.
  static constexpr int64_t kSkewSeconds = 15 * 60;
  static constexpr int64_t kLongestPresignedSeconds = 7 * 24 * 3600;

  // All must outlive it. No back-off: failures are not counted.
  SignatureVerifier(const KeyRing& keys, const Clock& clock, FailureBackoff* backoff = nullptr)
      : keys_(keys), clock_(clock), backoff_(backoff) {}

  AuthResult<Verified> Verify(const net::HttpRequest& request, const Expected& expected, Arena& arena) const override;
  uint64_t generation() const override { return keys_.generation(); }

 private:
  AuthResult<std::shared_ptr<const AccessKey>> FindKey(const Credential& credential, int64_t now_millis) const;
  FailureBackoff::Refusal RefusalOf(const Expected& expected, std::string_view access_key_id) const;

  const KeyRing& keys_;
  const Clock& clock_;
  FailureBackoff* const backoff_;
};

}  // namespace armature::auth
