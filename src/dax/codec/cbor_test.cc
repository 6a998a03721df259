#include "dax/codec/cbor.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "dax/codec/codec_testing.h"

namespace armature::dax {
namespace {

template <class Append>
std::string Written(Append append) {
  std::string out;
  append(out);
  return out;
}

std::string WrittenInt(int64_t value) {
  return Written([&](std::string& out) { AppendCborInt(out, value); });
}

// Whether all of `bytes` is one value that can be skipped.
bool IsOneValue(std::string_view bytes) {
  CborReader reader(bytes);
  reader.Skip();
  return reader.ok() && reader.at_end();
}

TEST(Cbor, HeadsAreAsShortAsTheyCanBe) {
  EXPECT_EQ(WrittenInt(0), Bytes("00"));
  EXPECT_EQ(WrittenInt(23), Bytes("17"));
  EXPECT_EQ(WrittenInt(24), Bytes("1818"));
  EXPECT_EQ(WrittenInt(255), Bytes("18ff"));
  EXPECT_EQ(WrittenInt(256), Bytes("190100"));
  EXPECT_EQ(WrittenInt(65536), Bytes("1a00010000"));
  EXPECT_EQ(WrittenInt(int64_t{1} << 32), Bytes("1b0000000100000000"));
  EXPECT_EQ(WrittenInt(-1), Bytes("20"));
  EXPECT_EQ(WrittenInt(-742646399), Bytes("3a2c43e27e"));
  EXPECT_EQ(WrittenInt(std::numeric_limits<int64_t>::min()), Bytes("3b7fffffffffffffff"));
  EXPECT_EQ(Written([](std::string& out) { AppendCborTag(out, 3321); }), Bytes("d90cf9"));
  EXPECT_EQ(Written([](std::string& out) { AppendCborBytesHead(out, 70000); }), Bytes("5a00011170"));
  EXPECT_EQ(Written([](std::string& out) { AppendCborDouble(out, 1.5); }), Bytes("fb3ff8000000000000"));
}

TEST(Cbor, IntegersOfAnyLengthOfHead) {
  for (const char* digits : {"05", "1805", "190005", "1a00000005", "1b0000000000000005"}) {
    const std::string bytes = Bytes(digits);
    CborReader reader(bytes);
    EXPECT_EQ(reader.Int(), 5) << digits;
    EXPECT_TRUE(reader.ok() && reader.at_end());
  }
  const std::string large = Bytes("1bffffffffffffffff 3bffffffffffffffff");
  CborReader reader(large);
  EXPECT_EQ(reader.Unsigned(), UINT64_MAX);
  EXPECT_EQ(reader.NegativeBits(), UINT64_MAX);
  EXPECT_TRUE(reader.ok());
  CborReader too_large(large);
  too_large.Int();
  EXPECT_FALSE(too_large.ok());
}

TEST(Cbor, FloatsOfAllLengths) {
  const std::string bytes = Bytes("f93e00 fa3fc00000 fb3ff8000000000000 f90001 f97c00 f97e00 f98000");
  CborReader reader(bytes);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(reader.Float(), 1.5);
  EXPECT_EQ(reader.Float(), std::ldexp(1, -24));
  EXPECT_EQ(reader.Float(), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(reader.Float()));
  EXPECT_TRUE(std::signbit(reader.Float()));
  EXPECT_TRUE(reader.ok() && reader.at_end());
}

TEST(Cbor, StringsInPiecesAreJoined) {
  Arena arena;
  const std::string bytes = Bytes("7f 6161 60 626263 ff 5f 4101 ff 5fff");
  CborReader reader(bytes);
  EXPECT_EQ(reader.Text(arena), "abc");
  EXPECT_EQ(reader.BytesOrText(arena), "\x01");
  EXPECT_EQ(reader.Bytes(arena), "");
  EXPECT_TRUE(reader.ok() && reader.at_end());
  // Pieces of the other kind, or in pieces themselves.
  for (const char* digits : {"7f 4101 ff", "7f 7f 6161 ff ff", "7f 01 ff", "7f 6161"}) {
    const std::string bad = Bytes(digits);
    CborReader bad_reader(bad);
    bad_reader.Text(arena);
    EXPECT_FALSE(bad_reader.ok()) << digits;
    EXPECT_FALSE(IsOneValue(bad)) << digits;
  }
}

TEST(Cbor, TextIsUtf8) {
  Arena arena;
  for (const char* digits : {"61ff", "62c328", "63eda080", "7f61c361a9ff61"}) {
    const std::string bytes = Bytes(digits);
    CborReader reader(bytes);
    reader.Text(arena);
    EXPECT_EQ(reader.ok(), digits[0] == '7') << digits;  // a character may lie across two pieces
  }
}

TEST(Cbor, ContainersOfBothKinds) {
  for (const char* digits : {"83 01 02 03", "9f 01 02 03 ff"}) {
    const std::string bytes = Bytes(digits);
    CborReader reader(bytes);
    int64_t sum = 0;
    for (CborReader::Items items = reader.Array(); reader.Next(items);) sum += reader.Int();
    EXPECT_EQ(sum, 6);
    EXPECT_TRUE(reader.ok() && reader.at_end());
  }
  const std::string open = Bytes("9f 01");
  CborReader reader(open);
  CborReader::Items items = reader.Array();
  EXPECT_TRUE(reader.Next(items));
  reader.Int();
  EXPECT_FALSE(reader.Next(items));
  EXPECT_FALSE(reader.ok());
}

TEST(Cbor, WhatIsAnnouncedAndNotThereIsNoValue) {
  for (const char* digits : {"5bffffffffffffffff",
                             "7bffffffffffffffff",
                             "9bffffffffffffffff",
                             "bbffffffffffffffff",
                             "5affffffff00",
                             "9a7fffffff00",
                             "bf 01 ff",
                             "a1 01",
                             "a2 01 02 03",
                             "82 01",
                             "c4",
                             "ff",
                             "9f",
                             "f8 20",
                             "f0",
                             "1c",
                             "3f",
                             "df",
                             "1f",
                             ""}) {
    EXPECT_FALSE(IsOneValue(Bytes(digits))) << digits;
  }
  CborReader reader("\x9b\x7f\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_EQ(reader.Array().left, 0u);
  EXPECT_FALSE(reader.ok());
}

TEST(Cbor, DepthIsBounded) {
  for (const char* head : {"81", "9f", "c4", "a100", "bf00"}) {
    std::string deep;
    for (int i = 0; i < 1'000'000; ++i) deep += Bytes(head);
    EXPECT_FALSE(IsOneValue(deep)) << head;
  }
  EXPECT_TRUE(IsOneValue(std::string(kMostCborDepth, '\x81') + std::string(1, '\0')));
  EXPECT_FALSE(IsOneValue(std::string(kMostCborDepth + 1, '\x81') + std::string(1, '\0')));
}

TEST(Cbor, ABadReaderStaysBad) {
  Arena arena;
  const std::string bytes = Bytes("01 02 03");
  CborReader reader(bytes);
  reader.Text(arena);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.Int(), 0);
  EXPECT_EQ(reader.Peek(), CborKind::kNothing);
  EXPECT_EQ(reader.Raw(), "");
  EXPECT_FALSE(reader.TakeNull());
}

// One of everything, with its parts in both forms.
const char* const kAllKinds =
    "9f 1a00010000 3903e7 43000102 6474657874 83 f4 f5 f6 a2 6161 01 6162 bf 6163 20 ff c4 82 20 0f d90cfa 82 01 "
    "fb3ff8000000000000 "
    "5f 4101 4102 ff 7f 6161 ff f7 f93e00 fa3fc00000 ff";

TEST(Cbor, RawIsAWholeValueAndNothingElse) {
  const std::string bytes = Bytes(kAllKinds);
  const std::string twice = bytes + bytes;
  CborReader reader(twice);
  EXPECT_EQ(reader.Raw(), bytes);
  EXPECT_EQ(reader.position(), bytes.size());
  EXPECT_EQ(reader.rest(), bytes);
}

TEST(Cbor, EveryTruncationIsNoticed) {
  const std::string bytes = Bytes(kAllKinds);
  ASSERT_TRUE(IsOneValue(bytes));
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(IsOneValue(bytes.substr(0, size))) << size;
}

TEST(Cbor, RandomBytesAreReadWithinTheirBounds) {
  std::mt19937 random(15);
  Arena arena;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    CborReader reader(bytes);
    while (reader.ok() && !reader.at_end()) {
      const size_t before = reader.position();
      reader.Skip();
      ASSERT_TRUE(!reader.ok() || reader.position() > before);
    }
    CborReader texts(bytes);
    texts.BytesOrText(arena);
    ASSERT_LE(texts.position(), bytes.size());
  }
}

TEST(Cbor, RandomIntegersComeBack) {
  std::mt19937_64 random(16);
  for (int round = 0; round < 10'000; ++round) {
    const auto value = static_cast<int64_t>(random() >> (random() % 64)) * (random() % 2 == 0 ? 1 : -1);
    const std::string bytes = WrittenInt(value);
    CborReader reader(bytes);
    ASSERT_EQ(reader.Int(), value);
    ASSERT_TRUE(reader.ok() && reader.at_end());
  }
}

}  // namespace
}  // namespace armature::dax
