#include "base/limits/token_buckets.h"

#include <algorithm>

#include "base/limits/mix.h"

namespace armature {

namespace {

constexpr int64_t kToken = 1000;

}  // namespace

TokenBuckets::TokenBuckets(Rate rate, const Clock& clock, uint64_t seed)
    : per_second_(rate.per_second),
      depth_(rate.burst * kToken),
      clock_(clock),
      seed_(seed),
      rows_(std::make_unique<Row[]>(kPlaces / kWays)) {}

bool TokenBuckets::Take(uint64_t key) {
  const uint64_t mixed = MixKey(key, seed_);
  const int64_t now = clock_.NowMillis() * per_second_;
  Row& row = rows_[mixed % (kPlaces / kWays)];
  MutexLock lock(row.mutex);
  auto place = std::ranges::find(row.places, mixed, &Place::key);
  if (place == row.places.end()) {
    place = std::ranges::min_element(row.places, {}, &Place::full_at);
    *place = {mixed, now};
  }
  // Over, or further away than a bucket can be empty: then the clock was set back.
  if (place->full_at < now || place->full_at > now + depth_) place->full_at = now;
  if (place->full_at + kToken > now + depth_) return false;
  place->full_at += kToken;
  return true;
}

}  // namespace armature
