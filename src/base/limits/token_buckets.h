// TokenBuckets: how often something may happen for each of many keys: so many a second, and so many at once.
//
// Each key has a bucket that holds `burst` tokens at first and gets `per_second` tokens in every second; nothing is
// granted from an empty one. Whole numbers only: over any time a bucket grants no more than rate × time + burst, and
// refuses nobody who stays below that, to the token. Bounded: a fixed table, in which of the few places that a key may
// have the bucket that lacks least is forgotten, that is, becomes full. Thread-safe, a lock for each few places; no
// clock but the injected one. Asked by the front for addresses and by auth/ for principals.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "base/mutex.h"

namespace armature {

struct Rate {
  int64_t per_second = 0;
  int64_t burst = 0;
};

class TokenBuckets {
 public:
  // So that times and tokens can be multiplied.
  static constexpr int64_t kMostPerSecond = 1'000'000;
  static constexpr int64_t kMostBurst = 1'000'000'000;
  static constexpr size_t kPlaces = 8192;

  // REQUIRES: both numbers of the rate are at least 1 and at most the above.
  TokenBuckets(Rate rate, const Clock& clock, uint64_t seed);

  // Takes a token from the key's bucket; false: there is none.
  bool Take(uint64_t key);

 private:
  static constexpr size_t kWays = 8;

  // A bucket is the time at which it is full again: in thousandths of a token, which a millisecond makes `per_second`
  // of. A time that is over is a full bucket, so an empty place and a rested key are the same.
  struct Place {
    uint64_t key = 0;
    int64_t full_at = 0;
  };
  struct Row {
    Mutex mutex;
    std::array<Place, kWays> places ARMATURE_GUARDED_BY(mutex);
  };

  const int64_t per_second_;
  const int64_t depth_;  // in thousandths
  const Clock& clock_;
  const uint64_t seed_;
  const std::unique_ptr<Row[]> rows_;
};

}  // namespace armature
