// Random numbers of the load driver: a small seeded generator and a Zipf-distributed one.
//
// Deterministic for a seed, so that a run can be repeated. Values, not thread-safe: one per driver
// thread. Not for anything secret.
#pragma once

#include <cstdint>

namespace armature::cli::bench {

// SplitMix64's finalizer: turns any number into a well-mixed one.
constexpr uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    const uint64_t value = Mix(state_);
    state_ += 0x9e3779b97f4a7c15ULL;
    return value;
  }
  // Uniform in [0, bound); bound > 0.
  uint64_t Below(uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((Wide{Next()} * bound) >> 64);
  }
  // Uniform in [0, 1).
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

 private:
  uint64_t state_;
};

// Ranks 0 .. count-1, rank r with probability proportional to 1 / (r+1)^exponent: what YCSB calls
// zipfian, with its exponent 0.99. Drawn by rejection-inversion (Hörmann and Derflinger, 1996),
// which needs no table and no sum over all items, so ten million items cost nothing to set up.
class Zipfian {
 public:
  static constexpr double kYcsbExponent = 0.99;

  explicit Zipfian(uint64_t count, double exponent = kYcsbExponent);
  uint64_t Next(Random& random) const;

 private:
  double Integral(double x) const;
  double IntegralInverse(double y) const;

  uint64_t count_;
  double exponent_;
  double upper_;     // Integral at the right edge of the last rank
  double lower_;     // Integral at the left edge, moved so that the first rank is never rejected
  double shortcut_;  // x closer to its rank than this is accepted without the exact test
};

}  // namespace armature::cli::bench
