#include "auth/limits/principal_limits.h"

#include <memory>
#include <string>
#include <utility>

#include <xxhash.h>

#include "model/messages/requests.h"
#include "net/handler.h"

namespace armature::auth {

namespace {

constexpr const char* kLimited = "armature_requests_limited_total";
constexpr const char* kLimitedHelp = "Requests refused because their address or principal asked for too much.";

// Whose a connection is. The only kind of note there is.
class OwnerNote final : public net::ConnectionNote {
 public:
  // One connection that was entered already.
  OwnerNote(KeyedCounts& counts, uint64_t principal) : counts_(counts), principal_(principal) {}
  ~OwnerNote() override { counts_.Leave(principal_); }

  uint64_t principal() const { return principal_; }

 private:
  KeyedCounts& counts_;
  const uint64_t principal_;
};

AuthFault RateExceeded() { return {AuthFaultKind::kThrottled, std::string(model::messages::kRateExceeded)}; }

}  // namespace

PrincipalLimits::PrincipalLimits(PrincipalLimitOptions options, const Verifier& inner, const Clock& clock,
                                 uint64_t seed, Metrics& metrics)
    : options_(options),
      inner_(inner),
      seed_(seed),
      connections_(seed),
      limited_requests_(metrics.GetCounter(kLimited, kLimitedHelp, R"(by="principal")")),
      limited_connections_(metrics.GetCounter(kLimited, kLimitedHelp, R"(by="principal_connections")")) {
  if (options_.requests) requests_.emplace(*options_.requests, clock, seed);
}

AuthResult<Verified> PrincipalLimits::Verify(const net::HttpRequest& request, const Expected& expected,
                                             Arena& arena) const {
  ARMATURE_TRY(Verified verified, inner_.Verify(request, expected, arena));
  const uint64_t principal = NumberOf(*verified.principal.identity);
  if (expected.exchange && options_.max_connections > 0 && !MayUseConnection(principal, *expected.exchange)) {
    limited_connections_.Add();
    return RateExceeded();
  }
  ARMATURE_CHECK_OK(Take(principal));
  return verified;
}

uint64_t PrincipalLimits::NumberOf(const Identity& identity) const {
  const std::string_view name = identity.entity_id.empty() ? identity.account : identity.entity_id;
  return XXH3_64bits_withSeed(name.data(), name.size(), seed_);
}

AuthResult<void> PrincipalLimits::CountRequest(const Identity& identity) const { return Take(NumberOf(identity)); }

AuthResult<void> PrincipalLimits::Take(uint64_t principal) const {
  if (!requests_ || requests_->Take(principal)) return {};
  limited_requests_.Add();
  return RateExceeded();
}

bool PrincipalLimits::MayUseConnection(uint64_t principal, net::Exchange& exchange) const {
  std::unique_ptr<net::ConnectionNote>& note = exchange.note();
  if (note && static_cast<const OwnerNote&>(*note).principal() == principal) return true;
  if (connections_.Enter(principal) > options_.max_connections) {
    connections_.Leave(principal);
    exchange.response().close_connection = true;
    return false;
  }
  try {
    note = std::make_unique<OwnerNote>(connections_, principal);
  } catch (...) {
    connections_.Leave(principal);
    throw;
  }
  return true;
}

}  // namespace armature::auth
