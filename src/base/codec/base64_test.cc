#include "base/codec/base64.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace armature {
namespace {

std::string Encode(std::string_view bytes) {
  std::string out;
  AppendBase64(out, bytes);
  return out;
}

Base64Error ErrorOf(std::string_view text) {
  Arena arena;
  auto result = DecodeBase64(text, arena);
  EXPECT_FALSE(result.has_value()) << text;
  return result.error();
}

TEST(Base64, KnownVectors) {
  EXPECT_EQ(Encode(""), "");
  EXPECT_EQ(Encode("f"), "Zg==");
  EXPECT_EQ(Encode("fo"), "Zm8=");
  EXPECT_EQ(Encode("foo"), "Zm9v");
  EXPECT_EQ(Encode("foob"), "Zm9vYg==");
  EXPECT_EQ(Encode("fooba"), "Zm9vYmE=");
  EXPECT_EQ(Encode("foobar"), "Zm9vYmFy");
  EXPECT_EQ(Encode("\xFB\xFF\xFE"), "+//+");
}

TEST(Base64, AppendsAfterWhatIsThere) {
  std::string out = "x";
  AppendBase64(out, "foo");
  EXPECT_EQ(out, "xZm9v");
}

TEST(Base64, RandomBytesRoundTrip) {
  SeededRandom random(1);
  Arena arena;
  for (size_t size = 0; size < 300; ++size) {
    std::string bytes(size, '\0');
    random.FillBytes(bytes);
    auto decoded = DecodeBase64(Encode(bytes), arena);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(*decoded, bytes);
  }
}

TEST(Base64, LengthIsCheckedFirst) {
  EXPECT_EQ(ErrorOf("Zg="), Base64Error::kBadLength);
  EXPECT_EQ(ErrorOf("!"), Base64Error::kBadLength);
  EXPECT_EQ(ErrorOf("Zm9vY"), Base64Error::kBadLength);
}

TEST(Base64, RefusesWhatIsNotOfTheAlphabet) {
  for (std::string_view text : {"Zm9!", "Zm-_", "Zm 9", "Zm9v\n\n\n\n", "Z===", "====", "Zg==Zg==", "Zg=a", "=g=="})
    EXPECT_EQ(ErrorOf(text), Base64Error::kNotBase64) << text;
}

TEST(Base64, RefusesBitsThatMeanNothing) {
  EXPECT_EQ(ErrorOf("Zh=="), Base64Error::kBadLastCharacter);
  EXPECT_EQ(ErrorOf("Zm9="), Base64Error::kBadLastCharacter);
}

}  // namespace
}  // namespace armature
