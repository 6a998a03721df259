#include "base/random.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <sys/random.h>

namespace armature {

void RandomSource::FillBytes(std::span<char> bytes) {
  while (!bytes.empty()) {
    const uint64_t word = NextU64();
    const size_t count = std::min(bytes.size(), sizeof(word));
    std::memcpy(bytes.data(), &word, count);
    bytes = bytes.subspan(count);
  }
}

uint64_t RandomSource::Below(uint64_t bound) {
  assert(bound > 0);
  // Values past the last whole multiple of `bound` are drawn again, so that none is favoured.
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  uint64_t value = NextU64();
  while (value >= limit) value = NextU64();
  return value % bound;
}

Xoshiro256::Xoshiro256(uint64_t seed) {
  // splitmix64 spreads the seed, as the generator's authors advise: an all-zero state would stay zero.
  for (uint64_t& word : state_) {
    seed += 0x9E3779B97F4A7C15;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    word = z ^ (z >> 31);
  }
}

uint64_t Xoshiro256::Next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

namespace {

template <class T>
void FillFromKernel(T& words) {
  auto* next = reinterpret_cast<char*>(&words);
  size_t left = sizeof(words);
  while (left > 0) {
    const ssize_t got = getrandom(next, left, 0);
    // Interrupted is the only failure of a blocking getrandom on Linux; without randomness nothing may start, and no
    // secret may be made: it would be one that others can guess.
    if (got < 0 && errno != EINTR) std::abort();
    if (got > 0) {
      next += got;
      left -= static_cast<size_t>(got);
    }
  }
}

Xoshiro256 SeedFromKernel() {
  std::array<uint64_t, 4> state{};
  FillFromKernel(state);
  state[0] |= 1;  // never the all-zero state
  return Xoshiro256(state);
}

}  // namespace

uint64_t SystemRandom::NextU64() {
  thread_local Xoshiro256 generator = SeedFromKernel();
  return generator.Next();
}

uint64_t SecretRandom::NextU64() {
  uint64_t word = 0;
  FillFromKernel(word);
  return word;
}

std::string UuidV4(RandomSource& random) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::array<char, 16> bytes;
  random.FillBytes(bytes);
  bytes[6] = static_cast<char>((bytes[6] & 0x0F) | 0x40);  // version 4
  bytes[8] = static_cast<char>((bytes[8] & 0x3F) | 0x80);  // RFC 4122 variant
  std::string text;
  text.reserve(36);
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text.push_back('-');
    const auto byte = static_cast<uint8_t>(bytes[i]);
    text.push_back(kHex[byte >> 4]);
    text.push_back(kHex[byte & 15]);
  }
  return text;
}

namespace {

// Base 32 with digits 0-9 and letters A-V, two characters at a time: every reply has an id to be written.
using DigitPair = std::array<char, 2>;
constexpr std::array<DigitPair, 1024> AllDigitPairs() {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
  std::array<DigitPair, 1024> pairs{};
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kDigits[i & 31], kDigits[i >> 5]};
  return pairs;
}
constexpr std::array<DigitPair, 1024> kDigitPairs = AllDigitPairs();

}  // namespace

void WriteRequestId(RandomSource& random, char* out) {
  static_assert(kRequestIdSize % 2 == 0);
  for (size_t left = kRequestIdSize / 2; left > 0;) {
    uint64_t bits = random.NextU64();
    const size_t count = std::min<size_t>(left, 6);  // ten bits a pair
    for (size_t i = 0; i < count; ++i, bits >>= 10, out += 2) std::memcpy(out, kDigitPairs[bits & 1023].data(), 2);
    left -= count;
  }
}

std::string RequestId(RandomSource& random) {
  std::string id(kRequestIdSize, '0');
  WriteRequestId(random, id.data());
  return id;
}

}  // namespace armature
