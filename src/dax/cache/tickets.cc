#include "dax/cache/tickets.h"

namespace armature::dax {

Tickets::Tickets() : stripes_(std::make_unique<Stripe[]>(kStripes)) {
  static_assert(kStripes % kLocks == 0, "a stripe has one lock");
}

uint64_t Tickets::Change(uint64_t hash, int writers) {
  Stripe& stripe = StripeFor(hash);
  uint64_t state = stripe.load(std::memory_order_relaxed);
  state += uint64_t{1} << kWriterBits;
  state = writers > 0 ? state + 1 : state - 1;
  stripe.store(state, std::memory_order_release);
  return state;
}

}  // namespace armature::dax
