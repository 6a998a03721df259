// Numbers from clients' texts and from hostile bytes.
//
// Input: two texts, parted by a blank. Against them: print and parse again, both byte forms there and back, the order
// of the ordered bytes, and the order and the sum of the printed texts worked out digit by digit.
#include <algorithm>
#include <string>

#include "base/bytes.h"
#include "base/testing/fuzz_check.h"
#include "model/number.h"

namespace armature::model {
namespace {

int Sign(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }
int Sign(int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

struct Decimal {
  bool negative = false;
  std::string whole;     // without leading zeros
  std::string fraction;  // without trailing zeros
};

Decimal Split(std::string text) {
  Decimal out;
  out.negative = text.starts_with('-');
  if (out.negative) text.erase(0, 1);
  Require(!text.empty() && text.find_first_not_of("0123456789.") == std::string::npos, "plain decimal text");
  const size_t dot = std::min(text.find('.'), text.size());
  out.whole = text.substr(0, dot);
  out.fraction = dot < text.size() ? text.substr(dot + 1) : "";
  Require(!out.whole.empty() && out.fraction.find('.') == std::string::npos, "one dot at most, digits before it");
  out.whole.erase(0, std::min(out.whole.find_first_not_of('0'), out.whole.size()));
  return out;
}

int CompareMagnitudes(const Decimal& a, const Decimal& b) {
  if (a.whole.size() != b.whole.size()) return a.whole.size() < b.whole.size() ? -1 : 1;
  if (const int whole = a.whole.compare(b.whole)) return Sign(whole);
  return Sign(a.fraction.compare(b.fraction));  // neither ends in zeros
}

int Compare(const Decimal& a, const Decimal& b) {
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  return a.negative ? -CompareMagnitudes(a, b) : CompareMagnitudes(a, b);
}

// Schoolbook addition of two numbers that are not negative.
std::string Add(const Decimal& a, const Decimal& b) {
  const size_t fraction = std::max(a.fraction.size(), b.fraction.size());
  const size_t whole = std::max(a.whole.size(), b.whole.size()) + 1;
  const auto digits = [&](const Decimal& number) {
    std::string text(whole - number.whole.size(), '0');
    return text + number.whole + number.fraction + std::string(fraction - number.fraction.size(), '0');
  };
  std::string x = digits(a);
  const std::string y = digits(b);
  int carry = 0;
  for (size_t i = x.size(); i-- > 0;) {
    const int sum = x[i] - '0' + y[i] - '0' + carry;
    x[i] = static_cast<char>('0' + sum % 10);
    carry = sum / 10;
  }
  return x.substr(0, whole) + "." + x.substr(whole);
}

void CheckAlone(const Number& number) {
  const std::string text = number.ToString();
  const auto again = Number::Parse(text);
  Require(again && *again == number && again->ToString() == text, "a printed number parses to itself");
  Require(number.SizeBytes() >= 1 && number.SizeBytes() <= 22, "the size is what DynamoDB can store");
  std::string record;
  number.Encode(record);
  ByteReader reader(record);
  Number decoded;
  Require(Number::Decode(reader, &decoded) && reader.at_end() && decoded == number, "the record form comes back");
  std::string ordered;
  number.EncodeOrdered(ordered);
  ordered += "tail";
  std::string_view rest = ordered;
  Require(Number::DecodeOrdered(&rest, &decoded) && decoded == number && rest == "tail", "the key form comes back");
}

void CheckPair(const Number& a, const Number& b) {
  const int order = Sign(a <=> b);
  std::string a_bytes;
  std::string b_bytes;
  a.EncodeOrdered(a_bytes);
  b.EncodeOrdered(b_bytes);
  Require(Sign(a_bytes.compare(b_bytes)) == order, "the key form sorts as the numbers do");
  const Decimal x = Split(a.ToString());
  const Decimal y = Split(b.ToString());
  Require(Compare(x, y) == order, "the printed texts sort as the numbers do");
  const auto sum = Number::Add(a, b);
  const auto other = Number::Add(b, a);
  Require(sum.has_value() == other.has_value() && (!sum || *sum == *other), "a + b is b + a");
  if (!sum) return;
  CheckAlone(*sum);
  const auto difference = Number::Subtract(*sum, b);
  if (difference) Require(*difference == a, "a + b - b is a");
  if (x.negative || y.negative) return;
  const auto schoolbook = Number::Parse(Add(x, y));
  Require(schoolbook && *schoolbook == *sum, "the sum is that of schoolbook addition");
}

void CheckBytes(std::string_view bytes) {
  ByteReader reader(bytes);
  Number number;
  if (Number::Decode(reader, &number)) CheckAlone(number);
  if (Number::DecodeOrdered(&bytes, &number)) CheckAlone(number);
}

}  // namespace
}  // namespace armature::model

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using armature::model::Number;
  const std::string_view text = armature::FuzzText(data, size);
  armature::model::CheckBytes(text);
  const size_t blank = std::min(text.find(' '), text.size());
  const auto a = Number::Parse(text.substr(0, blank));
  if (!a) return 0;
  armature::model::CheckAlone(*a);
  const auto b = Number::Parse(text.substr(std::min(blank + 1, text.size())));
  if (b) armature::model::CheckPair(*a, *b);
  return 0;
}
