#include "model/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "model/messages/items.h"

namespace armature::model {

namespace {

using Mantissa = Number::Mantissa;

constexpr uint64_t kTen19 = 10'000'000'000'000'000'000ULL;

constexpr std::array<Mantissa, 39> MakePowers() {
  std::array<Mantissa, 39> powers{};
  Mantissa power = 1;
  for (auto& slot : powers) {
    slot = power;
    power *= 10;
  }
  return powers;
}
constexpr std::array<Mantissa, 39> kPowers = MakePowers();  // 10^0 … 10^38

bool FitsIn64(Mantissa mantissa) { return (mantissa >> 64) == 0; }

int BitWidth(Mantissa mantissa) {
  const auto high = static_cast<uint64_t>(mantissa >> 64);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(static_cast<uint64_t>(mantissa)));
}

// Decimal digits of a mantissa; 0 for zero.
int DigitCount(Mantissa mantissa) {
  // 1233/4096 is just under log10(2): the count is the estimate or one more.
  const int estimate = (BitWidth(mantissa) * 1233) >> 12;
  return estimate + (mantissa >= kPowers[static_cast<size_t>(estimate)] ? 1 : 0);
}

// Writes the decimal digits of a mantissa without leading zeros (at most 39); returns how many.
int WriteDigits(Mantissa mantissa, char* out) {
  char* const end = out + 40;
  if (FitsIn64(mantissa)) return static_cast<int>(std::to_chars(out, end, static_cast<uint64_t>(mantissa)).ptr - out);
  const auto high = static_cast<uint64_t>(mantissa / kTen19);
  auto low = static_cast<uint64_t>(mantissa % kTen19);
  char* const middle = std::to_chars(out, end, high).ptr;
  for (int i = 18; i >= 0; --i, low /= 10) middle[i] = static_cast<char>('0' + low % 10);
  return static_cast<int>(middle - out) + 19;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

ApiError NotANumber(std::string_view text) {
  return ValidationException(fmt::format(fmt::runtime(messages::kNotANumber), text));
}
ApiError Overflow() { return ValidationException(std::string(messages::kNumberOverflow)); }

}  // namespace

// Makes canonical Numbers out of parts; the only code that may.
class NumberBuilder {
 public:
  static Number Canonical(bool negative, Mantissa mantissa, int exponent) { return {negative, mantissa, exponent}; }

  // Drops trailing zeros. REQUIRES: the exponent stays within int16.
  static Number Trimmed(bool negative, Mantissa mantissa, int exponent) {
    if (mantissa == 0) return {};
    if (FitsIn64(mantissa)) {
      auto small = static_cast<uint64_t>(mantissa);
      for (; small % 10 == 0; small /= 10) ++exponent;
      return {negative, small, exponent};
    }
    for (; mantissa % 10 == 0; mantissa /= 10) ++exponent;
    return {negative, mantissa, exponent};
  }

  // The sum of two numbers that are not zero.
  static ApiResult<Number> Sum(const Number& a, const Number& b) {
    const Number& coarse = a.exponent_ >= b.exponent_ ? a : b;
    const Number& fine = a.exponent_ >= b.exponent_ ? b : a;
    ARMATURE_TRY(const Mantissa aligned, ScaleUp(coarse.mantissa_, coarse.exponent_ - fine.exponent_));
    if (a.negative_ == b.negative_) return Checked(a.negative_, aligned + fine.mantissa_, fine.exponent_);
    if (aligned >= fine.mantissa_) return Checked(coarse.negative_, aligned - fine.mantissa_, fine.exponent_);
    return Checked(fine.negative_, fine.mantissa_ - aligned, fine.exponent_);
  }

 private:
  // mantissa × 10^shift, or the overflow error when no sum with a mantissa below 10^38 could have 38 digits. When shift
  // > 0 the sum keeps its last digit (the other mantissa ends in a non-zero one), so it fits only if this is below
  // 2×10^38, which is also what 128 bits have room for.
  static ApiResult<Mantissa> ScaleUp(Mantissa mantissa, int shift) {
    if (shift == 0) return mantissa;
    const int digits = DigitCount(mantissa) + shift;
    if (digits > Number::kMaxDigits + 1) return Overflow();
    const Mantissa tenth = mantissa * kPowers[static_cast<size_t>(shift - 1)];
    if (tenth >= 2 * kPowers[37]) return Overflow();
    return tenth * 10;
  }

