// What the tests that attack the store at random share: the seed, and how long to go on.
//
// ARMATURE_SEED chooses the seed (printed in any case); ARMATURE_ARENA_MINUTES the long form. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace armature::storage {

inline uint64_t ArenaSeed() {
  const char* given = std::getenv("ARMATURE_SEED");
  const uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  return seed;
}

// How long this part may run; zero means the short form, which counts instead.
inline std::chrono::seconds ArenaTime() {
  const char* minutes = std::getenv("ARMATURE_ARENA_MINUTES");
  return std::chrono::seconds(minutes ? static_cast<int64_t>(std::atof(minutes) * 60) : 0);
}

// True while there is work to do: `least` pieces of it, and as much more as the arena's time allows.
class ArenaClock {
 public:
  explicit ArenaClock(size_t least) : least_(least), end_(std::chrono::steady_clock::now() + ArenaTime()) {}
  bool GoesOn() { return done_++ < least_ || std::chrono::steady_clock::now() < end_; }
  size_t done() const { return done_; }

 private:
  const size_t least_;
  const std::chrono::steady_clock::time_point end_;
  size_t done_ = 0;
};

}  // namespace armature::storage
