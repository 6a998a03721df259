// CborHead: the first bytes of a CBOR value: what it is, and its value, length or count.
//
// For whoever has all bytes (codec/cbor.h) and for whoever sees them come (codec/frame.h). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace armature::dax {

enum CborMajor : uint8_t {
  kCborUnsigned = 0,
  kCborNegative = 1,
  kCborBytes = 2,
  kCborText = 3,
  kCborArray = 4,
  kCborMap = 5,
  kCborTag = 6,
  kCborOther = 7
};

// In a head's `info`.
inline constexpr uint8_t kCborFalse = 20;
inline constexpr uint8_t kCborTrue = 21;
inline constexpr uint8_t kCborNull = 22;
inline constexpr uint8_t kCborUndefined = 23;
inline constexpr uint8_t kCborFloat16 = 25;
inline constexpr uint8_t kCborFloat64 = 27;
inline constexpr uint8_t kCborIndefinite = 31;

struct CborHead {
  uint8_t major = 0;
  uint8_t info = 0;
  uint8_t size = 0;  // of the head itself
  uint64_t value = 0;

  bool is_indefinite() const { return info == kCborIndefinite && major != kCborOther; }
  bool is_break() const { return info == kCborIndefinite && major == kCborOther; }
};

enum class CborHeadRead : uint8_t { kWhole, kTorn, kMalformed };

// The head that `bytes` begin with; kTorn: its end is not there.
inline CborHeadRead ReadCborHead(std::string_view bytes, CborHead& head) {
  if (bytes.empty()) return CborHeadRead::kTorn;
  const auto first = static_cast<uint8_t>(bytes[0]);
  head.major = first >> 5;
  head.info = first & 0x1f;
  head.size = 1;
  head.value = head.info;
  if (head.info < 24) return CborHeadRead::kWhole;
  if (head.info == kCborIndefinite) {
    const bool can_be = (head.major >= kCborBytes && head.major <= kCborMap) || head.major == kCborOther;
    return can_be ? CborHeadRead::kWhole : CborHeadRead::kMalformed;
  }
  if (head.info > 27) return CborHeadRead::kMalformed;
  const size_t follow = size_t{1} << (head.info - 24);
  if (bytes.size() <= follow) return CborHeadRead::kTorn;
  head.value = 0;
  for (size_t i = 1; i <= follow; ++i) head.value = head.value << 8 | static_cast<uint8_t>(bytes[i]);
  head.size = static_cast<uint8_t>(1 + follow);
  return CborHeadRead::kWhole;
}

// Whether a value of major type 7 is one that DAX has: a boolean, null, undefined or a float.
inline bool IsKnownOther(const CborHead& head) {
  return head.info >= kCborFalse && head.info <= kCborFloat64 && head.info != 24;
}

}  // namespace armature::dax
