#include "base/codec/base64.h"

#include <array>
#include <cstdint>

namespace armature {

namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Two characters for every 12 bits: half the look-ups of a plain 64-entry table.
struct PairTable {
  char pairs[4096][2];
};
constexpr PairTable MakePairs() {
  PairTable table{};
  for (int i = 0; i < 4096; ++i) {
    table.pairs[i][0] = kAlphabet[i >> 6];
    table.pairs[i][1] = kAlphabet[i & 63];
  }
  return table;
}
constexpr PairTable kPairs = MakePairs();

constexpr uint8_t kInvalid = 0xFF;
constexpr std::array<uint8_t, 256> MakeSextets() {
  std::array<uint8_t, 256> table{};
  table.fill(kInvalid);
  for (uint8_t i = 0; i < 64; ++i) table[static_cast<uint8_t>(kAlphabet[i])] = i;
  return table;
}
constexpr std::array<uint8_t, 256> kSextets = MakeSextets();

uint32_t Sextet(char c) { return kSextets[static_cast<uint8_t>(c)]; }

}  // namespace

void AppendBase64(std::string& out, std::string_view bytes) {
  const size_t start = out.size();
  out.resize(start + Base64EncodedSize(bytes.size()));
  char* to = out.data() + start;
  const auto* from = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t left = bytes.size();
  for (; left >= 3; left -= 3, from += 3, to += 4) {
    const uint32_t triple = static_cast<uint32_t>(from[0]) << 16 | static_cast<uint32_t>(from[1]) << 8 | from[2];
    std::memcpy(to, kPairs.pairs[triple >> 12], 2);
    std::memcpy(to + 2, kPairs.pairs[triple & 0xFFF], 2);
  }
  if (left == 0) return;
  const uint32_t second = left == 2 ? from[1] : 0;
  const uint32_t triple = static_cast<uint32_t>(from[0]) << 16 | second << 8;
  std::memcpy(to, kPairs.pairs[triple >> 12], 2);
  to[2] = left == 2 ? kAlphabet[(triple >> 6) & 63] : '=';
  to[3] = '=';
}

Result<size_t, Base64Error> DecodeBase64To(std::string_view text, char* out) {
  if (text.size() % 4 != 0) return Base64Error::kBadLength;
  if (text.empty()) return size_t{0};
  size_t padding = 0;
  if (text.back() == '=') padding = text[text.size() - 2] == '=' ? 2 : 1;

  char* to = out;
  const char* from = text.data();
  const char* const full_end = text.data() + text.size() - (padding ? 4 : 0);
  // Invalid sextets have their high bits set, so one check at the end covers the whole text.
  uint32_t seen = 0;
  for (; from != full_end; from += 4, to += 3) {
    const uint32_t a = Sextet(from[0]), b = Sextet(from[1]), c = Sextet(from[2]), d = Sextet(from[3]);
    seen |= a | b | c | d;
    const uint32_t triple = a << 18 | b << 12 | c << 6 | d;
    to[0] = static_cast<char>(triple >> 16);
    to[1] = static_cast<char>(triple >> 8);
    to[2] = static_cast<char>(triple);
  }
  uint32_t unused_bits = 0;
  if (padding) {
    const uint32_t a = Sextet(from[0]), b = Sextet(from[1]), c = padding == 1 ? Sextet(from[2]) : 0;
    seen |= a | b | c;
    *to++ = static_cast<char>(a << 2 | b >> 4);
    if (padding == 1) *to++ = static_cast<char>(b << 4 | c >> 2);
    unused_bits = padding == 1 ? c & 3 : b & 15;
  }
  if (seen > 63) return Base64Error::kNotBase64;
  if (unused_bits != 0) return Base64Error::kBadLastCharacter;
  return static_cast<size_t>(to - out);
}

Result<std::string_view, Base64Error> DecodeBase64(std::string_view text, Arena& arena) {
  if (text.empty()) return std::string_view("", 0);
  char* bytes = static_cast<char*>(arena.Allocate(Base64DecodedCapacity(text.size()) + 1, 1));
  ARMATURE_TRY(const size_t size, DecodeBase64To(text, bytes));
  return std::string_view(bytes, size);
}

}  // namespace armature
