// PrincipalLimits: how often one principal may ask, and by how many connections at once.
//
// A Verifier before another, so that whoever counts only counts who was believed: nobody spends what is another's by
// naming his key. Whoever takes too much is told "Rate exceeded", which SDKs repeat after a while; with too many
// connections the one he came by is closed behind the answer. A principal is an IAM user, a role or an account's root,
// with all the sessions that stand for it: sessions are had for the asking. A connection is his who signed its last
// request that was let in; as one request at a time is answered on each, this bounds his requests under way, too.
// Thread-safe; what it keeps is bounded by a fixed table and by the server's connections. Made by server/, if there is
// anything to limit; must outlive the server's connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "auth/verifier.h"
#include "base/clock.h"
#include "base/limits/keyed_counts.h"
#include "base/limits/token_buckets.h"
#include "base/metrics.h"

namespace armature::auth {

struct PrincipalLimitOptions {
  std::optional<Rate> requests;
  size_t max_connections = 0;  // 0: no limit

  bool has_any() const { return requests || max_connections > 0; }
};

class PrincipalLimits final : public Verifier {
 public:
  // All must outlive it. The seed keeps others from knowing who shares a place with whom.
  PrincipalLimits(PrincipalLimitOptions options, const Verifier& inner, const Clock& clock, uint64_t seed,
                  Metrics& metrics);

  AuthResult<Verified> Verify(const net::HttpRequest& request, const Expected& expected, Arena& arena) const override;
  // Counts a request of one who was believed before: where many requests come behind one signature, which is shown to
  // another verifier then. The error is what he is told who has asked too often.
  AuthResult<void> CountRequest(const Identity& identity) const;
  uint64_t generation() const override { return inner_.generation(); }

 private:
  // Whom he counts for.
  uint64_t NumberOf(const Identity& identity) const;
  AuthResult<void> Take(uint64_t principal) const;
  bool MayUseConnection(uint64_t principal, net::Exchange& exchange) const;

  const PrincipalLimitOptions options_;
  const Verifier& inner_;
  const uint64_t seed_;
  // What a verifier counts is not what it believes.
  mutable std::optional<TokenBuckets> requests_;
  mutable KeyedCounts connections_;
  Counter& limited_requests_;
  Counter& limited_connections_;
};

}  // namespace armature::auth