  static ApiResult<Number> Checked(bool negative, Mantissa mantissa, int exponent) {
    const Number sum = Trimmed(negative, mantissa, exponent);
    if (sum.is_zero()) return sum;
    const int digits = DigitCount(sum.mantissa_);
    const int magnitude = sum.exponent_ + digits - 1;
    if (digits > Number::kMaxDigits || magnitude > Number::kMaxMagnitude || magnitude < Number::kMinMagnitude)
      return Overflow();
    return sum;
  }
};

Number Number::FromInt(int64_t value) {
  const bool negative = value < 0;
  const uint64_t magnitude = negative ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
  return NumberBuilder::Trimmed(negative, magnitude, 0);
}

namespace {

// The parts of a number's text, as scanned: mantissa × 10^exponent with trailing zeros dropped.
struct Scanned {
  bool negative = false;
  bool too_many_digits = false;
  Mantissa mantissa = 0;
  int64_t digits = 0;           // significant digits, from the first to the last that is not zero
  int64_t trailing_zeros = 0;   // zeros after the last digit that is not zero
  int64_t fraction_digits = 0;  // digits written after the point
  int64_t exponent = 0;         // as written after the e, or as good as that when it is beyond all limits
  int exponent_bits = 0;  // what the exponent needs: 0 (it fits an int32), 32 (more than that), 64 (more than that)
};

// Reads sign? digits-with-at-most-one-dot exponent?; false if the text is anything else.
class NumberScanner {
 public:
  explicit NumberScanner(std::string_view text) : next_(text.data()), end_(text.data() + text.size()) {}

  bool Scan(Scanned* out) {
    if (next_ != end_ && (*next_ == '-' || *next_ == '+')) out->negative = *next_++ == '-';
    if (!ScanDigits(out)) return false;
    if (next_ == end_) return true;
    return (*next_ == 'e' || *next_ == 'E') && ScanExponent(out) && next_ == end_;
  }

 private:
  bool ScanDigits(Scanned* out) {
    bool any_digit = false;
    bool after_point = false;
    for (; next_ != end_; ++next_) {
      if (*next_ == '.' && !after_point) {
        after_point = true;
        continue;
      }
      if (!IsDigit(*next_)) break;
      any_digit = true;
      out->fraction_digits += after_point;
      Push(static_cast<unsigned>(*next_ - '0'), out);
    }
    return any_digit;
  }

  static void Push(unsigned digit, Scanned* out) {
    if (digit == 0) {
      out->trailing_zeros += out->digits > 0;
      return;
    }
    out->digits += out->trailing_zeros + 1;
    if (out->digits > Number::kMaxDigits) {
      out->too_many_digits = true;
    } else if (!out->too_many_digits) {
      out->mantissa = out->mantissa * kPowers[static_cast<size_t>(out->trailing_zeros + 1)] + digit;
    }
    out->trailing_zeros = 0;
  }

  bool ScanExponent(Scanned* out) {
    // Far beyond any text a request can hold, so that a saturated exponent is out of range whatever the digits are.
    constexpr int64_t kSaturated = 1'000'000'000'000;
    ++next_;
    bool negative = false;
    if (next_ != end_ && (*next_ == '-' || *next_ == '+')) negative = *next_++ == '-';
    if (next_ == end_) return false;
    const char* const first_digit = next_;
    int64_t exponent = 0;
    for (; next_ != end_ && IsDigit(*next_); ++next_) exponent = std::min(exponent * 10 + (*next_ - '0'), kSaturated);
    out->exponent = negative ? -exponent : exponent;
    if (out->exponent > INT32_MAX || out->exponent <= INT32_MIN) out->exponent_bits = 32;
    // Rare, so it may read the digits again.
    int64_t whole = 0;
    if (exponent == kSaturated && std::from_chars(first_digit, next_, whole).ec != std::errc()) out->exponent_bits = 64;
    return IsDigit(next_[-1]);
  }

