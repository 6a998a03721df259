#include "dax/codec/number_codec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "dax/codec/primitives/magnitude.h"

namespace armature::dax {

namespace {

using model::Number;
using Parsed = model::ApiResult<Number>;

constexpr auto kMostInt = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
constexpr int kTen19Digits = 19;

// An integer of any size, as text. One of more than Magnitude::kMostBytes is not written out: who could send megabytes
// of it would make us work for its digits, and all that matters of it is about how many there are.
struct IntegerText {
  std::string text;
  int64_t digits_not_written = 0;
};

void AppendSigned(bool is_negative, Magnitude magnitude, std::string& out) {
  if (is_negative) magnitude.Increment();  // CBOR has n of -1 - n
  if (is_negative) out.push_back('-');
  magnitude.AppendDecimal(out);
}

void ReadBignum(uint64_t tag, CborReader& reader, IntegerText& out) {
  Arena joined;  // of a byte string in pieces
  std::string_view bytes = reader.Bytes(joined);
  bytes.remove_prefix(std::min(bytes.find_first_not_of('\0'), bytes.size()));
  if (bytes.size() <= Magnitude::kMostBytes) return AppendSigned(tag == kNegativeBignumTag, Magnitude(bytes), out.text);
  constexpr double kDigitsPerByte = 2.408239965311849;
  out.digits_not_written = static_cast<int64_t>(static_cast<double>(bytes.size()) * kDigitsPerByte);
}

void ReadInteger(CborReader& reader, IntegerText& out) {
  switch (reader.Peek()) {
    case CborKind::kUnsigned: return AppendSigned(false, Magnitude(reader.Unsigned()), out.text);
    case CborKind::kNegative: return AppendSigned(true, Magnitude(reader.NegativeBits()), out.text);
    case CborKind::kTag: {
      const uint64_t tag = reader.Tag();
      if (tag == kBignumTag || tag == kNegativeBignumTag) return ReadBignum(tag, reader, out);
      return reader.Fail();
    }
    default: return reader.Fail();
  }
}

Parsed Parse(const IntegerText& integer, int64_t exponent, model::NumberReading reading) {
  // Out of all range, and still an exponent that every reading takes for one.
  constexpr int64_t kFar = 1'000'000'000;
  exponent = std::clamp(exponent, -kFar, kFar);
  if (integer.digits_not_written == 0)
    return Number::Parse(exponent == 0 ? integer.text : fmt::format("{}e{}", integer.text, exponent), reading);
  // A text with too many digits, and a leading digit where that of the number is.
  const int64_t magnitude = exponent + integer.digits_not_written;
  return Number::Parse(fmt::format("1{:0>41}e{}", 1, magnitude - 41), reading);
}

Parsed DecodeDecimal(CborReader& reader, model::NumberReading reading) {
  CborReader::Items parts = reader.Array();
  IntegerText mantissa;
  if (!reader.Next(parts)) reader.Fail();
  const int64_t exponent = reader.Int();
  if (!reader.Next(parts)) reader.Fail();
  ReadInteger(reader, mantissa);
  if (reader.Next(parts)) reader.Fail();
  if (!reader.ok()) return MalformedCbor();
  return Parse(mantissa, exponent, reading);
}

Parsed DecodeFloat(double value, model::NumberReading reading) {
  if (std::isnan(value)) return Number::Parse("NaN", reading);
  if (std::isinf(value)) return Number::Parse(value < 0 ? "-Infinity" : "Infinity", reading);
  // The shortest text that is this double: what the client's own text was.
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
  return Number::Parse({text, static_cast<size_t>(end - text)}, reading);
}

bool FitsInt(Number::Mantissa magnitude) { return magnitude <= kMostInt; }

void AppendShort(std::string& out, bool is_negative, Number::Mantissa magnitude) {
  const auto value = static_cast<int64_t>(magnitude);
  AppendCborInt(out, is_negative ? -value : value);
}

void AppendBignum(std::string& out, bool is_negative, Magnitude magnitude) {
  if (is_negative) magnitude.Decrement();
  AppendCborTag(out, is_negative ? kNegativeBignumTag : kBignumTag);
  AppendCborBytesHead(out, magnitude.ByteCount());
  magnitude.AppendBigEndian(out);
}

// What has a fraction, or is too long for an integer that all clients show digit by digit.
void AppendDecimal(std::string& out, const Number& number) {
  AppendCborTag(out, kDecimalTag);
  AppendCborArrayHead(out, 2);
  int exponent = number.exponent();
  AppendCborInt(out, std::min(exponent, 0));
  if (exponent <= 0 && FitsInt(number.mantissa())) return AppendShort(out, number.is_negative(), number.mantissa());
  Magnitude magnitude(number.mantissa());
  for (; exponent >= kTen19Digits; exponent -= kTen19Digits) magnitude.Multiply(Magnitude::kTen19);
  for (; exponent > 0; --exponent) magnitude.Multiply(10);
  AppendBignum(out, number.is_negative(), magnitude);
}

}  // namespace

model::ApiError MalformedCbor() { return model::SerializationException("A value of the request is malformed"); }

Parsed DecodeNumber(CborReader& reader, model::NumberReading reading) {
  const CborKind kind = reader.Peek();
  if (kind == CborKind::kUnsigned || kind == CborKind::kNegative) {
    const bool is_negative = kind == CborKind::kNegative;
    const uint64_t bits = is_negative ? reader.NegativeBits() : reader.Unsigned();
    if (!reader.ok()) return MalformedCbor();
    if (bits <= kMostInt) {
      const auto value = static_cast<int64_t>(bits);
      return Number::FromInt(is_negative ? -1 - value : value);
    }
    IntegerText text;
    AppendSigned(is_negative, Magnitude(bits), text.text);
    return Parse(text, 0, reading);
  }
  if (kind == CborKind::kFloat) {
    const double value = reader.Float();
    if (!reader.ok()) return MalformedCbor();
    return DecodeFloat(value, reading);
  }
  if (kind == CborKind::kTag) return DecodeTaggedNumber(reader.Tag(), reader, reading);
  reader.Fail();
  return MalformedCbor();
}

Parsed DecodeTaggedNumber(uint64_t tag, CborReader& reader, model::NumberReading reading) {
  if (tag == kDecimalTag) return DecodeDecimal(reader, reading);
  IntegerText integer;
  if (tag == kBignumTag || tag == kNegativeBignumTag) ReadBignum(tag, reader, integer);
  else reader.Fail();
  if (!reader.ok()) return MalformedCbor();
  return Parse(integer, 0, reading);
}

void AppendNumber(std::string& out, const Number& number) {
  const int exponent = number.exponent();
  // A mantissa below 2^64 times 10^18 has less than 128 bits.
  if (exponent >= 0 && exponent < kTen19Digits && (number.mantissa() >> 64) == 0) {
    Number::Mantissa magnitude = number.mantissa();
    for (int i = 0; i < exponent; ++i) magnitude *= 10;
    if (FitsInt(magnitude)) return AppendShort(out, number.is_negative(), magnitude);
  }
  AppendDecimal(out, number);
}

}  // namespace armature::dax
