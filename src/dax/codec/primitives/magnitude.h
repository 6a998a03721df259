// Magnitude: an unsigned integer longer than registers, as CBOR's bignums carry it.
//
// For numbers of up to 128 bytes: DynamoDB's have at most 53, and what clients write may have zeros behind that. A
// value without heap memory. Pure; used by the codecs of numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/number.h"

namespace armature::dax {

class Magnitude {
 public:
  static constexpr size_t kMostBytes = 128;
  static constexpr uint64_t kTen19 = 10'000'000'000'000'000'000ULL;  // the largest power of ten in 64 bits

  Magnitude() = default;
  explicit Magnitude(model::Number::Mantissa value);
  // REQUIRES: at most kMostBytes.
  explicit Magnitude(std::string_view big_endian);

  // Both REQUIRE that the result has at most eight bytes more than kMostBytes.
  void Multiply(uint64_t factor);
  void Increment();
  // REQUIRES: not zero.
  void Decrement();

  // Without zeros in front.
  void AppendBigEndian(std::string& out) const;
  size_t ByteCount() const;
  void AppendDecimal(std::string& out) const;

 private:
  void Push(uint64_t limb);
  // Divides in place, returns what is left over.
  uint64_t Divide(uint64_t divisor);
  void Trim();

  std::array<uint64_t, kMostBytes / 8 + 1> limbs_{};  // the least significant first
  size_t count_ = 0;                                  // without zeros at the end
};

}  // namespace armature::dax
