#include "storage/encryption/keyring.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/encryption/directory_lock.h"
#include "storage/storage_testing.h"

namespace armature::storage {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kOne(64, '1'), kTwo(64, '2');

class KeyringTest : public testing::Test {
 protected:
  KeyringTest() { Write(key_file_, kOne); }

  static void Write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  static std::string Read(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  Result<std::unique_ptr<Keyring>> Open(bool may_create = true) {
    return Keyring::Open(data_, {.is_wanted = true, .key_file = key_file_}, may_create);
  }
  std::string ErrorOf(const EncryptionOptions& options) {
    const auto opened = Keyring::Open(data_, options, true);
    EXPECT_FALSE(opened);
    return opened ? std::string() : opened.error().message();
  }

  const TemporaryDirectory directory_;  // others are tried at the same time
  const std::string folder_ = directory_.path();
  const std::string data_ = folder_ + "/data", keys_file_ = data_ + "/KEYS", key_file_ = folder_ + "/key";
};

TEST_F(KeyringTest, ANewDirectoryGetsKeysThatAreThereAgain) {
  std::string key, iam_key;
  {
    const auto made = Open();
    ASSERT_TRUE(made) << made.error().message();
    key = (*made)->data_keys()->newest()->key.bytes();
    iam_key = (*made)->iam_key_text();
    EXPECT_EQ((*made)->state().newest, 1u);
    EXPECT_FALSE(*(*made)->Renew());
  }
  EXPECT_TRUE(Keyring::IsEncrypted(data_));
  EXPECT_EQ(std::filesystem::status(keys_file_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto opened = Keyring::Open(data_, {.key_file = key_file_}, false);
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ((*opened)->data_keys()->newest()->key.bytes(), key);
  EXPECT_EQ((*opened)->iam_key_text(), iam_key);
  EXPECT_TRUE(MasterKeys::Parse(iam_key));
}

TEST_F(KeyringTest, WithoutTheWishNothingIsMade) {
  const auto none = Keyring::Open(data_, {}, true);
  ASSERT_TRUE(none);
  EXPECT_EQ(*none, nullptr);
  const auto not_here = Open(/*may_create=*/false);
  ASSERT_TRUE(not_here);
  EXPECT_EQ(*not_here, nullptr);
  EXPECT_FALSE(std::filesystem::exists(data_));
}

TEST_F(KeyringTest, AMissingAWrongAndATwiceGivenKeyAreOneLineEachAndChangeNothing) {
  EXPECT_THAT(ErrorOf({.is_wanted = true}), StartsWith("--encrypt needs a master key"));
  EXPECT_FALSE(std::filesystem::exists(data_));
  ASSERT_TRUE(Open());
  const std::string before = Read(keys_file_);
  EXPECT_EQ(ErrorOf({}), data_ +
                             " is encrypted: its master key is to be given by --encrypt-key FILE, "
                             "--encrypt-key-command COMMAND or in ARMATURE_ENCRYPTION_KEY");
  EXPECT_EQ(ErrorOf({.key_text = kTwo}),
            keys_file_ + " is sealed under the master key " + MasterKeys::Parse(kOne)->fingerprint() +
                ", and ARMATURE_ENCRYPTION_KEY has " + MasterKeys::Parse(kTwo)->fingerprint());
  EXPECT_EQ(ErrorOf({.key_file = key_file_, .key_text = kOne}),
            "the master key is given by ARMATURE_ENCRYPTION_KEY and by --encrypt-key: give it once");
  EXPECT_EQ(ErrorOf({.key_file = folder_ + "/nothing"}), "there is no file " + folder_ + "/nothing");
  EXPECT_EQ(Read(keys_file_), before);
}

TEST_F(KeyringTest, DamagedAndMissingKeysAreOneLine) {
  ASSERT_TRUE(Open());
  const std::string text = Read(keys_file_);
  Write(keys_file_, text.substr(0, text.size() / 2));
  EXPECT_THAT(ErrorOf({.key_file = key_file_}), StartsWith(keys_file_ + " is damaged"));
  std::filesystem::remove(keys_file_);
  std::filesystem::create_directory(data_ + "/db");
  Write(data_ + "/db/CURRENT", "MANIFEST-000005\n");
  Write(data_ + "/db/MANIFEST-000005", "armcrypt, and so on");
  Write(data_ + "/FORMAT", "armature 3\n");
  for (const EncryptionOptions& options : {EncryptionOptions{}, EncryptionOptions{.key_file = key_file_}})
    EXPECT_THAT(ErrorOf(options), HasSubstr("are encrypted, but " + keys_file_ + " is missing"));
}

TEST_F(KeyringTest, DataThatIsNotEncryptedAndForeignDirectoriesAreLeftAlone) {
  std::filesystem::create_directories(data_ + "/db");
  Write(data_ + "/FORMAT", "armature 3\n");
  Write(data_ + "/db/CURRENT", "MANIFEST-000001\n");
  Write(data_ + "/db/MANIFEST-000001", "what is not encrypted");
  EXPECT_THAT(ErrorOf({.key_file = key_file_}), HasSubstr("holds data that is not encrypted"));
  EXPECT_EQ(*Keyring::Open(data_, {}, true), nullptr);
  std::filesystem::remove_all(data_);
  std::filesystem::create_directories(data_);
  Write(data_ + "/letter.txt", "dear");
  EXPECT_EQ(ErrorOf({.key_file = key_file_}), data_ + " is not empty and does not hold data of armature");
  EXPECT_FALSE(std::filesystem::exists(keys_file_));
}

TEST_F(KeyringTest, ADirectoryThatAnotherIsMakingIsLocked) {
  std::filesystem::create_directory(data_);
  const auto lock = DirectoryLock::Take(data_);
  ASSERT_TRUE(lock);
  EXPECT_EQ(Open().error().code(), StatusCode::kLocked);
}

TEST_F(KeyringTest, ANewMasterKeyInFrontSealsAnewAndBringsADataKey) {
  const auto keyring = Open();
  ASSERT_TRUE(keyring);
  const auto first = (*keyring)->data_keys()->newest();
  EXPECT_FALSE(*(*keyring)->Reload()) << "nothing was changed";
  Write(key_file_, kTwo + "\n" + kOne + "\n");
  const auto renewal = (*keyring)->Reload();
  ASSERT_TRUE(renewal) << renewal.error().message();
  ASSERT_TRUE(*renewal);
  EXPECT_EQ((*renewal)->old_master, MasterKeys::Parse(kOne)->fingerprint());
  EXPECT_EQ((*renewal)->new_master, MasterKeys::Parse(kTwo)->fingerprint());
  EXPECT_EQ((*renewal)->data_key, 2u);
  EXPECT_EQ((*keyring)->data_keys()->newest()->number, 2u);
  EXPECT_EQ((*keyring)->data_keys()->Find(1), first);
  // The new one is enough, the old one opens nothing.
  const std::string iam_key = (*keyring)->iam_key_text();
  Write(key_file_, kOne);
  EXPECT_THAT(Open().error().message(), HasSubstr("is sealed under the master key"));
  Write(key_file_, kTwo);
  const auto again = Open();
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ((*again)->data_keys()->newest()->number, 2u);
  EXPECT_EQ((*again)->data_keys()->Find(1)->key.bytes(), first->key.bytes());
  EXPECT_EQ((*again)->iam_key_text(), iam_key);
  EXPECT_FALSE(*(*again)->Renew());
}

TEST_F(KeyringTest, ANewMasterKeyMayComeWithAStart) {
  ASSERT_TRUE(Open());
  const auto opened = Keyring::Open(data_, {.key_text = kTwo + "\n" + kOne}, false);
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ((*opened)->state().newest, 1u);
  ASSERT_TRUE(*(*opened)->Renew());
  EXPECT_EQ((*opened)->state().newest, 2u);
  EXPECT_TRUE(Keyring::Open(data_, {.key_text = kTwo}, false));
}

TEST_F(KeyringTest, WhatCannotBeReadOrWrittenLeavesAllAsItWas) {
  const auto keyring = Open();
  ASSERT_TRUE(keyring);
  const std::string before = Read(keys_file_);
  Write(key_file_, "nonsense");
  EXPECT_FALSE((*keyring)->Reload());
  Write(key_file_, kTwo);
  std::filesystem::create_directories(keys_file_ + ".new/in-the-way");
  EXPECT_FALSE((*keyring)->Reload());
  EXPECT_EQ((*keyring)->data_keys()->newest()->number, 1u);
  EXPECT_EQ(Read(keys_file_), before);
  std::filesystem::remove_all(keys_file_ + ".new");
  EXPECT_TRUE(*(*keyring)->Reload());
}

TEST_F(KeyringTest, ACrashWhileKeysAreWrittenLeavesTheOldOnes) {
  ASSERT_TRUE(Open());
  Write(keys_file_ + ".new", "armature keys 1\nstore 12");
  const auto keyring = Open();
  ASSERT_TRUE(keyring) << keyring.error().message();
  Write(key_file_, kTwo + "\n" + kOne);
  EXPECT_TRUE(*(*keyring)->Reload());
  EXPECT_FALSE(std::filesystem::exists(keys_file_ + ".new"));
}

TEST_F(KeyringTest, ACrashBeforeThereAreKeysIsANewDirectory) {
  std::filesystem::create_directory(data_);
  Write(keys_file_ + ".new", "armature keys 1\nstore 12");
  EXPECT_TRUE(Open());
}

TEST_F(KeyringTest, KeysThatSomebodyElseChangedAreNotReplaced) {
  const auto keyring = Open(), other = Open();
  ASSERT_TRUE(keyring && other);
  Write(key_file_, kTwo + "\n" + kOne);
  ASSERT_TRUE(*(*other)->Reload());
  EXPECT_THAT((*keyring)->Reload().error().message(), HasSubstr("is not what it was"));
  EXPECT_EQ((*keyring)->data_keys()->newest()->number, 1u);
}

TEST_F(KeyringTest, DataKeysThatNoFileNeedsGoButNeverTheNewest) {
  const auto keyring = Open();
  ASSERT_TRUE(keyring);
  for (const std::string& first : {kTwo, kOne, kTwo}) {
    Write(key_file_, first);
    ASSERT_TRUE(*(*keyring)->Reload());
  }
  EXPECT_EQ((*keyring)->state().data_keys, 4u);
  EXPECT_EQ(*(*keyring)->Retire({2, 4}), 2u);
  EXPECT_EQ((*keyring)->data_keys()->Find(1), nullptr);
  EXPECT_NE((*keyring)->data_keys()->Find(2), nullptr);
  EXPECT_EQ(*(*keyring)->Retire({}), 1u);
  EXPECT_EQ(*(*keyring)->Retire({}), 0u);
  const auto again = Open();
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->state().newest, 4u);
  EXPECT_EQ((*again)->state().data_keys, 1u);
}

}  // namespace
}  // namespace armature::storage
