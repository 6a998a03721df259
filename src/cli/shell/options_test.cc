// Endpoint, region and credentials from the places the AWS CLI looks, and the history's file.
#include "cli/shell/options.h"

#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/shell/history.h"

namespace armature::cli::shell {
namespace {

using ::testing::ElementsAre;

class ShellSettings : public ::testing::Test {
 protected:
  ShellSettings() : home_(std::filesystem::path(::testing::TempDir()) / fmt::format("armature_shell_{}", getpid())) {
    std::filesystem::create_directories(home_ / ".aws");
    variables_["HOME"] = home_.string();
  }
  ~ShellSettings() override { std::filesystem::remove_all(home_); }

  void Write(const std::string& name, const std::string& text) { std::ofstream(home_ / ".aws" / name) << text; }
  Environment Variables() const {
    return [this](const char* name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::string() : found->second;
    };
  }
  Result<void> Resolve(const EndpointChoice& choice) { return ResolveEndpoint(choice, Variables(), options_); }

  std::filesystem::path home_;
  std::map<std::string, std::string> variables_;
  Options options_;
};

TEST_F(ShellSettings, WithoutAnythingTheLocalServer) {
  ASSERT_TRUE(Resolve({}));
  EXPECT_EQ(options_.endpoint, "http://127.0.0.1:8000");
  EXPECT_EQ(options_.region, "us-east-1");
  EXPECT_FALSE(options_.credentials.access_key_id.empty());
}

TEST_F(ShellSettings, TheEnvironmentOutranksTheFiles) {
  Write("credentials", "[default]\naws_access_key_id = file\naws_secret_access_key = file\n");
  Write("config", "[default]\nregion = eu-west-1\n");
  ASSERT_TRUE(Resolve({}));
  EXPECT_EQ(options_.credentials.access_key_id, "file");
  EXPECT_EQ(options_.region, "eu-west-1");
  variables_.insert({{"AWS_ACCESS_KEY_ID", "env"}, {"AWS_SECRET_ACCESS_KEY", "s"}, {"AWS_SESSION_TOKEN", "t"}});
  variables_["AWS_REGION"] = "eu-west-2";
  variables_["AWS_ENDPOINT_URL"] = "http://localhost:9000/";
  ASSERT_TRUE(Resolve({}));
  EXPECT_EQ(options_.credentials.access_key_id, "env");
  EXPECT_EQ(options_.credentials.session_token, "t");
  EXPECT_EQ(options_.region, "eu-west-2");
  EXPECT_EQ(options_.endpoint, "http://localhost:9000");
}

TEST_F(ShellSettings, AProfileOutranksTheEnvironment) {
  Write("credentials", "# mine\n[work]\nAWS_ACCESS_KEY_ID=work\naws_secret_access_key = s # secret\n");
  Write("config", "[profile work]\nregion = ap-south-1\ns3 =\n  region = nested\n");
  variables_.insert({{"AWS_ACCESS_KEY_ID", "env"}, {"AWS_SECRET_ACCESS_KEY", "s"}});
  ASSERT_TRUE(Resolve({"aws", "", "work"}));
  EXPECT_EQ(options_.credentials.access_key_id, "work");
  EXPECT_EQ(options_.credentials.secret_access_key, "s");
  EXPECT_EQ(options_.endpoint, "https://dynamodb.ap-south-1.amazonaws.com");
  const auto missing = Resolve({"", "", "none"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), StatusCode::kNotFound);
}

TEST_F(ShellSettings, AProfileFromACredentialProcess) {
  Write("config",
        "[profile tool]\ncredential_process = printf "
        "'{\"Version\": 1, \"AccessKeyId\": \"A\", \"SecretAccessKey\": \"S\", \"SessionToken\": \"T\"}'\n");
  ASSERT_TRUE(Resolve({"", "", "tool"}));
  EXPECT_EQ(options_.credentials.access_key_id, "A");
  EXPECT_EQ(options_.credentials.session_token, "T");
}

TEST_F(ShellSettings, AmazonNeedsCredentialsAndNamesItsRegion) {
  EXPECT_FALSE(Resolve({"aws", "", ""}));
  EXPECT_FALSE(Resolve({"https://dynamodb.eu-north-1.amazonaws.com", "", ""}));
  variables_.insert({{"AWS_ACCESS_KEY_ID", "env"}, {"AWS_SECRET_ACCESS_KEY", "s"}, {"AWS_REGION", "us-east-2"}});
  ASSERT_TRUE(Resolve({"https://dynamodb.eu-north-1.amazonaws.com/", "", ""}));
  EXPECT_EQ(options_.region, "eu-north-1");
  ASSERT_TRUE(Resolve({"https://123456789012.ddb.eu-west-3.amazonaws.com", "", ""}));
  EXPECT_EQ(options_.region, "eu-west-3");
}

TEST_F(ShellSettings, ABadEndpointIsRefused) {
  for (const char* url : {"localhost:8000", "ftp://x", "http://", "https:///x"})
    EXPECT_FALSE(Resolve({url, "", ""})) << url;
}

TEST_F(ShellSettings, HistoryLiesInTheStateFolder) {
  EXPECT_EQ(HistoryPath(Variables()), home_.string() + "/.local/state/armature/shell_history");
  variables_["XDG_STATE_HOME"] = "/state";
  EXPECT_EQ(HistoryPath(Variables()), "/state/armature/shell_history");
}

TEST_F(ShellSettings, HistoryIsPrivateAndKeepsTheNewest) {
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
