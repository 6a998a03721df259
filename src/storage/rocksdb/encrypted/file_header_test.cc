#include "storage/rocksdb/encrypted/file_header.h"

#include <gtest/gtest.h>

#include "storage/testing/test_keys.h"

namespace armature::storage {
namespace {

std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<uint8_t>(c) >> 4];
    text += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return text;
}

std::string Salt() {
  std::string salt;
  for (size_t i = 0; i < FileHeader::kSaltBytes; ++i) salt += static_cast<char>(i);
  return salt;
}

std::string MakeHeader(FileHeader& header) {
  return FileHeader::Make(FileKind::kLog, *TestKey(7), Salt(), "/data/db/000012.log", header);
}

// docs/design/formats.md.
TEST(FileHeader, BytesAsDocumented) {
  FileHeader header;
  EXPECT_EQ(Hex(MakeHeader(header)),
            "61726d6372797074"
            "01020000"
            "00000007"
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
            "104b811348d51f5b7b57eda4f8f94aeb");
}

TEST(FileHeader, IsReadAsItWasMade) {
  FileHeader made;
  const std::string bytes = MakeHeader(made);
  ASSERT_EQ(bytes.size(), FileHeader::kBytes);
  EXPECT_EQ(FileHeader::ReadDataKey(bytes), 7u);
  // The directory does not matter: stores are copied and moved.
  const auto read = FileHeader::Read(bytes + "more", *TestKeys({1, 7, 9}), "/elsewhere/000012.log");
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_EQ(read->data_key, 7u);
  EXPECT_EQ(read->secrets.cipher, made.secrets.cipher);
  EXPECT_EQ(read->secrets.check, made.secrets.check);
  EXPECT_NE(read->secrets.cipher, read->secrets.check);
}

TEST(FileHeader, EveryFlippedBitIsNoticed) {
  FileHeader header;
  const std::string bytes = MakeHeader(header);
  const auto keys = TestKeys({1, 7, 9});
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    const auto read = FileHeader::Read(changed, *keys, "000012.log");
    ASSERT_FALSE(read.has_value()) << bit;
    EXPECT_EQ(read.error().code(), StatusCode::kCorruption);
  }
}

TEST(FileHeader, OfAnotherFileOrKeyIsRefused) {
  FileHeader header;
  const std::string bytes = MakeHeader(header);
  EXPECT_NE(FileHeader::Read(bytes, *TestKeys({7}), "000013.log").error().message().find("another file"),
            std::string::npos);
  EXPECT_FALSE(FileHeader::Read(bytes, *TestKeys({7}), "000012.sst").has_value());
  EXPECT_EQ(FileHeader::Read(bytes, *TestKeys({1}), "000012.log").error().message(),
            "000012.log is encrypted with data key 7, which the store does not have");
  const DataKeys other({std::make_shared<const DataKey>(DataKey{7, AesGcmKey(std::string(AesGcmKey::kBytes, 'z'))})});
  EXPECT_NE(FileHeader::Read(bytes, other, "000012.log").error().message().find("of another key"), std::string::npos);
  EXPECT_EQ(FileHeader::Read(std::string(64, 'x'), *TestKeys(), "000012.log").error().message(),
            "000012.log does not begin as an encrypted file does: it is damaged, or is not one");
}

TEST(FileHeader, AnotherSaltMeansOtherKeys) {
  FileHeader one, two;
  MakeHeader(one);
  FileHeader::Make(FileKind::kLog, *TestKey(7), Salt().replace(0, 1, "x"), "000012.log", two);
  EXPECT_NE(one.secrets.cipher, two.secrets.cipher);
  EXPECT_NE(one.secrets.check, two.secrets.check);
}

TEST(FileHeader, KindsByName) {
  EXPECT_EQ(KindOf("/d/db/000012.sst"), FileKind::kPages);
  EXPECT_EQ(KindOf("/d/db/000012.log"), FileKind::kLog);
  EXPECT_EQ(KindOf("/d/db/MANIFEST-000005"), FileKind::kLog);
  for (const char* plain : {"/d/db/CURRENT", "/d/db/IDENTITY", "/d/db/LOCK", "/d/db/000005.dbtmp", "/d/SYNCED"})
    EXPECT_EQ(KindOf(plain), FileKind::kPlain) << plain;
  // Whatever else there may be one day does not lie open.
  for (const char* other : {"/d/db/LOG", "/d/db/OPTIONS-000007", "/d/db/OPTIONS-000007.dbtmp", "/d/db/000012.blob"})
    EXPECT_EQ(KindOf(other), FileKind::kPages) << other;
}

TEST(FileHeader, BlankIsWhatWasNeverWritten) {
  EXPECT_TRUE(FileHeader::IsBlank(""));
  EXPECT_TRUE(FileHeader::IsBlank("short"));
  EXPECT_TRUE(FileHeader::IsBlank(std::string(1000, '\0')));
  EXPECT_FALSE(FileHeader::IsBlank(std::string(63, '\0') + "x"));
}

}  // namespace
}  // namespace armature::storage
