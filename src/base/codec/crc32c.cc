#include "base/codec/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace armature {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // reflected

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

uint32_t ByTable(uint32_t crc, std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = MakeTable();
  for (const char byte : bytes) crc = kTable[(crc ^ static_cast<uint8_t>(byte)) & 0xff] ^ (crc >> 8);
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t ByInstruction(uint32_t crc, std::string_view bytes) {
  const char* next = bytes.data();
  size_t left = bytes.size();
  uint64_t wide = crc;
  for (; left >= 8; left -= 8, next += 8) {
    uint64_t word = 0;
    std::memcpy(&word, next, sizeof word);
    wide = _mm_crc32_u64(wide, word);
  }
  crc = static_cast<uint32_t>(wide);
  for (; left != 0; --left) crc = _mm_crc32_u8(crc, static_cast<uint8_t>(*next++));
  return crc;
}
#endif

}  // namespace

uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return ~ByInstruction(~crc, bytes);
#endif
  return ~ByTable(~crc, bytes);
}

}  // namespace armature
