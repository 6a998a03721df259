#include "storage/encryption/key_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/codec/crc32c.h"
#include "base/codec/hex.h"

namespace armature::storage {
namespace {

using testing::HasSubstr;
using testing::Not;

MasterKeys Master(char digit) { return *MasterKeys::Parse(std::string(64, digit)); }

StoreKeys SomeKeys() {
  SeededRandom random(1);
  StoreKeys keys = StoreKeys::Random(random);
  keys.data_keys.push_back(
      std::make_shared<const DataKey>(DataKey{70'000, AesGcmKey(std::string(AesGcmKey::kBytes, 'k'))}));
  return keys;
}

class KeyFileTest : public testing::Test {
 protected:
  SeededRandom random_{2};
  const MasterKeys master_ = Master('a');
  const StoreKeys keys_ = SomeKeys();
  const std::string text_ = SealKeyFile(keys_, master_, random_);
};

TEST_F(KeyFileTest, WhatWasSealedIsOpened) {
  const auto opened = OpenKeyFile(text_, master_);
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ(opened->master_fingerprint, master_.fingerprint());
  EXPECT_EQ(opened->keys.store_id, keys_.store_id);
  EXPECT_EQ(opened->keys.iam_key.bytes(), keys_.iam_key.bytes());
  ASSERT_EQ(opened->keys.data_keys.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(opened->keys.data_keys[i]->number, keys_.data_keys[i]->number);
    EXPECT_EQ(opened->keys.data_keys[i]->key.bytes(), keys_.data_keys[i]->key.bytes());
  }
}

TEST_F(KeyFileTest, NoKeyCanBeReadInIt) {
  EXPECT_THAT(text_, Not(HasSubstr(ToHex(keys_.iam_key.bytes()))));
  EXPECT_THAT(text_, Not(HasSubstr(ToHex(keys_.data_keys[0]->key.bytes()))));
  EXPECT_THAT(text_, Not(HasSubstr(std::string(64, 'a'))));
}

TEST_F(KeyFileTest, AnotherMasterKeyIsToldByFingerprintAndAnOlderOneBehindTheNewOpens) {
  const auto wrong = OpenKeyFile(text_, Master('b'));
  EXPECT_EQ(wrong.error().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(wrong.error().message(), "is sealed under the master key " + master_.fingerprint());
  const auto both = MasterKeys::Parse(std::string(64, 'b') + "\n" + std::string(64, 'a'));
  EXPECT_TRUE(OpenKeyFile(text_, *both));
}

TEST_F(KeyFileTest, EachFlippedBitIsDamage) {
  for (size_t i = 0; i < text_.size(); ++i)
    for (const int bit : {0, 3, 5, 7}) {
      std::string flipped = text_;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      EXPECT_EQ(OpenKeyFile(flipped, master_).error().code(), StatusCode::kCorruption) << i << ' ' << bit;
    }
}

TEST_F(KeyFileTest, CutShortOrLongerIsDamage) {
  for (size_t size = 0; size < text_.size(); ++size)
    EXPECT_EQ(OpenKeyFile(text_.substr(0, size), master_).error().code(), StatusCode::kCorruption) << size;
  EXPECT_EQ(OpenKeyFile(text_ + "\n", master_).error().code(), StatusCode::kCorruption);
  EXPECT_EQ(OpenKeyFile(text_ + text_, master_).error().code(), StatusCode::kCorruption);
}

// Whoever can write the file can make its sum right; what is sealed must not open.
TEST_F(KeyFileTest, AnotherHeadBeforeWhatIsSealedIsRefused) {
  const std::string in_front = text_.substr(0, text_.find("sealed "));
  StoreKeys foreign = keys_;
  foreign.store_id = std::string(kStoreIdBytes, 'x');
  const std::string sealed = SealKeyFile(foreign, master_, random_);
  std::string mixed = in_front + sealed.substr(sealed.find("sealed "));
  mixed.resize(mixed.size() - 13);
  mixed += fmt::format("sum {:08x}\n", Crc32c(mixed));
  EXPECT_EQ(OpenKeyFile(mixed, master_).error().code(), StatusCode::kCorruption);
}

TEST_F(KeyFileTest, ALaterVersionIsToldApartFromDamage) {
  std::string later = text_;
  later.replace(later.find("keys 1"), 6, "keys 2");
  later.resize(later.size() - 13);
  later += fmt::format("sum {:08x}\n", Crc32c(later));
  const auto opened = OpenKeyFile(later, master_);
  EXPECT_EQ(opened.error().code(), StatusCode::kFormat);
  EXPECT_EQ(opened.error().message(), "is of version 2: use a newer armature");
}

// As docs/design/formats.md shows it.
TEST(KeyFile, IsByteForByteWhatTheDocumentSays) {
  StoreKeys keys{std::string(kStoreIdBytes, '\x11'), AesGcmKey(std::string(AesGcmKey::kBytes, '\x22')), {}};
  keys.data_keys.push_back(
      std::make_shared<const DataKey>(DataKey{1, AesGcmKey(std::string(AesGcmKey::kBytes, '\x33'))}));
  SeededRandom random(5);
  EXPECT_EQ(SealKeyFile(keys, Master('a'), random),
            "armature keys 1\n"
            "store 11111111111111111111111111111111\n"
            "master 021fd5d0f14b80e2\n"
            "sealed 69cf54ca7851d549dc24264da0451be5b56d1a144376bf230feed25254ec57a5da370d56ddbb4395d275b24b20fffa4f"
            "c067ea704aed05b12555ececd307806a987c73b22e4ed14776d564f5593a7e72eb9adfbd38546739cfde690bb0bd6141\n"
            "sum 74446524\n");
}

}  // namespace
}  // namespace armature::storage
