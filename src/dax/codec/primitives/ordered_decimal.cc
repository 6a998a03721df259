#include "dax/codec/primitives/ordered_decimal.h"

#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "base/bytes.h"
#include "dax/codec/primitives/magnitude.h"
#include "model/messages/items.h"

namespace armature::dax {

namespace {

using model::Number;

// The first byte: zero has one of its own (and clients may read another), exponents from -62 to 61 are in it, for
// others it says that four bytes follow.
constexpr uint8_t kZero = 0x80;
constexpr uint8_t kOtherZero = 0x7f;
constexpr uint8_t kPositiveBias = 0xc0;
constexpr uint8_t kNegativeBias = 0x3f;
constexpr uint8_t kPositiveLarge = 0xfe;
constexpr uint8_t kPositiveSmall = 0x81;
constexpr uint8_t kNegativeLarge = 0x01;
constexpr uint8_t kNegativeSmall = 0x7e;
constexpr int kLeastShortExponent = -62;
constexpr int kShortExponentEnd = 62;
constexpr uint32_t kPositiveFlip = 0x80000000;
constexpr uint32_t kNegativeFlip = 0x7fffffff;

// Groups of three digits, and behind the last how many of its digits are the number's: 0, 1 or 2 for one to three. A
// negative number has all of it from the other end of ten bits.
constexpr int kGroupBits = 10;
constexpr uint32_t kGroupBias = 12;
constexpr uint32_t kLastCode = 1023;
constexpr uint32_t kMostTerminator = 2;

struct Header {
  bool is_negative = false;
  int32_t exponent = 0;  // of 0.ddd
};

// Takes the header off the front of `bytes`. REQUIRES: not zero, not empty.
std::optional<Header> TakeHeader(std::string_view& bytes) {
  const auto first = static_cast<uint8_t>(bytes[0]);
  bytes.remove_prefix(1);
  const bool is_negative = first < kZero;
  const bool is_long =
      first == kPositiveLarge || first == kPositiveSmall || first == kNegativeLarge || first == kNegativeSmall;
  if (is_long) {
    if (bytes.size() < sizeof(uint32_t)) return std::nullopt;
    const uint32_t exponent = ReadBigEndian<uint32_t>(bytes.data()) ^ (is_negative ? kNegativeFlip : kPositiveFlip);
    bytes.remove_prefix(sizeof(uint32_t));
    return Header{is_negative, static_cast<int32_t>(exponent)};
  }
  const int exponent = is_negative ? kNegativeBias - first : first - kPositiveBias;
  if (exponent < kLeastShortExponent || exponent >= kShortExponentEnd) return std::nullopt;
  return Header{is_negative, exponent};
}

class GroupReader {
 public:
  explicit GroupReader(std::string_view bytes) : bytes_(bytes) {}

  std::optional<uint32_t> Next() {
    while (bits_ < kGroupBits) {
      if (bytes_.empty()) return std::nullopt;
      waiting_ = waiting_ << 8 | static_cast<uint8_t>(bytes_[0]);
      bytes_.remove_prefix(1);
      bits_ += 8;
    }
    bits_ -= kGroupBits;
    return waiting_ >> bits_ & kLastCode;
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  uint32_t waiting_ = 0;
  int bits_ = 0;
};

class GroupWriter {
 public:
  GroupWriter(std::string& out, bool is_negative) : out_(out), is_negative_(is_negative) {}

  void Append(uint32_t code) {
    waiting_ = waiting_ << kGroupBits | (is_negative_ ? kLastCode - code : code);
    for (bits_ += kGroupBits; bits_ >= 8; bits_ -= 8) AppendByte(out_, static_cast<uint8_t>(waiting_ >> (bits_ - 8)));
  }
  void Finish() {
    if (bits_ > 0) AppendByte(out_, static_cast<uint8_t>(waiting_ << (8 - bits_)));
  }

 private:
  std::string& out_;
  const bool is_negative_;
  uint32_t waiting_ = 0;
  int bits_ = 0;
};

// Appends the digits; false if they do not end as they have to, where the bytes end.
bool ReadDigits(std::string_view bytes, bool is_negative, std::string& digits) {
  GroupReader groups(bytes);
  const size_t first = digits.size();
  while (const auto read = groups.Next()) {
    const uint32_t code = is_negative ? kLastCode - *read : *read;
    if (code <= kMostTerminator) {
      if (digits.size() == first || !groups.at_end()) return false;
      digits.resize(digits.size() - (kMostTerminator - code));
      return true;
    }
    if (code < kGroupBias || code > kGroupBias + 999) return false;
    const uint32_t group = code - kGroupBias;
    for (const uint32_t digit : {group / 100, group / 10 % 10, group % 10})
      digits.push_back(static_cast<char>('0' + digit));
  }
  return false;
}

void AppendHeader(std::string& out, bool is_negative, int exponent) {
  if (exponent >= kLeastShortExponent && exponent < kShortExponentEnd)
    return AppendByte(out, static_cast<uint8_t>(is_negative ? kNegativeBias - exponent : kPositiveBias + exponent));
  const bool is_large = exponent > 0;
  AppendByte(out,
             is_negative ? (is_large ? kNegativeLarge : kNegativeSmall) : (is_large ? kPositiveLarge : kPositiveSmall));
  AppendBigEndian(out, static_cast<uint32_t>(exponent) ^ (is_negative ? kNegativeFlip : kPositiveFlip));
}

// Writes the digits of a mantissa; returns how many.
size_t WriteDigits(Number::Mantissa mantissa, char* out) {
  const auto high = static_cast<uint64_t>(mantissa / Magnitude::kTen19);
  const auto low = static_cast<uint64_t>(mantissa % Magnitude::kTen19);
  const char* const end = high == 0 ? fmt::format_to(out, "{}", low) : fmt::format_to(out, "{}{:019}", high, low);
  return static_cast<size_t>(end - out);
}

model::ApiError NoNumber() { return model::ValidationException(std::string(model::messages::kKeyDoesNotMatchSchema)); }

}  // namespace

model::ApiResult<Number> DecodeOrderedDecimal(std::string_view bytes) {
  if (bytes.empty()) return NoNumber();
  const auto first = static_cast<uint8_t>(bytes[0]);
  if (bytes.size() == 1 && (first == kZero || first == kOtherZero)) return Number();
  const auto header = TakeHeader(bytes);
  if (!header) return NoNumber();
  std::string text = header->is_negative ? "-0." : "0.";
  if (!ReadDigits(bytes, header->is_negative, text)) return NoNumber();
  fmt::format_to(std::back_inserter(text), "e{}", header->exponent);
  return Number::Parse(text);
}

void AppendOrderedDecimal(std::string& out, const Number& number) {
  if (number.is_zero()) return AppendByte(out, kZero);
  char digits[44] = {};
  const size_t count = WriteDigits(number.mantissa(), digits);
  AppendHeader(out, number.is_negative(), number.exponent() + static_cast<int>(count));
  for (size_t i = count; i % 3 != 0; ++i) digits[i] = '0';
  GroupWriter groups(out, number.is_negative());
  for (size_t i = 0; i < count; i += 3) {
    const int group = (digits[i] - '0') * 100 + (digits[i + 1] - '0') * 10 + (digits[i + 2] - '0');
    groups.Append(kGroupBias + static_cast<uint32_t>(group));
  }
  groups.Append(static_cast<uint32_t>((count - 1) % 3));
  groups.Finish();
}

}  // namespace armature::dax
