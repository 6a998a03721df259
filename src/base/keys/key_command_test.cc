#include "base/keys/key_command.h"

#include <chrono>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string ErrorOf(const std::string& command, const KeyCommandLimits& limits = {}) {
  const auto text = RunKeyCommand(command, limits);
  EXPECT_FALSE(text) << command;
  return text ? std::string() : text.error().message();
}

TEST(KeyCommand, IsAShellsLineAndItsOutputTheText) {
  EXPECT_EQ(*RunKeyCommand("echo one; printf two"), "one\ntwo");
  EXPECT_EQ(*RunKeyCommand("cat"), "") << "its input is empty";
  EXPECT_EQ(*RunKeyCommand("echo told >&2; echo key"), "key\n");
}

TEST(KeyCommand, AFailureIsToldWithoutWhatItPrinted) {
  EXPECT_EQ(ErrorOf("echo secret; exit 7"), "it ended with exit status 7");
  EXPECT_EQ(ErrorOf("echo secret; kill -9 $$"), "it was ended by signal 9");
  EXPECT_EQ(ErrorOf("/there/is/no/such-command"), "it ended with exit status 127");
}

TEST(KeyCommand, TooMuchOutputAndTooMuchTimeEndIt) {
  EXPECT_EQ(ErrorOf("while :; do echo secret; done", {.millis = 60'000, .bytes = 1000}),
            "it printed more than 1000 bytes");
  const auto start = std::chrono::steady_clock::now();
  // With its output closed, and with a child that keeps it open.
  EXPECT_EQ(ErrorOf("exec >&-; sleep 1000", {.millis = 50}), "it took longer than 0.05 s");
  EXPECT_EQ(ErrorOf("sleep 1000 & wait", {.millis = 50}), "it took longer than 0.05 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(KeyCommand, HasNoKeysInItsEnvironmentButAllElse) {
  setenv("ARMATURE_ENCRYPTION_KEY", "secret", 1);
  setenv("ARMATURE_IAM_KEY", "secret", 1);
  setenv("ARMATURE_TEST_OTHER", "other", 1);
  const auto shown = RunKeyCommand("env");
  for (const char* const name : {"ARMATURE_ENCRYPTION_KEY", "ARMATURE_IAM_KEY", "ARMATURE_TEST_OTHER"}) unsetenv(name);
  ASSERT_TRUE(shown);
  EXPECT_THAT(*shown, Not(HasSubstr("secret")));
  EXPECT_THAT(*shown, HasSubstr("ARMATURE_TEST_OTHER=other"));
}

}  // namespace
}  // namespace armature
