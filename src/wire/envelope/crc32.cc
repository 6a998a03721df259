#include "wire/envelope/crc32.h"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace armature::wire {

uint32_t PortableCrc32(std::string_view bytes, uint32_t crc) {
  return static_cast<uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

#if defined(__x86_64__)

namespace {

// Folding by carry-less multiplication, after Gopal et al., "Fast CRC Computation for Generic Polynomials Using
// PCLMULQDQ Instruction" (Intel, 2009). The constants are powers of x modulo the bit-reflected CRC-32 polynomial.
constexpr long long kFold4Low = 0x154442bd4, kFold4High = 0x1c6e41596;   // x^(4·128+32), x^(4·128-32)
constexpr long long kFold1Low = 0x1751997d0, kFold1High = 0x0ccaa009e;   // x^(128+32), x^(128-32)
constexpr long long kFold64 = 0x163cd6124;                               // x^64
constexpr long long kPolynomial = 0x1db710641, kQuotient = 0x1f7011641;  // P(x) and floor(x^64 / P(x))

#define ARMATURE_PCLMUL __attribute__((target("pclmul,sse4.1")))

ARMATURE_PCLMUL inline __m128i Load(const char* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

ARMATURE_PCLMUL inline __m128i Fold(__m128i value, __m128i constants, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(value, constants, 0x00);
  const __m128i high = _mm_clmulepi64_si128(value, constants, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// `size` is a multiple of 16 and at least 64; `state` is the inverted CRC so far.
ARMATURE_PCLMUL uint32_t FoldBlocks(const char* bytes, size_t size, uint32_t state) {
  __m128i x0 = _mm_xor_si128(Load(bytes), _mm_cvtsi32_si128(static_cast<int>(state)));
  __m128i x1 = Load(bytes + 16);
  __m128i x2 = Load(bytes + 32);
  __m128i x3 = Load(bytes + 48);
  bytes += 64;
  size -= 64;
  const __m128i fold4 = _mm_set_epi64x(kFold4High, kFold4Low);
  for (; size >= 64; bytes += 64, size -= 64) {
    x0 = Fold(x0, fold4, Load(bytes));
    x1 = Fold(x1, fold4, Load(bytes + 16));
    x2 = Fold(x2, fold4, Load(bytes + 32));
    x3 = Fold(x3, fold4, Load(bytes + 48));
  }
  const __m128i fold1 = _mm_set_epi64x(kFold1High, kFold1Low);
  __m128i x = Fold(x0, fold1, x1);
  x = Fold(x, fold1, x2);
  x = Fold(x, fold1, x3);
  for (; size >= 16; bytes += 16, size -= 16) x = Fold(x, fold1, Load(bytes));

  // 128 bits to 64, then Barrett's reduction to 32.
  const __m128i low_words = _mm_setr_epi32(~0, 0, ~0, 0);
  x = _mm_xor_si128(_mm_srli_si128(x, 8), _mm_clmulepi64_si128(x, fold1, 0x10));
  __m128i low = _mm_and_si128(x, low_words);
  x = _mm_xor_si128(_mm_srli_si128(x, 4), _mm_clmulepi64_si128(low, _mm_set_epi64x(0, kFold64), 0x00));
  const __m128i barrett = _mm_set_epi64x(kQuotient, kPolynomial);
  low = _mm_clmulepi64_si128(_mm_and_si128(x, low_words), barrett, 0x10);
  low = _mm_clmulepi64_si128(_mm_and_si128(low, low_words), barrett, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(x, low), 1));
}

const bool kHasPclmul = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");

}  // namespace

uint32_t Crc32(std::string_view bytes) {
  if (!kHasPclmul || bytes.size() < 64) return PortableCrc32(bytes);
  const size_t blocks = bytes.size() & ~size_t{15};
  const uint32_t crc = ~FoldBlocks(bytes.data(), blocks, ~0u);
  return blocks == bytes.size() ? crc : PortableCrc32(bytes.substr(blocks), crc);
}

#else

uint32_t Crc32(std::string_view bytes) { return PortableCrc32(bytes); }

#endif

}  // namespace armature::wire
