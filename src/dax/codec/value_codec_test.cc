#include "dax/codec/value_codec.h"

#include <gtest/gtest.h>

#include "dax/codec/codec_testing.h"
#include "dax/codec/number_codec.h"
#include "dax/codec/primitives/magnitude.h"
#include "model/item_size.h"

namespace armature::dax {
namespace {

using model::Value;

model::ApiResult<Value> Decode(std::string_view bytes, Arena& arena,
                               const model::Wording& wording = model::kReadWording) {
  CborReader reader(bytes);
  auto value = DecodeValue(reader, arena, wording);
  EXPECT_EQ(reader.ok() && !reader.at_end(), false) << "a value ends where it ends, whatever is wrong with it";
  return value;
}

// The text of the number that `digits` are; of none the error.
std::string NumberOf(std::string_view digits) {
  Arena arena;
  const std::string bytes = Bytes(digits);
  const auto value = Decode(bytes, arena);
  return value ? value->number().ToString() : value.error().message;
}

std::string ErrorOf(std::string_view digits, const model::Wording& wording = model::kReadWording) {
  Arena arena;
  const std::string bytes = Bytes(digits);
  CborReader reader(bytes);
  const auto value = DecodeValue(reader, arena, wording);
  EXPECT_TRUE(reader.ok() && reader.at_end()) << digits;
  EXPECT_FALSE(value.has_value()) << digits;
  if (value) return "";
  EXPECT_EQ(value.error().name, "ValidationException");
  return value.error().message;
}

bool IsMalformed(std::string_view bytes) {
  Arena arena;
  CborReader reader(bytes);
  const auto value = DecodeValue(reader, arena);
  EXPECT_TRUE(reader.ok() || !value.has_value());
  return !reader.ok();
}

std::string Encoded(const Value& value) {
  std::string out;
  AppendValue(out, value);
  return out;
}

std::string EncodedNumber(std::string_view text) {
  const model::Number number = Num(text);
  return Encoded(Value::PointingTo(&number));
}

TEST(DaxNumbers, OfEveryFormThatClientsSend) {
  EXPECT_EQ(NumberOf("20"), "-1");
  EXPECT_EQ(NumberOf("1907cf"), "1999");
  EXPECT_EQ(NumberOf("1b001fffffffffffff"), "9007199254740991");
  EXPECT_EQ(NumberOf("1bffffffffffffffff"), "18446744073709551615");
  EXPECT_EQ(NumberOf("3bffffffffffffffff"), "-18446744073709551616");
  EXPECT_EQ(NumberOf("3b8000000000000000"), "-9223372036854775809");
  EXPECT_EQ(NumberOf("c248ab54a98ceb1f0ad2"), "12345678901234567890");
  EXPECT_EQ(NumberOf("c348ab54a98ceb1f0ad1"), "-12345678901234567890");
  EXPECT_EQ(NumberOf("c24a0000ab54a98ceb1f0ad2"), "12345678901234567890");
  EXPECT_EQ(NumberOf("c240"), "0");
  EXPECT_EQ(NumberOf("c340"), "-1");
  EXPECT_EQ(NumberOf("fb3ff8000000000000"), "1.5");
  EXPECT_EQ(NumberOf("fb3fb999999999999a"), "0.1");
  EXPECT_EQ(NumberOf("fb8000000000000000"), "0");
  EXPECT_EQ(NumberOf("f93e00"), "1.5");
  EXPECT_EQ(NumberOf("c4820301"), "1000");
  EXPECT_EQ(NumberOf("c482200f"), "1.5");
  EXPECT_EQ(NumberOf("c482200a"), "1");
  EXPECT_EQ(NumberOf("c49f200aff"), "1");
  EXPECT_EQ(NumberOf("c4822029"), "-1");
  EXPECT_EQ(NumberOf("c4823822c24f3c813f6636d984f2595b6a372a53d0"), "3.14159265358979323846264338327950288");
  EXPECT_EQ(NumberOf("c482187d01"), "1" + std::string(125, '0'));
}

TEST(DaxNumbers, RefusedInDynamoDbsWords) {
  const std::string overflow =
      "Number overflow. Attempting to store a number with magnitude larger than supported range";
  const std::string underflow =
      "Number underflow. Attempting to store a number with magnitude smaller than supported range";
  const std::string digits = "Attempting to store more than 38 significant digits in a Number";
  EXPECT_EQ(ErrorOf("c482187e01"), overflow);
  EXPECT_EQ(ErrorOf("c4823901ff01"), underflow);
  EXPECT_EQ(ErrorOf("c4821b7fffffffffffffff01"), overflow);
  EXPECT_EQ(ErrorOf("c4823b7fffffffffffffff01"), underflow);
  EXPECT_EQ(ErrorOf("c250" + std::string(32, 'f')), digits);  // 2^128 - 1 has 39
  EXPECT_EQ(ErrorOf("fb7e37e43c8800759c"), overflow);         // 1e300
  EXPECT_EQ(ErrorOf("fb7ff8000000000000"), "The parameter cannot be converted to a numeric value: NaN");
  EXPECT_EQ(ErrorOf("fbfff0000000000000"), "The parameter cannot be converted to a numeric value: -Infinity");
  // Longer than anybody writes out.
  const std::string long_bignum = "c2590400" + std::string(2048, 'f');
  EXPECT_EQ(ErrorOf(long_bignum), overflow);
  EXPECT_EQ(ErrorOf("c482 39095f" + long_bignum), digits);
  EXPECT_EQ(ErrorOf("c482 390fff" + long_bignum), underflow);
}

TEST(DaxNumbers, AreWrittenInOneFormEach) {
  EXPECT_EQ(EncodedNumber("0"), Bytes("00"));
  EXPECT_EQ(EncodedNumber("-1"), Bytes("20"));
  EXPECT_EQ(EncodedNumber("1e3"), Bytes("1903e8"));
  EXPECT_EQ(EncodedNumber("1.50"), Bytes("c482200f"));
  EXPECT_EQ(EncodedNumber("-0.05"), Bytes("c4822124"));
  EXPECT_EQ(EncodedNumber("9223372036854775807"), Bytes("1b7fffffffffffffff"));
  EXPECT_EQ(EncodedNumber("-9223372036854775807"), Bytes("3b7ffffffffffffffe"));
  EXPECT_EQ(EncodedNumber("9223372036854775808"), Bytes("c48200c2488000000000000000"));
  EXPECT_EQ(EncodedNumber("12345678901234567890"), Bytes("c48200c248ab54a98ceb1f0ad2"));
  EXPECT_EQ(EncodedNumber("-12345678901234567890"), Bytes("c48200c348ab54a98ceb1f0ad1"));
  EXPECT_EQ(EncodedNumber("3.14159265358979323846264338327950288"),
            Bytes("c4823822c24f3c813f6636d984f2595b6a372a53d0"));
}

TEST(DaxNumbers, AllComeBack) {
  Arena arena;
  RandomValues values(1, arena);
  for (int round = 0; round < 20'000; ++round) {
    const model::Number number = values.Number();
    const std::string bytes = Encoded(Value::PointingTo(&number));
    Arena once;
    const auto again = Decode(bytes, once);
    ASSERT_TRUE(again.has_value()) << number.ToString();
    ASSERT_EQ(again->number(), number) << number.ToString();
  }
}

TEST(DaxNumbers, AMagnitudeIsDecimalAndBinary) {
  Magnitude magnitude(1);
  std::string text = "1";
  for (int i = 0; i < 16; ++i) {
    magnitude.Multiply(Magnitude::kTen19);
    text += std::string(19, '0');
    std::string decimal;
    magnitude.AppendDecimal(decimal);
    ASSERT_EQ(decimal, text);
    std::string binary;
    magnitude.AppendBigEndian(binary);
    ASSERT_EQ(binary.size(), magnitude.ByteCount());
    std::string again;
    Magnitude(binary).AppendDecimal(again);
    ASSERT_EQ(again, text);
  }
  Magnitude full{std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff")};
  full.Increment();
  EXPECT_EQ(full.ByteCount(), 9u);
  full.Decrement();
  EXPECT_EQ(full.ByteCount(), 8u);
}

TEST(DaxValues, OfEveryType) {
  Arena arena;
  // The example of 8.2: b, big, bs, d, e, empty, f, l, m, n, nbig, neg, ns, nul, s, safe, ss, t, z.
  const std::string bytes = Bytes(
      "43 0001ff  c248ab54a98ceb1f0ad2  d90cfb 82 4170 4171  c4823822c24f3c813f6636d984f2595b6a372a53d0 1a000186a0  60 "
      " "
      "fb3fb999999999999a  83 01 6178 80  a2 616b 6176 6464656570 a1 6171 05  182a c348ab54a98ceb1f0ad1  26  d90cfa 83 "
      "01 "
      "fb4004000000000000 22  f6  65 747874c3a9  1b001fffffffffffff d90cf9 82 6161 6162  f5  f4");
  CborReader reader(bytes);
  std::vector<Value> values;
  while (reader.ok() && !reader.at_end()) values.push_back(DecodeValue(reader, arena).value());
  ASSERT_TRUE(reader.ok());
  ASSERT_EQ(values.size(), 19u);
  EXPECT_EQ(values[0], Value::Binary(std::string_view("\0\1\xff", 3)));
  EXPECT_EQ(values[2].strings()[1], "q");
  EXPECT_EQ(values[7].list()[1], Value::String("x"));
  EXPECT_EQ(values[8].Find("deep")->Find("q")->number(), Num("5"));
  EXPECT_EQ(values[12].numbers()[0], Num("-3"));
  EXPECT_EQ(values[13], Value::Null());
  EXPECT_EQ(values[14], Value::String("txté"));
  EXPECT_TRUE(values[17].boolean());
  for (const Value& value : values) {
    const std::string written = Encoded(value);
    ASSERT_EQ(Decode(written, arena).value(), value);
  }
}

TEST(DaxValues, MapsAndSetsAreSorted) {
  Arena arena;
  const std::string map = Bytes("bf 6162 01 6161 02 6162 03 ff");
  EXPECT_EQ(Encoded(Decode(map, arena).value()), Bytes("a2 6161 02 6162 03"));
  const std::string set = Bytes("d90cf9 9f 6162 6161 ff");
  EXPECT_EQ(Encoded(Decode(set, arena).value()), Bytes("d90cf9 82 6161 6162"));
}

TEST(DaxValues, SetsAreRefusedInDynamoDbsWords) {
  EXPECT_EQ(ErrorOf("d90cf980"), "One or more parameter values were invalid: An string set  may not be empty");
  EXPECT_EQ(ErrorOf("d90cfa80"), "One or more parameter values were invalid: An number set  may not be empty");
  EXPECT_EQ(ErrorOf("d90cfb9fff"), "One or more parameter values were invalid: Binary sets should not be empty");
  EXPECT_EQ(ErrorOf("d90cf9 83 6162 6161 6162"),
            "One or more parameter values were invalid: Input collection [\"a\", \"b\", \"b\"] contains duplicates.");
  EXPECT_EQ(ErrorOf("d90cf9 83 6162 6161 6162", model::kScanWording),
            "One or more parameter values were invalid: Input collection [b, a, b] contains duplicates.");
  EXPECT_EQ(
      ErrorOf("d90cfb 82 4101 4101"),
      "One or more parameter values were invalid: Input collection [\"AQ==\",\"AQ==\"]of type BS contains duplicates.");
  EXPECT_EQ(ErrorOf("d90cfa 82 0a c4820101"),
            "One or more parameter values were invalid: Input collection contains duplicates.");
  EXPECT_EQ(ErrorOf("d90cfa 82 0a c482187e01"),
            "Number overflow. Attempting to store a number with magnitude larger than supported range");
}

TEST(DaxValues, TheFirstFaultIsTold) {
  EXPECT_EQ(ErrorOf("83 d90cf980 fb7ff8000000000000 01"),
            "One or more parameter values were invalid: An string set  may not be empty");
  EXPECT_EQ(ErrorOf("a1 60 01"), "One or more parameter values were invalid: Empty attribute name");
}

TEST(DaxValues, NestingIsBounded) {
  const std::string most = std::string(model::kMaxNestingLevels - 1, '\x81') + std::string(1, '\x01');
  Arena arena;
  EXPECT_TRUE(Decode(most, arena).has_value());
  const std::string deeper = "\x81" + most;
  const auto refused = Decode(deeper, arena);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message,
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported "
            "limit");
  // Beyond what any reader follows it is no value at all.
  EXPECT_TRUE(IsMalformed(std::string(100'000, '\x81')));
}

TEST(DaxValues, WhatIsNoValueIsMalformed) {
  for (const char* digits : {"",
                             "ff",
                             "61ff",
                             "d90cf9 81 4161",
                             "d90cfb 81 6161",
                             "d90cfa 81 6161",
                             "d90cf9 6161",
                             "d90cfc 01",
                             "c4 01",
                             "c4 81 01",
                             "c4 83 010203",
                             "c4 82 f6 01",
                             "c4 82 01 fb3ff8000000000000",
                             "c4 82 01 c48201 01",
                             "c2 01",
                             "c2 6161",
                             "a1 01 01",
                             "c1 01",
                             "f8ff",
                             "9f 01",
                             "c4 82 1bffffffffffffffff 01"}) {
    EXPECT_TRUE(IsMalformed(Bytes(digits))) << digits;
  }
}

TEST(DaxValues, CountsThatLieTakeNoMemory) {
  std::string bytes;
  // Each list announces as many as there are bytes behind it.
  for (int i = 0; i < 31; ++i) bytes += Bytes("9a 00fffff0");
  bytes += std::string(1 << 24, '\x81');
  Arena arena;
  CborReader reader(bytes);
  EXPECT_FALSE(DecodeValue(reader, arena).has_value());
  EXPECT_LT(arena.bytes_reserved(), size_t{1} << 20);
}

TEST(DaxValues, RandomOnesComeBackAndEveryTruncationIsNoticed) {
  Arena arena;
  RandomValues values(2, arena);
  for (int round = 0; round < 2'000; ++round) {
    Arena once;
    const Value value = values.Value();
    const std::string bytes = Encoded(value);
    const auto again = Decode(bytes, once);
    ASSERT_TRUE(again.has_value());
    ASSERT_EQ(*again, value);
    ASSERT_EQ(Encoded(*again), bytes);
    if (bytes.size() > 300) continue;
    for (size_t size = 0; size < bytes.size(); ++size) ASSERT_TRUE(IsMalformed(bytes.substr(0, size)));
  }
}

}  // namespace
}  // namespace armature::dax
