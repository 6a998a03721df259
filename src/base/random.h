// RandomSource: where random bits come from. Injected, so that tests repeat from a seed.
//
// SystemRandom is thread-safe and quick (a generator per thread, seeded by the kernel); its numbers are unpredictable
// enough for identifiers, not for secrets: those come from SecretRandom (the kernel's generator), thread-safe too.
// SeededRandom is one thread's, for tests. Any layer may hold a RandomSource&.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace armature {

class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual uint64_t NextU64() = 0;

  void FillBytes(std::span<char> bytes);
  // Uniform in [0, bound). REQUIRES: bound > 0.
  uint64_t Below(uint64_t bound);
};

// xoshiro256**, by Blackman and Vigna.
class Xoshiro256 {
 public:
  explicit Xoshiro256(uint64_t seed);
  explicit Xoshiro256(const std::array<uint64_t, 4>& state) : state_(state) {}
  uint64_t Next();

 private:
  std::array<uint64_t, 4> state_;
};

class SystemRandom final : public RandomSource {
 public:
  uint64_t NextU64() override;
};

class SecretRandom final : public RandomSource {
 public:
  uint64_t NextU64() override;
};

class SeededRandom final : public RandomSource {
 public:
  explicit SeededRandom(uint64_t seed) : generator_(seed) {}
  uint64_t NextU64() override { return generator_.Next(); }

 private:
  Xoshiro256 generator_;
};

// A version 4 UUID in lower-case text, 36 characters.
std::string UuidV4(RandomSource& random);

inline constexpr size_t kRequestIdSize = 52;
// The shape of x-amzn-RequestId: 52 upper-case letters and digits. Writes exactly kRequestIdSize characters.
void WriteRequestId(RandomSource& random, char* out);
std::string RequestId(RandomSource& random);

}  // namespace armature
