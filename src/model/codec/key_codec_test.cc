#include "model/codec/key_codec.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace armature::model {
namespace {

using namespace std::string_view_literals;

std::string Key(const Value& value) {
  std::string out;
  AppendKeyValue(value, out);
  return out;
}

std::string Hex(std::string_view bytes) {
  std::string text;
  for (char c : bytes) text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<uint8_t>(c));
  return text;
}

std::string NumberKey(std::string_view text) {
  Arena arena;
  return Hex(Key(Value::OfNumber(Number::Parse(text).value(), arena)));
}

// The worked examples of docs/design/formats.md.
TEST(KeyCodec, BytesAsDocumented) {
  EXPECT_EQ(Hex(Key(Value::String("ab"))), "61 62 00 01");
  EXPECT_EQ(Hex(Key(Value::Binary("a\0b"sv))), "61 00 ff 62 00 01");
  EXPECT_EQ(Hex(Key(Value::String(""))), "00 01");
  EXPECT_EQ(NumberKey("0"), "80 00");
  EXPECT_EQ(NumberKey("5"), "c1 06 00");
  EXPECT_EQ(NumberKey("1000"), "c2 0b 00");
  EXPECT_EQ(NumberKey("12.5"), "c1 0d 33 00");
  EXPECT_EQ(NumberKey("-12.5"), "3e f2 cc ff");
  EXPECT_EQ(NumberKey("0.001"), "bf 0b 00");
  EXPECT_EQ(NumberKey("1e-130"), "80 02 00");
}

std::vector<std::string> AwkwardStrings() {
  std::vector<std::string> strings = {""};
  // Every string of up to four bytes over an alphabet of the bytes that matter to the escaping.
  for (size_t from = 0, length = 1; length <= 4; ++length) {
    const size_t to = strings.size();
    for (; from < to; ++from)
      for (char c : {'\x00', '\x01', 'a', '\xFF'}) strings.push_back(strings[from] + c);
  }
  return strings;
}

TEST(KeyCodec, StringsKeepTheirOrderAndRoundTrip) {
  const auto strings = AwkwardStrings();
  ASSERT_EQ(strings.size(), 341u);
  Arena arena;
  for (const auto& a : strings) {
    const std::string key = Key(Value::String(a));
    for (const auto& b : strings) EXPECT_EQ(a < b, key < Key(Value::String(b)));
    const std::string with_tail = key + "tail";
    std::string_view in = with_tail;
    Value value;
    ASSERT_TRUE(ReadKeyValue(&in, Type::kS, arena, &value));
    EXPECT_EQ(value, Value::String(a));
    EXPECT_EQ(in, "tail");
  }
}

TEST(KeyCodec, ComposedKeysOrderByTheFirstPartThenTheSecond) {
  const auto strings = AwkwardStrings();
  SeededRandom random(3);
  for (int i = 0; i < 20'000; ++i) {
    const auto pick = [&]() -> const std::string& { return strings[random.Below(strings.size())]; };
    const std::pair<std::string, std::string> a{pick(), pick()}, b{pick(), pick()};
    const auto compose = [](const auto& pair) {
      return Key(Value::String(pair.first)) + Key(Value::String(pair.second));
    };
    ASSERT_EQ(a < b, compose(a) < compose(b));
  }
}

TEST(KeyCodec, PrefixesCoverExactlyTheStringsThatBeginSo) {
  const auto strings = AwkwardStrings();
  for (const auto& prefix : strings) {
    std::string prefix_bytes;
    AppendKeyPrefix(prefix, prefix_bytes);
    // A prefix ending in a zero byte ends in its escape, so no longer string can be mistaken for it.
    for (const auto& text : strings)
      EXPECT_EQ(text.starts_with(prefix), Key(Value::Binary(text)).starts_with(prefix_bytes));
  }
}

TEST(KeyCodec, RefusesMalformedBytes) {
  Arena arena;
  Value value;
  for (std::string_view bytes : {""sv, "ab"sv, "ab\0"sv, "ab\0\x02"sv, "\0\xFF"sv, "a\0\xFF\0"sv}) {
    std::string_view in = bytes;
    EXPECT_FALSE(ReadKeyValue(&in, Type::kB, arena, &value)) << Hex(bytes);
  }
  std::string_view in = "\xC1\x06"sv;
  EXPECT_FALSE(ReadKeyValue(&in, Type::kN, arena, &value));
}

TEST(KeyCodec, TypesAndSizes) {
  Arena arena;
  const Value number = Value::OfNumber(Number::FromInt(-42), arena);
  const std::string key = Key(Value::Binary("x")) + Key(number);
  std::string_view in = key;
  Value first, second;
  ASSERT_TRUE(ReadKeyValue(&in, Type::kB, arena, &first) && ReadKeyValue(&in, Type::kN, arena, &second));
  EXPECT_EQ(first, Value::Binary("x"));
  EXPECT_EQ(second, number);
  EXPECT_TRUE(in.empty());
  EXPECT_EQ(KeyValueSize(number), 3u);
  EXPECT_EQ(KeyValueSize(Value::String("a\0b"sv)), 3u);
}

}  // namespace
}  // namespace armature::model
