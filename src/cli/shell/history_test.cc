// The history's file: where it lies, who may read it, and how long it gets.
#include "cli/shell/history.h"

#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace armature::cli::shell {
namespace {

using ::testing::ElementsAre;

class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() : home_(std::filesystem::path(::testing::TempDir()) / fmt::format("armature_history_{}", getpid())) {
    variables_["HOME"] = home_.string();
  }
  ~HistoryTest() override { std::filesystem::remove_all(home_); }

  Environment Variables() const {
    return [this](const char* name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::string() : found->second;
    };
  }

  std::filesystem::path home_;
  std::map<std::string, std::string> variables_;
};

TEST_F(HistoryTest, LiesInTheStateFolder) {
  EXPECT_EQ(HistoryPath(Variables()), home_.string() + "/.local/state/armature/shell_history");
  variables_["XDG_STATE_HOME"] = "/state";
  EXPECT_EQ(HistoryPath(Variables()), "/state/armature/shell_history");
}

TEST_F(HistoryTest, IsPrivateAndKeepsTheNewest) {
  const std::string path = HistoryPath(Variables());
  History history(path);
  EXPECT_TRUE(history.Load().empty());
  history.Append("first;");
  history.Append("second;");
  EXPECT_THAT(History(path).Load(), ElementsAre("first;", "second;"));
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  for (int i = 0; i < 3100; ++i) history.Append(fmt::format("{};", i));
  EXPECT_EQ(history.Load().size(), 2000u);
  EXPECT_EQ(history.Load().back(), "3099;");
  History nowhere("/proc/nowhere/history");
  nowhere.Append("lost;");
  EXPECT_TRUE(nowhere.Load().empty());
}

}  // namespace
}  // namespace armature::cli::shell
