#include "base/keys/key_source.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace armature {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kText(64, '7');
std::string FingerprintOf(const std::string& text) { return MasterKeys::Parse(text)->fingerprint(); }

class KeySourceTest : public testing::Test {
 protected:
  KeySourceTest() {
    source_.file = folder_ + "/iam.key";
    source_.may_create_file = true;
  }
  ~KeySourceTest() override { std::filesystem::remove_all(folder_); }

  // One of its own: others are tried at the same time.
  static std::string MakeFolder() {
    std::string name = testing::TempDir() + "armature-keys-XXXXXX";
    return mkdtemp(name.data());
  }

  const std::string folder_ = MakeFolder();
  MasterKeySource source_;
  SecretRandom random_;
};

TEST_F(KeySourceTest, AFileIsMadeForItsOwnerOnlyAndReadAgain) {
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

TEST_F(KeySourceTest, AFileThatIsThereIsNeverReplaced) {
  std::ofstream(source_.file) << std::string(64, '7') << "\n";
  std::ofstream(source_.file + ".new") << "left by a crash";
  EXPECT_FALSE(source_.Create(random_));
  EXPECT_EQ(source_.Read(random_)->fingerprint(), MasterKeys::Parse(std::string(64, '7'))->fingerprint());
}

TEST_F(KeySourceTest, AFileThatTheUserNamesMustBeThere) {
  source_.may_create_file = false;
  const auto read = source_.Read(random_);
  EXPECT_EQ(read.error().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(read.error().message(), HasSubstr("there is no file"));
}

TEST_F(KeySourceTest, WithoutATextOrAFileKeysAreNew) {
  const MasterKeySource none;
  EXPECT_NE(none.Read(random_)->fingerprint(), none.Read(random_)->fingerprint());
}

TEST_F(KeySourceTest, ACommandPrintsKeysAndItsFailureIsOneLineThatNamesTheOption) {
  MasterKeySource source;
  source.command = "echo " + kText;
  source.command_option = "--key-command";
  EXPECT_EQ(source.Read(random_)->fingerprint(), FingerprintOf(kText));
  EXPECT_EQ(source.name(), "--key-command");
  source.command = "echo " + kText + "; exit 3";
  EXPECT_EQ(source.Read(random_).error().message(), "--key-command: it ended with exit status 3");
  source.command = "echo nonsense";
  EXPECT_EQ(source.Read(random_).error().message(), "--key-command: line 1: a key is 64 hexadecimal digits");
}

TEST_F(KeySourceTest, AVariableIsTakenOutOfTheEnvironmentAndOverwritten) {
  setenv(kEncryptionKeyVariable, kText.c_str(), 1);
  const char* const place = std::getenv(kEncryptionKeyVariable);
  MasterKeySource source{.text = TakeKeyVariable(kEncryptionKeyVariable), .text_name = kEncryptionKeyVariable};
  EXPECT_EQ(source.text, kText);
  EXPECT_EQ(std::getenv(kEncryptionKeyVariable), nullptr);
  EXPECT_EQ(place[0], 0) << "the kernel shows it as it was when the process began";
  EXPECT_EQ(TakeKeyVariable(kEncryptionKeyVariable), "");
  source.text = "short";
  EXPECT_THAT(source.Read(random_).error().message(), HasSubstr("ARMATURE_ENCRYPTION_KEY: line 1"));
}

TEST(KeyVariable, AreThoseThatHoldKeys) {
  EXPECT_TRUE(IsKeyVariable("ARMATURE_ENCRYPTION_KEY=ab"));
  EXPECT_TRUE(IsKeyVariable("ARMATURE_IAM_KEY="));
  EXPECT_FALSE(IsKeyVariable("ARMATURE_IAM_KEYS=ab"));
  EXPECT_FALSE(IsKeyVariable("PATH=/bin"));
}

}  // namespace
}  // namespace armature
