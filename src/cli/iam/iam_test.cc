// `armature iam` without the program around it: what it is told, what it opens, and what it says of a question.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/async.h"
#include "cli/iam/check.h"
#include "cli/iam/options.h"
#include "cli/iam/principals.h"
#include "iam/seed/administrator.h"

namespace armature::cli::iam_command {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAnn = "arn:aws:iam::123456789012:user/ann";
constexpr const char* kGames = "arn:aws:dynamodb:us-east-1:123456789012:table/Games";

constexpr const char* kFile = R"(
[[users]]
name = "ann"
access_keys = [{ id = "AKIAANN0000000000000", secret = "annannannannannannannannannannannannanna" }]
inline_policies.own = """{"Version": "2012-10-17", "Statement": [
  {"Sid": "OwnItems", "Effect": "Allow", "Action": "dynamodb:*Item", "Resource": "*",
   "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]},
                 "Null": {"dynamodb:LeadingKeys": "false"}}},
  {"Sid": "NeverDelete", "Effect": "Deny", "Action": "dynamodb:DeleteItem", "Resource": "*"}]}"""
)";

class IamCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "iam_command_" + std::to_string(getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Source FileSource(const std::string& text) {
    const std::string path = folder_ + "/principals.toml";
    std::ofstream(path) << text;
    Source source;
    source.iam_file = path;
    return source;
  }
  Source DataSource() {
    Source source;
    source.data_directory = folder_ + "/data";
    return source;
  }

  Result<Answer> Ask(const std::string& action, std::vector<std::pair<std::string, std::string>> context = {},
                     const std::string& principal = kAnn) {
    auto principals = Principals::Open(FileSource(kFile), false);
    if (!principals) return principals.error();
    return Check(*(*principals)->directory().Current(), {principal, action, kGames, std::move(context)}, 0);
  }

  std::string folder_;
};

Result<Options, int> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "armature iam");
  return ParseOptions(static_cast<int>(arguments.size()), arguments.data());
}

TEST_F(IamCommandTest, ReadsAQuestion) {
  const auto options =
      Parse({"check", "--data", "d", "--principal", kAnn, "--action", "dynamodb:GetItem", "--resource", kGames,
             "--leading-key", "ann", "--leading-key", "-bob", "--attribute", "a", "--context", "aws:SourceIp=::1"});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->action, Action::kCheck);
  EXPECT_EQ(options->source.data_directory, "d");
  EXPECT_EQ(options->question.principal, kAnn);
  const std::vector<std::pair<std::string, std::string>> context{{"dynamodb:LeadingKeys", "ann"},
                                                                 {"dynamodb:LeadingKeys", "-bob"},
                                                                 {"dynamodb:Attributes", "a"},
                                                                 {"aws:SourceIp", "::1"}};
  EXPECT_EQ(options->question.context, context);
}

TEST_F(IamCommandTest, RefusesACommandLineThatSaysTooLittleOrTooMuch) {
  for (const auto& arguments : std::vector<std::vector<const char*>>{
           {},
           {"check"},
           {"init", "--nothing"},
           {"check", "--principal", kAnn, "--action", "a", "--resource", "*", "--context", "nonsense"},
           {"check", "--principal", kAnn, "--action", "a", "--resource", "*", "--iam-file", "f", "--data", "d"}}) {
    const auto options = Parse(arguments);
    ASSERT_FALSE(options.has_value());
    EXPECT_EQ(options.error(), 2);
  }
}

TEST_F(IamCommandTest, SaysOfEveryStatementWhyItDecidesOrNot) {
  const auto answer = Ask("dynamodb:GetItem", {{"dynamodb:LeadingKeys", "ann"}});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_TRUE(answer->is_allowed);
  EXPECT_THAT(answer->text, HasSubstr("identity-based policy 1: arn:aws:iam::123456789012:user/ann/own\n"));
  EXPECT_THAT(answer->text, HasSubstr("statement 1 (OwnItems): allows\n"));
  EXPECT_THAT(answer->text, HasSubstr("statement 2 (NeverDelete): would deny, but the action is another\n"));
  EXPECT_THAT(answer->text, HasSubstr("decision   allowed\n"));
}

TEST_F(IamCommandTest, AnotherKeyIsDeniedImplicitlyAndADenyExplicitly) {
  const auto of_another = Ask("dynamodb:GetItem", {{"dynamodb:LeadingKeys", "bob"}});
  ASSERT_TRUE(of_another);
  EXPECT_FALSE(of_another->is_allowed);
  EXPECT_THAT(of_another->text, HasSubstr("would allow, but the condition ForAllValues:StringEquals on "
                                          "dynamodb:LeadingKeys does not hold"));
  EXPECT_THAT(of_another->text,
              HasSubstr("decision   implicitly denied: User: arn:aws:iam::123456789012:user/ann is not authorized"));
  const auto deleting = Ask("dynamodb:DeleteItem", {{"dynamodb:FirstPartitionKeyValues", "ann"}});
  ASSERT_TRUE(deleting);
  EXPECT_FALSE(deleting->is_allowed);
  EXPECT_THAT(deleting->text, HasSubstr("statement 1 (OwnItems): allows"));
  EXPECT_THAT(deleting->text, HasSubstr("decision   explicitly denied"));
}

TEST_F(IamCommandTest, TellsWhichConditionKeysWereNotGiven) {
  const auto answer = Ask("dynamodb:GetItem");
  ASSERT_TRUE(answer);
  EXPECT_THAT(answer->text, HasSubstr("absent     dynamodb:LeadingKeys"));
  EXPECT_THAT(answer->text, Not(HasSubstr("aws:username:")));
}

TEST_F(IamCommandTest, NobodyIsNotFoundAndARootMayDoEverything) {
  EXPECT_EQ(Ask("dynamodb:GetItem", {}, "arn:aws:iam::123456789012:user/bob").error().code(), StatusCode::kNotFound);
  const auto root = Ask("dynamodb:DeleteTable", {}, "arn:aws:iam::123456789012:root");
  ASSERT_TRUE(root) << root.error().message();
  EXPECT_TRUE(root->is_allowed);
}

TEST_F(IamCommandTest, MakesAnAdministratorWhoIsThereAfterwards) {
  {
    auto principals = Principals::Open(DataSource(), true);
    ASSERT_TRUE(principals) << principals.error().message();
    const auto key = RunBlocking(iam::InitAccount((*principals)->directory(), "123456789012"));
    ASSERT_TRUE(key) << key.error().message;
    EXPECT_TRUE((*principals)->Close().ok());
  }
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/data/iam.key"));
  auto principals = Principals::Open(DataSource(), false);
  ASSERT_TRUE(principals) << principals.error().message();
  const auto answer = Check(*(*principals)->directory().Current(),
                            {"arn:aws:iam::123456789012:user/administrator", "dynamodb:DeleteTable", kGames, {}}, 0);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_TRUE(answer->is_allowed);
}

TEST_F(IamCommandTest, ADirectoryInUseOrNotThereIsRefusedInOneLine) {
  EXPECT_EQ(Principals::Open(DataSource(), false).error().message(), "there is no " + folder_ + "/data");
  auto first = Principals::Open(DataSource(), true);
  ASSERT_TRUE(first);
  EXPECT_EQ(Principals::Open(DataSource(), true).error().message(), folder_ + "/data is in use: stop the server first");
}

}  // namespace
}  // namespace armature::cli::iam_command
