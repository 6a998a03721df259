#include "cli/encryption/encryption.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/keys/master_keys.h"
#include "storage/encryption/directory_lock.h"
#include "storage/encryption/keyring.h"

namespace armature::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kOne(64, '1'), kTwo(64, '2');

class EncryptionCommandTest : public testing::Test {
 protected:
  EncryptionCommandTest() {
    std::string name = testing::TempDir() + "armature-encryption-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    data_ = folder_ + "/data";
    key_file_ = folder_ + "/key";
  }
  ~EncryptionCommandTest() override { std::filesystem::remove_all(folder_); }

  void WriteKeys(const std::string& text) const {
    std::ofstream(key_file_) << text;
    std::filesystem::permissions(key_file_, std::filesystem::perms::owner_all);
  }
  int Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "armature encryption");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = RunEncryption(static_cast<int>(argv.size()), argv.data());
    out_ = testing::internal::GetCapturedStdout();
    errors_ = testing::internal::GetCapturedStderr();
    return code;
  }
  int Rotate() { return Run({"rotate", "--data", data_, "--encrypt-key", key_file_}); }

  std::string folder_, data_, key_file_, out_, errors_;
};

TEST_F(EncryptionCommandTest, ANewKeyIsOneLineThatAServerTakes) {
  EXPECT_EQ(Run({"new-key"}), 0);
  EXPECT_EQ(out_.size(), 65u);
  EXPECT_TRUE(MasterKeys::Parse(out_));
  EXPECT_EQ(errors_, "");
}

TEST_F(EncryptionCommandTest, RotatesADirectoryThatNobodyHasOpen) {
  WriteKeys(kOne);
  ASSERT_TRUE(storage::Keyring::Open(data_, {.key_file = key_file_}, true));
  EXPECT_EQ(Rotate(), 0);
  EXPECT_THAT(out_, HasSubstr("already: put a new one in front of it"));
  WriteKeys(kTwo + "\n" + kOne);
  EXPECT_EQ(Rotate(), 0) << errors_;
  EXPECT_THAT(out_, HasSubstr("is sealed under the master key " + MasterKeys::Parse(kTwo)->fingerprint() + " now"));
  EXPECT_THAT(out_, HasSubstr("new files get data key 2"));
  EXPECT_TRUE(storage::Keyring::Open(data_, {.key_text = kTwo}, false));
  EXPECT_FALSE(storage::Keyring::Open(data_, {.key_text = kOne}, false));
}

TEST_F(EncryptionCommandTest, WhatCannotBeRotatedIsOneLine) {
  WriteKeys(kOne);
  EXPECT_EQ(Rotate(), 1);
  EXPECT_EQ(errors_, "armature encryption: there is no " + data_ + "/KEYS: it is no encrypted data directory\n");
  ASSERT_TRUE(storage::Keyring::Open(data_, {.key_file = key_file_}, true));
  EXPECT_EQ(Run({"rotate", "--data", data_}), 1);
  EXPECT_THAT(errors_, StartsWith("armature encryption: " + data_ + " is encrypted: its master key is to be given by"));
  const auto lock = storage::DirectoryLock::Take(data_);
  ASSERT_TRUE(lock);
  EXPECT_EQ(Rotate(), 1);
  EXPECT_EQ(errors_,
            "armature encryption: " + data_ + " is in use: let its server rotate, by SIGHUP, or stop it first\n");
  EXPECT_EQ(out_, "");
}

TEST_F(EncryptionCommandTest, ABadCommandLineEndsWithTwo) {
  EXPECT_EQ(Run({}), 2);
  EXPECT_EQ(Run({"rotate", "--encrypt-key"}), 2);
  EXPECT_EQ(Run({"turn"}), 2);
}

}  // namespace
}  // namespace armature::cli
