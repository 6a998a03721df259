#include "dax/codec/key_codec.h"

#include <gtest/gtest.h>

#include "dax/codec/codec_testing.h"
#include "dax/codec/primitives/ordered_decimal.h"
#include "dax/codec/value_codec.h"

namespace armature::dax {
namespace {

using model::Type;
using model::Value;

const std::string kMismatch = "The provided key element does not match the schema";

TableSchema Schema(std::vector<KeyPart> parts) { return {.name = "T", .number = 1, .parts = std::move(parts)}; }

std::string Ordered(std::string_view text) {
  std::string out;
  AppendOrderedDecimal(out, Num(text));
  return out;
}

std::string Canonical(std::string_view bytes, const TableSchema& schema) {
  std::string out = "left over";
  return CanonicalKey(bytes, schema, out) ? out : "none";
}

std::string ErrorOf(std::string_view bytes, const TableSchema& schema) {
  Arena arena;
  std::string canonical;
  EXPECT_FALSE(CanonicalKey(bytes, schema, canonical));
  const auto key = DecodeKey(bytes, schema, arena);
  return key ? "none" : key.error().message;
}

// Text, canonical bytes: the table of the protocol, without its spellings of numbers that have another.
const std::pair<const char*, const char*> kOrdered[] = {
    {"0", "80"},
    {"-1", "3ee3fff0"},
    {"1", "c11c0000"},
    {"-42", "3d93ffe0"},
    {"-0.001", "41e3fff0"},
    {"-1e125", "017fffff81e3fff0"},
    {"0.5", "c0800000"},
    {"-1e-130", "7e80000080e3fff0"},
    {"1e-130", "817fffff7f1c0000"},
    {"1234", "c421d9c000"},
    {"1e125", "fe8000007e1c0000"},
    {"12345.678", "c521dd4c6001"},
    {"99999999999999999999999999999999999999", "e6fcff3fcff3fcff3fcff3fcff3fcff3fa8010"},
};

TEST(OrderedDecimal, AsTheProtocolHasIt) {
  for (const auto& [text, digits] : kOrdered) {
    EXPECT_EQ(ToHex(Ordered(text)), digits) << text;
    const auto number = DecodeOrderedDecimal(Bytes(digits));
    ASSERT_TRUE(number.has_value()) << text;
    EXPECT_EQ(*number, Num(text));
  }
}

TEST(OrderedDecimal, WithTheZerosOfItsTextOrWithout) {
  EXPECT_EQ(DecodeOrderedDecimal(Bytes("c21c0010")).value(), Num("10"));
  EXPECT_EQ(DecodeOrderedDecimal(Bytes("c31c0020")).value(), Num("100"));
  EXPECT_EQ(DecodeOrderedDecimal(Bytes("c11c0010")).value(), Num("1"));
  EXPECT_EQ(DecodeOrderedDecimal(Bytes("7f")).value(), Num("0"));
  EXPECT_EQ(ToHex(Ordered("10")), "c21c0000");
  // More zeros than a number may have digits: 1.000…
  std::string bits = "0001110000";
  for (int group = 0; group < 30; ++group) bits += "0000001100";
  bits += "0000000010";
  std::string bytes = Bytes("c1");
  for (size_t i = 0; i < bits.size(); i += 8)
    bytes.push_back(static_cast<char>(std::stoi((bits + "0000000").substr(i, 8), nullptr, 2)));
  EXPECT_EQ(DecodeOrderedDecimal(bytes).value(), Num("1"));
}

TEST(OrderedDecimal, WhatIsNoNumberMatchesNoSchema) {
  for (const char* digits : {"", "00", "ff", "c1", "c11c", "c11c00", "c11c000000", "8000", "7f00", "c10000", "fe8000",
                             "c1fffff0", "3ee3", "fe80000001"}) {
    const auto number = DecodeOrderedDecimal(Bytes(digits));
    ASSERT_FALSE(number.has_value()) << digits;
    EXPECT_EQ(number.error().message, kMismatch) << digits;
  }
  EXPECT_EQ(DecodeOrderedDecimal(Bytes("fe8000007f1c0000")).error().message,
            "Number overflow. Attempting to store a number with magnitude larger than supported range");
  EXPECT_EQ(DecodeOrderedDecimal(Bytes("817fffff7e1c0000")).error().message,
            "Number underflow. Attempting to store a number with magnitude smaller than supported range");
}

TEST(OrderedDecimal, BytesSortAsNumbersDo) {
  Arena arena;
  RandomValues values(3, arena);
  model::Number last;
  std::string last_bytes = Ordered("0");
  for (int round = 0; round < 50'000; ++round) {
    const model::Number number = values.Number();
    std::string bytes;
    AppendOrderedDecimal(bytes, number);
    ASSERT_EQ(DecodeOrderedDecimal(bytes).value(), number);
    const int order = number < last ? -1 : number > last ? 1 : 0;
    const int bytes_order = bytes.compare(last_bytes);
    ASSERT_EQ(bytes_order < 0 ? -1 : bytes_order > 0 ? 1 : 0, order) << number.ToString() << " " << last.ToString();
    last = number;
    last_bytes = bytes;
  }
}

TEST(DaxKeys, OfOnePart) {
  Arena arena;
  const TableSchema text = Schema({{"id", Type::kS}});
  EXPECT_EQ(DecodeKey("héllo", text, arena).value()[0].value, Value::String("héllo"));
  EXPECT_EQ(Canonical("héllo", text), "héllo");
  EXPECT_EQ(ErrorOf("\xff", text), kMismatch);
  const TableSchema binary = Schema({{"id", Type::kB}});
  EXPECT_EQ(DecodeKey("\xff\x01", binary, arena).value()[0].value, Value::Binary("\xff\x01"));
  EXPECT_EQ(Canonical("\xff\x01", binary), "\xff\x01");
  const TableSchema number = Schema({{"id", Type::kN}});
  for (const char* digits :
       {"07", "1807", "1b0000000000000007", "c24107", "c4820007", "c48220 1846", "fb401c000000000000"}) {
    EXPECT_EQ(DecodeKey(Bytes(digits), number, arena).value()[0].value.number(), Num("7")) << digits;
    EXPECT_EQ(Canonical(Bytes(digits), number), Bytes("07")) << digits;
  }
  EXPECT_EQ(Canonical(Bytes("fb3ff8000000000000"), number), Bytes("c482200f"));
  EXPECT_EQ(Canonical(Bytes("c4820301"), number), Bytes("1903e8"));
  for (const char* digits : {"", "0700", "6161", "18", "f6", "8107", "c4"})
    EXPECT_EQ(ErrorOf(Bytes(digits), number), kMismatch);
  EXPECT_EQ(ErrorOf(Bytes("c482187e01"), number),
            "Number overflow. Attempting to store a number with magnitude larger than supported range");
}

TEST(DaxKeys, OfTwoParts) {
  Arena arena;
  const TableSchema music = Schema({{"Song", Type::kS}, {"Artist", Type::kS}});
  const std::string song = Bytes("64 41636d65 48656c6c6f");
  const model::Item key = DecodeKey(song, music, arena).value();
  ASSERT_EQ(key.size(), 2u);
  EXPECT_EQ(key[0].name, "Artist");  // an item's names are in order, whatever the schema's is
  EXPECT_EQ(key[0].value, Value::String("Hello"));
  EXPECT_EQ(*model::FindAttribute(key, "Song"), Value::String("Acme"));
  EXPECT_EQ(Canonical(song, music), song);
  EXPECT_EQ(Canonical(Bytes("78 04 41636d65 48656c6c6f"), music), song);
  EXPECT_EQ(Canonical(Bytes("7f 6141 63636d65 ff 48656c6c6f"), music), song);
  for (const char* digits : {"", "65 41636d65", "44 41636d65 48", "64 41636d65 ff", "07 48", "62 ffff 61"})
    EXPECT_EQ(ErrorOf(Bytes(digits), music), kMismatch) << digits;

  const TableSchema series = Schema({{"sensor", Type::kN}, {"t", Type::kN}});
  const std::string reading = Bytes("05 c521dd4c6001");
  const model::Item numbers = DecodeKey(reading, series, arena).value();
  EXPECT_EQ(model::FindAttribute(numbers, "sensor")->number(), Num("5"));
  EXPECT_EQ(model::FindAttribute(numbers, "t")->number(), Num("12345.678"));
  EXPECT_EQ(Canonical(reading, series), reading);
  EXPECT_EQ(Canonical(Bytes("c48200 05 c21c0010"), series), Bytes("05 c21c0000"));
  EXPECT_EQ(ErrorOf(Bytes("05"), series), kMismatch);
}

TEST(DaxKeys, AreWrittenOutOfItems) {
  Arena arena;
  const TableSchema series = Schema({{"sensor", Type::kN}, {"t", Type::kN}});
  const model::Number five = Num("5");
  const model::Number reading = Num("12345.6780");
  const model::MapEntry entries[] = {
      {"a", Value::Null()}, {"sensor", Value::PointingTo(&five)}, {"t", Value::PointingTo(&reading)}};
  std::string out = "before";
  ASSERT_TRUE(AppendKey(out, series, entries));
  EXPECT_EQ(out, "before" + Bytes("05 c521dd4c6001"));
  EXPECT_FALSE(AppendKey(out, series, model::Item(entries).first(2)));
  EXPECT_FALSE(AppendKey(out, Schema({{"sensor", Type::kS}}), entries));
  EXPECT_EQ(out, "before" + Bytes("05 c521dd4c6001"));
}

TEST(DaxKeys, EveryKindComesBackAndIsCanonical) {
  Arena arena;
  RandomValues values(4, arena);
  const Type types[] = {Type::kS, Type::kN, Type::kB};
  for (int round = 0; round < 20'000; ++round) {
    const TableSchema schema = round % 4 == 0 ? Schema({{"p", types[values.Below(3)]}})
                                              : Schema({{"p", types[values.Below(3)]}, {"k", types[values.Below(3)]}});
    std::vector<model::MapEntry> entries;
    for (const KeyPart& part : schema.parts) {
      const Value value = part.type == Type::kN   ? Value::OfNumber(values.Number(), arena)
                          : part.type == Type::kS ? Value::String(values.Text())
                                                  : Value::Binary(values.Text());
      entries.push_back({part.name, value});
    }
    const model::Item item = model::SortMap(entries);
    std::string bytes;
    ASSERT_TRUE(AppendKey(bytes, schema, item));
    const model::Item again = DecodeKey(bytes, schema, arena).value();
    ASSERT_EQ(Value::Map(again), Value::Map(item));
    ASSERT_EQ(Canonical(bytes, schema), bytes);
  }
}

TEST(DaxKeys, OfIndexesAreMaps) {
  Arena arena;
  const std::string bytes = Bytes("bf64596561721907cf64536f6e676141664172746973746142ff");
  const model::Item key = DecodeIndexKey(bytes, arena).value();
  ASSERT_EQ(key.size(), 3u);
  EXPECT_EQ(model::FindAttribute(key, "Year")->number(), Num("1999"));
  std::string out;
  AppendIndexKey(out, key);
  EXPECT_EQ(out, Bytes("bf 66417274697374 6142 64536f6e67 6141 6459656172 1907cf ff"));
  EXPECT_TRUE(DecodeIndexKey(Bytes("a0"), arena).value().empty());
  for (const char* digits : {"", "01", "80", "bf", "a0 00", "a1 01 01"})
    EXPECT_EQ(DecodeIndexKey(Bytes(digits), arena).error().message, kMismatch) << digits;
}

}  // namespace
}  // namespace armature::dax