  const char* next_;
  const char* end_;
};

}  // namespace

ApiResult<Number> Number::Parse(std::string_view text, NumberReading reading) {
  if (text.empty()) {
    return reading == NumberReading::kCurrent ? NotANumber(text)
                                              : ValidationException(std::string(messages::kEmptyNumber));
  }
  // Nearly every number is a short integer.
  const size_t sign = text[0] == '-' ? 1 : 0;
  if (text.size() - sign - 1 < 18) {
    uint64_t value = 0;
    size_t i = sign;
    for (; i < text.size() && IsDigit(text[i]); ++i) value = value * 10 + static_cast<uint64_t>(text[i] - '0');
    if (i == text.size()) return NumberBuilder::Trimmed(sign == 1, value, 0);
  }

  Scanned scanned;
  if (!NumberScanner(text).Scan(&scanned)) return NotANumber(text);
  if (scanned.exponent_bits > (reading == NumberReading::kStatement ? 0 : 32)) return NotANumber(text);
  // The magnitude of the leading digit. A zero has the magnitude of its last written digit: AWS (whose decimals keep
  // the scale of a zero) refuses 0e126 and accepts 0.0e126.
  const int64_t exponent = scanned.exponent - scanned.fraction_digits + scanned.trailing_zeros;
  const int64_t magnitude = exponent + std::max<int64_t>(scanned.digits, 1) - 1;
  const bool wraps = reading != NumberReading::kCurrent && scanned.exponent_bits == 0 && magnitude >= INT32_MAX;
  if (magnitude > kMaxMagnitude && !wraps) return Overflow();
  if (magnitude < kMinMagnitude || wraps) return ValidationException(std::string(messages::kNumberUnderflow));
  if (scanned.too_many_digits) return ValidationException(std::string(messages::kTooManyDigits));
  if (scanned.mantissa == 0) return Number();
  return NumberBuilder::Canonical(scanned.negative, scanned.mantissa, static_cast<int>(exponent));
}

ApiResult<Number> Number::Add(const Number& a, const Number& b) {
  if (b.is_zero()) return a;
  if (a.is_zero()) return b;
  return NumberBuilder::Sum(a, b);
}

ApiResult<Number> Number::Subtract(const Number& a, const Number& b) {
  Number negated = b;
  negated.negative_ = !b.negative_ && !b.is_zero();
  return Add(a, negated);
}

std::strong_ordering Number::operator<=>(const Number& other) const {
  if (negative_ != other.negative_) return negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  // Zero is never negative: here both are at least zero, and whichever is not zero is the larger.
  if (is_zero() || other.is_zero()) return !is_zero() <=> !other.is_zero();
  const auto compare_magnitudes = [](const Number& a, const Number& b) -> std::strong_ordering {
    if (a.exponent_ == b.exponent_) return a.mantissa_ <=> b.mantissa_;
    const int a_magnitude = DigitCount(a.mantissa_) + a.exponent_;
    const int b_magnitude = DigitCount(b.mantissa_) + b.exponent_;
    if (a_magnitude != b_magnitude) return a_magnitude <=> b_magnitude;
    // Same leading position: with the exponents aligned both have as many digits as the longer, at most 38.
    const int shift = a.exponent_ - b.exponent_;
    if (shift > 0) return a.mantissa_ * kPowers[static_cast<size_t>(shift)] <=> b.mantissa_;
    return a.mantissa_ <=> b.mantissa_ * kPowers[static_cast<size_t>(-shift)];
  };
  return negative_ ? compare_magnitudes(other, *this) : compare_magnitudes(*this, other);
}

void Number::AppendTo(std::string& out) const {
  char digits[40];
  const int count = WriteDigits(mantissa_, digits);
  if (negative_) out.push_back('-');
  if (exponent_ >= 0) {
    out.append(digits, static_cast<size_t>(count)).append(static_cast<size_t>(exponent_), '0');
    return;
  }
  const int integer_digits = count + exponent_;
  if (integer_digits > 0) {
    out.append(digits, static_cast<size_t>(integer_digits)).push_back('.');
    out.append(digits + integer_digits, static_cast<size_t>(-exponent_));
  } else {
    out.append("0.").append(static_cast<size_t>(-integer_digits), '0').append(digits, static_cast<size_t>(count));
  }
}

std::string Number::ToString() const {
  std::string text;
  AppendTo(text);
  return text;
}

size_t Number::SizeBytes() const {
  if (is_zero()) return 1;
  const int leading = exponent_ + DigitCount(mantissa_) - 1;
  // The pair a decimal position belongs to; an arithmetic shift rounds down below the point too.
  const int pairs = (leading >> 1) - (exponent_ >> 1) + 1;
  return 1 + static_cast<size_t>(pairs) + (negative_ ? 1 : 0);
}

// --- record form: header, exponent if not zero, mantissa bytes little-endian

namespace {
constexpr uint8_t kNegativeBit = 0x80;
constexpr uint8_t kExponentBit = 0x20;
constexpr uint8_t kLengthMask = 0x1F;
}  // namespace

void Number::Encode(std::string& out) const {
  char bytes[1 + 2 + sizeof(Mantissa)];
  const int length = (BitWidth(mantissa_) + 7) / 8;
  bytes[0] = static_cast<char>((negative_ ? kNegativeBit : 0) | (exponent_ != 0 ? kExponentBit : 0) | length);
  char* next = bytes + 1;
  if (exponent_ != 0) {
    const uint64_t zigzag = ZigZag(exponent_);  // at most 14 bits
    if (zigzag >= 0x80) *next++ = static_cast<char>(zigzag | 0x80);
    *next++ = static_cast<char>(zigzag >= 0x80 ? zigzag >> 7 : zigzag);
  }
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(next, &mantissa_, static_cast<size_t>(length));
  out.append(bytes, static_cast<size_t>(next - bytes + length));
}

bool Number::Decode(ByteReader& reader, Number* number) {
  const uint8_t header = reader.Byte();
  const size_t length = header & kLengthMask;
  const auto exponent = (header & kExponentBit) != 0 ? UnZigZag(reader.Varint()) : 0;
  const std::string_view bytes = reader.Bytes(length);
  if (!reader.ok() || length > sizeof(Mantissa) || (header & 0x40) != 0) return false;
  if (length == 0) {
    *number = Number();
    return header == 0;
  }
  // Only what Encode writes is accepted: the invariants of a Number hold for every decoded one.
  Mantissa mantissa = 0;
  std::memcpy(&mantissa, bytes.data(), length);
  if (bytes.back() == 0 || mantissa >= kPowers[38] || ((mantissa & 1) == 0 && mantissa % 10 == 0)) return false;
  if (exponent > kMaxMagnitude || exponent < kMinMagnitude - kMaxDigits) return false;
  if ((header & kExponentBit) != 0 && exponent == 0) return false;
  const int64_t magnitude = exponent + DigitCount(mantissa) - 1;
  if (magnitude > kMaxMagnitude || magnitude < kMinMagnitude) return false;
  *number = Number((header & kNegativeBit) != 0, mantissa, static_cast<int>(exponent));
  return true;
}

// --- key form
//
// Positive: 0xC1 + (position of the leading base-100 digit), then each base-100 digit plus one, then 0x00. The position
// goes from -65 to 62, so the first byte fills 0x80…0xFF exactly. Zero is 0x80 0x00: below 0x80 with a digit behind it.
// Negative: every byte of the positive form complemented.

namespace {
constexpr int kPositionBias = 0xC1;
constexpr int kMaxPairs = 20;  // 38 digits, not aligned to pairs
}  // namespace

void Number::EncodeOrdered(std::string& out) const {
  if (is_zero()) {
    out.append("\x80\x00", 2);
    return;
  }
  // Decimal text padded with a zero at either end, so that pairs align on the decimal point.
  char text[44];
  text[0] = '0';
  const int digits = WriteDigits(mantissa_, text + 1);
  const int leading = exponent_ + digits - 1;
  text[1 + digits] = '0';
  const char* first = (leading & 1) != 0 ? text + 1 : text;
  const int position = leading >> 1;
  const int pairs = position - (exponent_ >> 1) + 1;

  const uint8_t flip = negative_ ? 0xFF : 0x00;
  char bytes[kMaxPairs + 2];
  bytes[0] = static_cast<char>((kPositionBias + position) ^ flip);
  for (int i = 0; i < pairs; ++i)
    bytes[1 + i] = static_cast<char>(((first[2 * i] - '0') * 10 + (first[2 * i + 1] - '0') + 1) ^ flip);
  bytes[1 + pairs] = static_cast<char>(flip);
  out.append(bytes, static_cast<size_t>(pairs) + 2);
}

bool Number::DecodeOrdered(std::string_view* in, Number* number) {
  if (in->size() < 2) return false;
  const bool negative = static_cast<uint8_t>((*in)[0]) < 0x80;
  const uint8_t flip = negative ? 0xFF : 0x00;
  const auto byte_at = [&](size_t i) { return static_cast<uint8_t>((*in)[i]) ^ flip; };

  size_t end = 1;
  while (end < in->size() && end <= kMaxPairs + 1 && byte_at(end) != 0) ++end;
  if (end == in->size() || byte_at(end) != 0) return false;
  const int pairs = static_cast<int>(end) - 1;
  const int position = byte_at(0) - kPositionBias;
  if (pairs == 0) {
    if (negative || byte_at(0) != 0x80) return false;
    in->remove_prefix(2);
    *number = Number();
    return true;
  }
  const int first = byte_at(1) - 1;
  const int last = byte_at(end - 1) - 1;
  const bool drops_last_zero = last % 10 == 0;
  const int digits = 2 * pairs - (first < 10 ? 1 : 0) - (drops_last_zero ? 1 : 0);
  if (first == 0 || last == 0 || digits > kMaxDigits) return false;

  Mantissa mantissa = 0;
  for (size_t i = 1; i < end; ++i) {
    const int pair = byte_at(i) - 1;
    if (pair > 99) return false;
    const bool shortened = drops_last_zero && i + 1 == end;
    mantissa =
        shortened ? mantissa * 10 + static_cast<unsigned>(pair / 10) : mantissa * 100 + static_cast<unsigned>(pair);
  }
  *number = Number(negative, mantissa, 2 * (position - pairs + 1) + (drops_last_zero ? 1 : 0));
  in->remove_prefix(end + 1);
  return true;
}

}  // namespace armature::model
