#include "model/number.h"

#include <algorithm>
#include <array>
#include <compare>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "model/messages/items.h"

namespace armature::model {
namespace {

Number Num(std::string_view text) {
  auto parsed = Number::Parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed.has_value() ? *parsed : Number();
}

std::string Canonical(std::string_view text) { return Num(text).ToString(); }

std::string ParseError(std::string_view text) {
  auto parsed = Number::Parse(text);
  if (parsed.has_value()) return "accepted";
  EXPECT_EQ(parsed.error().name, "ValidationException");
  return parsed.error().message;
}

std::string Encoded(const Number& number) {
  std::string out;
  number.Encode(out);
  return out;
}

std::string Ordered(const Number& number) {
  std::string out;
  number.EncodeOrdered(out);
  return out;
}

// --- text

TEST(NumberParse, CanonicalTextIsPlainDecimal) {
  EXPECT_EQ(Canonical("1e3"), "1000");
  EXPECT_EQ(Canonical("1.50"), "1.5");
  EXPECT_EQ(Canonical("007"), "7");
  EXPECT_EQ(Canonical(".5"), "0.5");
  EXPECT_EQ(Canonical("5."), "5");
  EXPECT_EQ(Canonical("+5"), "5");
  EXPECT_EQ(Canonical("1e+2"), "100");
  EXPECT_EQ(Canonical("00042"), "42");
  EXPECT_EQ(Canonical("-0"), "0");
  EXPECT_EQ(Canonical("-0.00e5"), "0");
  EXPECT_EQ(Canonical("-12.5E-3"), "-0.0125");
  EXPECT_EQ(Canonical("123456.789e2"), "12345678.9");
  EXPECT_EQ(Canonical("1000000000000000000000"), "1000000000000000000000");
  EXPECT_EQ(Canonical("1e125"), "1" + std::string(125, '0'));
  EXPECT_EQ(Canonical("1e-130"), "0." + std::string(129, '0') + "1");
}

TEST(NumberParse, RefusesWhatIsNotANumber) {
  EXPECT_EQ(ParseError(""), "The parameter cannot be converted to a numeric value: ");
  for (std::string_view text :
       {"abc", " 1", "1 ", "NaN", "Infinity", "-Infinity", "1_000", "1e",   "1e+",   "e5", "++5", "--5",
        "+-5", ".",  "-",  "+",   "1.2.3",    "1e5.5",     "1e5e5", "0x10", "1,000", "-.", ".e1", "１"})
    EXPECT_EQ(ParseError(text), "The parameter cannot be converted to a numeric value: " + std::string(text));
}

TEST(NumberParse, CountsSignificantDigitsWithoutOuterZeros) {
  const std::string digits38 = "12345678901234567890123456789012345678";
  EXPECT_EQ(Canonical(digits38), digits38);
  EXPECT_EQ(Canonical("000" + digits38 + "000"), digits38 + "000");
  EXPECT_EQ(Canonical("0.000" + digits38 + "00"), "0.000" + digits38);
  EXPECT_EQ(ParseError(digits38 + "9"), messages::kTooManyDigits);
  EXPECT_EQ(ParseError("1" + std::string(37, '0') + "1"), messages::kTooManyDigits);
  EXPECT_EQ(Canonical("1" + std::string(36, '0') + "1"), "1" + std::string(36, '0') + "1");
  EXPECT_EQ(ParseError("1." + std::string(100, '0') + "1"), messages::kTooManyDigits);
}

TEST(NumberParse, KeepsTheRange) {
  const std::string nines(38, '9');
  EXPECT_EQ(Canonical(nines + "e88"), nines + std::string(88, '0'));
  EXPECT_EQ(Canonical("0.1e126"), "1" + std::string(125, '0'));
  for (std::string_view text : {"1e126", "-1e126", "10e125", "1e99999999999", "1e9223372036854775807", "9.9e126"})
    EXPECT_EQ(ParseError(text), messages::kNumberOverflow) << text;
  for (std::string_view text : {"1e-131", "-1e-131", "0.1e-130", "1e-99999999999", "1e-9223372036854775807"})
    EXPECT_EQ(ParseError(text), messages::kNumberUnderflow) << text;
  EXPECT_EQ(Canonical("-1e-130").size(), 133u);
}

// The same bad number is told differently by AWS's readers.
TEST(NumberParse, ExponentsBeyondAllLimitsDependOnTheReader) {
  const auto error = [](std::string_view text, NumberReading reading) {
    return std::string(Number::Parse(text, reading).error().message);
  };
  const auto unconvertible = [](std::string_view text) {
    return "The parameter cannot be converted to a numeric value: " + std::string(text);
  };
  for (const auto reading : {NumberReading::kCurrent, NumberReading::kOlder}) {
    EXPECT_EQ(error("1e2147483648", reading), messages::kNumberOverflow);
    EXPECT_EQ(error("1e-2147483648", reading), messages::kNumberUnderflow);
    EXPECT_EQ(error("1e9223372036854775808", reading), unconvertible("1e9223372036854775808"));
  }
  EXPECT_EQ(error("1e2147483647", NumberReading::kCurrent), messages::kNumberOverflow);
  EXPECT_EQ(error("1e2147483647", NumberReading::kOlder), messages::kNumberUnderflow);
  EXPECT_EQ(error("1e2147483647", NumberReading::kStatement), messages::kNumberUnderflow);
  EXPECT_EQ(error("12e2147483646", NumberReading::kOlder), messages::kNumberUnderflow);
  EXPECT_EQ(error("1e2147483646", NumberReading::kOlder), messages::kNumberOverflow);
  for (std::string_view text : {"1e2147483648", "-1e99999999999", "1e-2147483648", "1e-99999999999"})
    EXPECT_EQ(error(text, NumberReading::kStatement), unconvertible(text));
  EXPECT_EQ(error("1e-2147483647", NumberReading::kStatement), messages::kNumberUnderflow);
  EXPECT_EQ(error("", NumberReading::kOlder), messages::kEmptyNumber);
  EXPECT_EQ(error("", NumberReading::kStatement), messages::kEmptyNumber);
}

TEST(NumberParse, AZeroHasTheMagnitudeOfItsLastDigit) {
  EXPECT_EQ(ParseError("0e126"), messages::kNumberOverflow);
  EXPECT_EQ(Canonical("0.0e126"), "0");
  EXPECT_EQ(Canonical("0e125"), "0");
}

TEST(NumberParse, LongPaddingIsHarmless) {
  const std::string zeros(100'000, '0');
  EXPECT_EQ(Canonical(zeros + "1"), "1");
  EXPECT_EQ(Canonical("1" + zeros + "e-100000"), "1");
  EXPECT_EQ(Canonical("0." + zeros + "1e100001"), "1");
}

TEST(Number, FromIntCoversTheWholeRange) {
  EXPECT_EQ(Number::FromInt(0).ToString(), "0");
  EXPECT_EQ(Number::FromInt(-1200).ToString(), "-1200");
  EXPECT_EQ(Number::FromInt(std::numeric_limits<int64_t>::min()).ToString(), "-9223372036854775808");
  EXPECT_EQ(Number::FromInt(std::numeric_limits<int64_t>::max()).ToString(), "9223372036854775807");
  EXPECT_EQ(Number::FromInt(1000), Num("1e3"));
}

// --- size

TEST(NumberSize, MeasuredPoints) {
  const std::pair<std::string_view, size_t> points[] = {
      {"1", 2},       {"12", 2},    {"123", 3},    {"100", 2},   {"1010", 3},  {"1.5", 3},  {"0.15", 2}, {"100.5", 4},
      {"3.14159", 5}, {"1E125", 2}, {"-42", 3},    {"-0", 1},    {"0", 1},     {"120", 3},  {"-1.5", 4}, {"0.5", 2},
      {"0.05", 2},    {"0.005", 2}, {"1e-130", 2}, {"99.99", 3}, {"10000", 2}, {"10100", 3}};
  for (const auto& [text, size] : points) EXPECT_EQ(Num(text).SizeBytes(), size) << text;
  EXPECT_EQ(Num("12345678901234567890123456789012345678").SizeBytes(), 20u);
  EXPECT_EQ(Num("1.2345678901234567890123456789012345678").SizeBytes(), 21u);
}

// --- random numbers against a model

// The model: one decimal digit per position from 10^127 down to 10^-170, and a sign.
constexpr int kTopPosition = 127;
constexpr int kPositions = kTopPosition + 171;
struct Grid {
  bool negative = false;
  std::array<int, kPositions> digits{};

  bool is_zero() const {
    return std::ranges::all_of(digits, [](int d) { return d == 0; });
  }
};

Grid GridOf(const Number& number) {
  const std::string text = number.ToString();
  Grid grid;
  grid.negative = text[0] == '-';
  const size_t start = grid.negative ? 1 : 0;
  const size_t point = std::min(text.find('.'), text.size());
  int position = static_cast<int>(point - start) - 1;
  for (size_t i = start; i < text.size(); ++i) {
    if (text[i] == '.') continue;
    grid.digits[static_cast<size_t>(kTopPosition - position--)] = text[i] - '0';
  }
  return grid;
}

int Compare(const Grid& a, const Grid& b) {
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  const int magnitude = a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0;
  return a.negative ? -magnitude : magnitude;
}

// The sum as the model knows it; nothing when it is out of range or needs more than 38 digits.
std::optional<std::string> SumText(const Grid& a, const Grid& b) {
  const bool b_is_larger = a.digits < b.digits;
  const Grid& large = b_is_larger ? b : a;
  const Grid& small = b_is_larger ? a : b;
  const int sign = a.negative == b.negative ? 1 : -1;
  Grid sum;
  sum.negative = large.negative;
  int carry = 0;
  for (size_t i = kPositions; i-- > 0;) {
    int digit = large.digits[i] + sign * small.digits[i] + carry;
    carry = digit < 0 ? -1 : digit / 10;
    sum.digits[i] = (digit + 10) % 10;
  }
  if (sum.is_zero()) return "0";
  const auto not_zero = [](int d) { return d != 0; };
  const int first = static_cast<int>(std::ranges::find_if(sum.digits, not_zero) - sum.digits.begin());
  int last = kPositions - 1;
  while (sum.digits[static_cast<size_t>(last)] == 0) --last;
  if (last - first + 1 > 38 || kTopPosition - first > 125 || kTopPosition - first < -130) return std::nullopt;
  std::string text = sum.negative ? "-" : "";
  for (int i = std::min(first, kTopPosition); i <= std::max(last, kTopPosition); ++i) {
    if (i == kTopPosition + 1) text.push_back('.');
    text.push_back(static_cast<char>('0' + sum.digits[static_cast<size_t>(i)]));
  }
  return text;
}

Number RandomNumber(RandomSource& random) {
  // Few distinct digits and magnitudes near each other make neighbours, carries and cancellations frequent.
  const size_t length = 1 + (random.Below(3) == 0 ? random.Below(38) : random.Below(6));
  std::string text = random.Below(2) == 0 ? "-" : "";
  const bool nines_and_zeros = random.Below(2) == 0;
  for (size_t i = 0; i < length; ++i)
    text.push_back(nines_and_zeros ? (random.Below(2) ? '9' : '0') : static_cast<char>('0' + random.Below(10)));
  const bool extreme = random.Below(4) == 0;
  const int64_t spread = extreme ? 250 : 40;
  const int64_t exponent =
      static_cast<int64_t>(random.Below(static_cast<uint64_t>(spread))) - spread / 2 - (extreme ? 20 : 0);
  text += "e" + std::to_string(exponent);
  auto parsed = Number::Parse(text);
  return parsed.has_value() ? *parsed : RandomNumber(random);
}

std::vector<Number> RandomNumbers(uint64_t seed, size_t count) {
  SeededRandom random(seed);
  std::vector<Number> numbers;
  for (size_t i = 0; i < count; ++i) numbers.push_back(RandomNumber(random));
  for (std::string_view edge :
       {"0", "1e-130", "-1e-130", "1e125", "-1e125", "99999999999999999999999999999999999999e88",
        "1.2345678901234567890123456789012345678e-130", "10", "9.9", "-10", "-9.9", "100", "99"})
    numbers.push_back(Num(edge));
  return numbers;
}

int Sign(std::strong_ordering order) { return std::is_lt(order) ? -1 : std::is_gt(order) ? 1 : 0; }

TEST(NumberProperty, TextRoundTrips) {
  for (const Number& number : RandomNumbers(1, 5000)) EXPECT_EQ(Num(number.ToString()), number);
}

TEST(NumberProperty, OrderIsNumericOrderAndSoIsTheOrderOfKeyBytes) {
  const auto numbers = RandomNumbers(2, 1500);
  std::vector<Grid> grids;
  std::vector<std::string> keys;
  for (const Number& number : numbers) {
    grids.push_back(GridOf(number));
    keys.push_back(Ordered(number));
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (size_t k = i % 7; k < numbers.size(); k += 7) {
      const int expected = Compare(grids[i], grids[k]);
      ASSERT_EQ(Sign(numbers[i] <=> numbers[k]), expected) << numbers[i].ToString() << " " << numbers[k].ToString();
      const int by_bytes = keys[i].compare(keys[k]);
      ASSERT_EQ(by_bytes < 0   ? -1
                : by_bytes > 0 ? 1
                               : 0,
                expected)
          << numbers[i].ToString() << " " << numbers[k].ToString();
    }
  }
}

TEST(NumberProperty, BothByteFormsRoundTripAndDelimitThemselves) {
  for (const Number& number : RandomNumbers(3, 5000)) {
    Number decoded;
    const std::string record = Encoded(number) + "tail";
    ByteReader reader(record);
    ASSERT_TRUE(Number::Decode(reader, &decoded));
    EXPECT_EQ(decoded, number);
    EXPECT_EQ(reader.remaining(), 4u);

    const std::string key = Ordered(number) + "tail";
    std::string_view rest = key;
    ASSERT_TRUE(Number::DecodeOrdered(&rest, &decoded));
    EXPECT_EQ(decoded, number);
    EXPECT_EQ(rest, "tail");
  }
}

TEST(NumberProperty, SumsAreExactOrRefused) {
  const auto numbers = RandomNumbers(4, 600);
  size_t refused = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (size_t k = 0; k < numbers.size(); k += 3) {
      const auto expected = SumText(GridOf(numbers[i]), GridOf(numbers[k]));
      const auto sum = Number::Add(numbers[i], numbers[k]);
      ASSERT_EQ(sum.has_value(), expected.has_value()) << numbers[i].ToString() << " + " << numbers[k].ToString();
      if (sum.has_value()) {
        ASSERT_EQ(sum->ToString(), *expected);
      } else {
        ++refused;
        ASSERT_EQ(sum.error().message, messages::kNumberOverflow);
      }
    }
  }
  EXPECT_GT(refused, 0u);
}

// --- arithmetic

TEST(NumberArithmetic, AddsAndSubtracts) {
  const auto add = [](std::string_view a, std::string_view b) { return Number::Add(Num(a), Num(b)); };
  const auto subtract = [](std::string_view a, std::string_view b) { return Number::Subtract(Num(a), Num(b)); };
  EXPECT_EQ(add("0.1", "0.2")->ToString(), "0.3");
  EXPECT_EQ(add("999", "1")->ToString(), "1000");
  EXPECT_EQ(*subtract("1", "1"), Number());
  EXPECT_EQ(*subtract("0", "0"), Number());
  EXPECT_EQ(subtract("0", "5")->ToString(), "-5");
  EXPECT_EQ(subtract("1", "1.5")->ToString(), "-0.5");
  EXPECT_EQ(subtract("1e38", "1")->ToString(), std::string(38, '9'));
}

TEST(NumberArithmetic, WhatDoesNotFitIsAnOverflow) {
  const std::string nines(38, '9');
  const auto error = [](std::string_view a, std::string_view b) {
    auto sum = Number::Add(Num(a), Num(b));
    return sum.has_value() ? sum->ToString() : sum.error().message;
  };
  EXPECT_EQ(error("1e50", "1"), messages::kNumberOverflow);
  EXPECT_EQ(error("1e125", "1e-130"), messages::kNumberOverflow);
  EXPECT_EQ(error(nines, "0.1"), messages::kNumberOverflow);
  EXPECT_EQ(error(nines + "e88", nines + "e88"), messages::kNumberOverflow);
  EXPECT_EQ(error("1.11e-129", "-1.1e-129"), messages::kNumberOverflow);
  EXPECT_EQ(error(nines, "1"), "1" + std::string(38, '0'));
}

// --- byte forms

TEST(NumberEncode, SmallNumbersAreShort) {
  EXPECT_EQ(Encoded(Num("0")).size(), 1u);
  EXPECT_EQ(Encoded(Num("5")).size(), 2u);
  EXPECT_EQ(Encoded(Num("-255")).size(), 2u);
  EXPECT_EQ(Encoded(Num("1234")).size(), 3u);
  EXPECT_EQ(Encoded(Num("1000")).size(), 3u);
  EXPECT_EQ(Encoded(Num("1.5")).size(), 3u);
  EXPECT_LE(Encoded(Num(std::string(38, '9') + "e88")).size(), 19u);
}

TEST(NumberDecode, RefusesFormsThatEncodeNeverWrites) {
  using namespace std::string_view_literals;
  for (std::string_view bytes :
       {""sv, "\x80"sv, "\x20\x02"sv, "\x01\x00"sv, "\x01\x0A"sv, "\x02\x05\x00"sv, "\x41\x05"sv, "\x21\x00\x05"sv,
        "\x11\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01"sv,
        "\x10\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"sv, "\x21\xFC\x01\x05"sv,
        "\x21\x87\x02\x05"sv, "\x02\x05"sv}) {
    ByteReader reader(bytes);
    Number number;
    EXPECT_FALSE(Number::Decode(reader, &number)) << testing::PrintToString(bytes);
  }
}

TEST(NumberDecodeOrdered, RefusesFormsThatEncodeOrderedNeverWrites) {
  using namespace std::string_view_literals;
  for (std::string_view bytes :
       {""sv, "\x80"sv, "\x7F\xFF"sv, "\xC1\x00"sv, "\xC1\x06"sv, "\xC1\x01\x06\x00"sv, "\xC1\x06\x01\x00"sv,
        "\xC1\x66\x00"sv, "\xC1\xFF\x00"sv, "\x3E\xF9"sv,
        "\xC1\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x00"sv,
        "\xC1\x02\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x0C\x02\x02\x00"sv}) {
    std::string_view in = bytes;
    Number number;
    EXPECT_FALSE(Number::DecodeOrdered(&in, &number)) << testing::PrintToString(bytes);
  }
}

TEST(NumberDecode, RandomBytesNeverYieldABrokenNumber) {
  SeededRandom random(9);
  for (int i = 0; i < 200'000; ++i) {
    std::string bytes(random.Below(24), '\0');
    random.FillBytes(bytes);
    if (!bytes.empty() && random.Below(2)) bytes[0] = static_cast<char>(bytes[0] & 0xBF);
    Number number;
    ByteReader reader(bytes);
    if (Number::Decode(reader, &number)) { ASSERT_EQ(Num(number.ToString()), number); }
    for (size_t k = 1; k < bytes.size(); ++k) bytes[k] = static_cast<char>(static_cast<uint8_t>(bytes[k]) % 104);
    std::string_view in = bytes;
    if (Number::DecodeOrdered(&in, &number)) {
      ASSERT_EQ(Num(number.ToString()), number);
      ASSERT_EQ(Ordered(number), bytes.substr(0, bytes.size() - in.size()));
    }
  }
}

}  // namespace
}  // namespace armature::model
