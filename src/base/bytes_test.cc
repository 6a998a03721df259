#include "base/bytes.h"

#include <limits>

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(Bytes, VarintRoundTripsAtEveryWidth) {
  for (int bits = 0; bits <= 64; ++bits) {
    for (int64_t delta = -1; delta <= 1; ++delta) {
      const uint64_t value = (bits == 64 ? 0 : uint64_t{1} << bits) + static_cast<uint64_t>(delta);
      std::string out;
      AppendVarint(out, value);
      ByteReader reader(out);
      EXPECT_EQ(reader.Varint(), value);
      EXPECT_TRUE(reader.ok());
      EXPECT_TRUE(reader.at_end());
    }
  }
}

TEST(Bytes, VarintOfSmallValuesIsOneByte) {
  std::string out;
  AppendVarint(out, 127);
  EXPECT_EQ(out.size(), 1u);
  AppendVarint(out, 128);
  EXPECT_EQ(out.size(), 3u);
}

TEST(Bytes, ZigZagKeepsSmallMagnitudesSmall) {
  EXPECT_EQ(ZigZag(0), 0u);
  EXPECT_EQ(ZigZag(-1), 1u);
  EXPECT_EQ(ZigZag(1), 2u);
  for (int64_t value :
       {int64_t{0}, int64_t{-1}, int64_t{77}, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()})
    EXPECT_EQ(UnZigZag(ZigZag(value)), value);
}

TEST(Bytes, BigEndianOrderIsByteOrder) {
  std::string small, large;
  AppendBigEndian<uint32_t>(small, 0x00FFFFFF);
  AppendBigEndian<uint32_t>(large, 0x01000000);
  EXPECT_LT(small, large);
  EXPECT_EQ(ReadBigEndian<uint32_t>(large.data()), 0x01000000u);
}

TEST(ByteReader, RunningOutStaysBad) {
  ByteReader reader(
      "\x05"
      "abc");
  EXPECT_EQ(reader.LengthPrefixed(), "");
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.Byte(), 0);
  EXPECT_EQ(reader.Varint(), 0u);
  EXPECT_EQ(reader.BigEndian<uint64_t>(), 0u);
  EXPECT_FALSE(reader.ok());
}

TEST(ByteReader, RefusesAnEndlessVarint) {
  const std::string bytes(11, '\xFF');
  ByteReader reader(bytes);
  reader.Varint();
  EXPECT_FALSE(reader.ok());
}

TEST(ByteReader, ReadsInOrder) {
  std::string out;
  AppendByte(out, 7);
  AppendLengthPrefixed(out, "hello");
  AppendBigEndian<uint16_t>(out, 0x1234);
  ByteReader reader(out);
  EXPECT_EQ(reader.Byte(), 7);
  EXPECT_EQ(reader.LengthPrefixed(), "hello");
  EXPECT_EQ(reader.BigEndian<uint16_t>(), 0x1234);
  EXPECT_TRUE(reader.ok() && reader.at_end());
}

}  // namespace
}  // namespace armature
