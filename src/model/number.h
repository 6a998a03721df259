// Number: DynamoDB's decimal, exact to 38 significant digits.
//
// value = (-1)^negative × mantissa × 10^exponent, with the mantissa free of trailing zeros, so that equal numbers are
// equal bit for bit. Zero is {0, 0, not negative}. A pure value, trivially copyable (it lives in arenas).
// Text is canonical plain decimal, as AWS prints it; magnitudes 1E-130 … 9.99…9E+125.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "model/api_error.h"

namespace armature::model {

// How the text of a number is read. Good numbers are the same to all; texts of bad ones differ.
enum class NumberReading : uint8_t {
  kCurrent,    // an exponent has 64 bits; an empty text is named, with nothing behind the colon
  kOlder,      // the magnitude is a sum of 32 bits, which wraps: 1e2147483647 is too small
  kStatement,  // as kOlder, and an exponent has no more than 32 bits (parameters of PartiQL statements)
};

class Number {
 public:
  __extension__ typedef unsigned __int128 Mantissa;  // __extension__: not ISO C++, but in every compiler we use
  static constexpr int kMaxDigits = 38;
  static constexpr int kMaxMagnitude = 125;   // of the leading digit
  static constexpr int kMinMagnitude = -130;  // of the leading digit

  constexpr Number() = default;
  static Number FromInt(int64_t value);

  // Parses a client's text; the error is the ValidationException DynamoDB gives, in the words of the operation.
  static ApiResult<Number> Parse(std::string_view text, NumberReading reading = NumberReading::kCurrent);

  // Sum and difference, exact or an error (38 digits and range, both reported as AWS's overflow text).
  static ApiResult<Number> Add(const Number& a, const Number& b);
  static ApiResult<Number> Subtract(const Number& a, const Number& b);

  bool is_zero() const { return mantissa_ == 0; }
  bool is_negative() const { return negative_; }
  // |value| = mantissa × 10^exponent, the mantissa without zeros at its end.
  Mantissa mantissa() const { return mantissa_; }
  int exponent() const { return exponent_; }

  std::strong_ordering operator<=>(const Number& other) const;
  bool operator==(const Number& other) const = default;

  // Canonical text: plain decimal, never an exponent.
  void AppendTo(std::string& out) const;
  std::string ToString() const;

  // Bytes this number counts for in an item's size (base-100 digit pairs).
  size_t SizeBytes() const;

  // Compact, self-delimiting record form (not ordered).
  void Encode(std::string& out) const;
  // Order-preserving, self-delimiting key form: memcmp order is numeric order.
  void EncodeOrdered(std::string& out) const;

  // The inverse of Encode; false on malformed bytes.
  static bool Decode(ByteReader& reader, Number* number);
  // The inverse of EncodeOrdered; consumes its bytes from the front of `in`.
  static bool DecodeOrdered(std::string_view* in, Number* number);

 private:
  constexpr Number(bool negative, Mantissa mantissa, int exponent)
      : mantissa_(mantissa), exponent_(static_cast<int16_t>(exponent)), negative_(negative) {}
  friend class NumberBuilder;

  Mantissa mantissa_ = 0;
  int16_t exponent_ = 0;
  bool negative_ = false;
};

}  // namespace armature::model
