#include "base/codec/hex.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(Hex, BytesAreTwoDigitsEachAndComeBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  EXPECT_EQ(ToHex(bytes).substr(0, 6), "000102");
  EXPECT_EQ(ToHex(bytes).substr(508), "feff");
  EXPECT_EQ(FromHex(ToHex(bytes)), bytes);
  EXPECT_EQ(FromHex("FEff"), "\xfe\xff");
  EXPECT_EQ(FromHex(""), "");
}

TEST(Hex, WhatIsNoneIsRefused) {
  for (const char* const text : {"a", "0g", "g0", " 0", "0x", "abc"}) EXPECT_FALSE(FromHex(text)) << text;
}

}  // namespace
}  // namespace armature
