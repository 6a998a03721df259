#include "iam/store/master_keys.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace armature::iam {
namespace {

using testing::HasSubstr;
using testing::Not;

class MasterKeysTest : public testing::Test {
 protected:
  MasterKeysTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    source_.file = folder_ + "/iam.key";
    source_.may_create_file = true;
  }
  ~MasterKeysTest() override { std::filesystem::remove_all(folder_); }

  const std::string folder_ = testing::TempDir() + "/master_keys_test";
  MasterKeySource source_;
  SecretRandom random_;
};

TEST_F(MasterKeysTest, AFileIsMadeForItsOwnerOnlyAndReadAgain) {
  EXPECT_EQ(source_.Read(random_).error().code(), StatusCode::kNotFound);
  const auto made = source_.Create(random_);
  ASSERT_TRUE(made);
  struct stat facts {};
  ASSERT_EQ(stat(source_.file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  const auto read = source_.Read(random_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->fingerprint(), made->fingerprint());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()), 1);
}

TEST_F(MasterKeysTest, AFileThatIsThereIsNeverReplaced) {
  std::ofstream(source_.file) << std::string(64, '7') << "\n";
  std::ofstream(source_.file + ".new") << "left by a crash";
  EXPECT_FALSE(source_.Create(random_));
  EXPECT_EQ(source_.Read(random_)->fingerprint(), MasterKeys::Parse(std::string(64, '7'))->fingerprint());
}

TEST_F(MasterKeysTest, AFileThatTheUserNamesMustBeThere) {
  source_.may_create_file = false;
  const auto read = source_.Read(random_);
  EXPECT_EQ(read.error().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(read.error().message(), HasSubstr("there is no file"));
}

TEST_F(MasterKeysTest, WithoutATextOrAFileKeysAreNew) {
  const MasterKeySource none;
  EXPECT_NE(none.Read(random_)->fingerprint(), none.Read(random_)->fingerprint());
}

TEST(MasterKeys, AreLinesOfDigits) {
  const std::string one(64, '1'), two(64, 'F');
  const auto keys = MasterKeys::Parse("# the new one\n\n" + two + "\r\n" + one);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->fingerprint(), MasterKeys::Parse(two)->fingerprint());
  EXPECT_EQ(keys->fingerprint().size(), 16u);
  EXPECT_TRUE(keys->Find(MasterKeys::Parse(one)->fingerprint()));
  EXPECT_FALSE(keys->Find(MasterKeys::Parse(std::string(64, '2'))->fingerprint()));
}

TEST(MasterKeys, WhatIsNoneIsToldByItsLineAndNotRepeated) {
  const std::string almost = std::string(63, '1') + "g";
  const auto keys = MasterKeys::Parse("#\n" + almost);
  EXPECT_THAT(keys.error().message(), HasSubstr("line 2"));
  EXPECT_THAT(keys.error().message(), Not(HasSubstr("111")));
  EXPECT_FALSE(MasterKeys::Parse(""));
  EXPECT_FALSE(MasterKeys::Parse("# nothing\n"));
  EXPECT_FALSE(MasterKeys::Parse(std::string(66, '1')));
  std::string many;
  for (int i = 0; i < 17; ++i) many += std::string(64, '1') + "\n";
  EXPECT_FALSE(MasterKeys::Parse(many));
}

}  // namespace
}  // namespace armature::iam
