// `armature iam` without the program around it: what it is told, what it opens, and what it says of a question.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/async.h"
#include "cli/iam/check.h"
#include "cli/iam/options.h"
#include "cli/iam/principals.h"
#include "cli/iam/surroundings.h"
#include "iam/seed/administrator.h"
#include "model/codec/table_def_codec.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "table/keys/key_layout.h"
#include "table/system_records.h"

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
    return Check(*(*principals)->directory().Current(), {principal, action, kGames, std::move(context)}, {}, 0);
  }
  // With all that bears on it, over principals that are open.
  static Result<Answer> Ask(Principals& principals, const Question& question) {
    ARMATURE_TRY(const Surroundings surroundings, FindSurroundings(principals, question));
    return Check(*principals.directory().Current(), question, surroundings, 0);
  }
  // As the server keeps it.
  void Store(const model::TableDef& def) {
    Metrics metrics;
    storage::RocksDbOptions options;
    options.directory = folder_ + "/data";
    auto engine = storage::OpenRocksDbEngine(options, metrics);
    ASSERT_TRUE(engine) << engine.error().message();
    storage::Batch batch;
    batch.Put(table::CatalogKey(def.account, def.region, def.name), model::EncodeTableDef(def));
    EXPECT_TRUE(RunBlocking(table::WriteSystemRecordsDurably(**engine, batch)).ok());
    EXPECT_TRUE((*engine)->Close().ok());
  }
  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }

  std::string folder_;
};

Result<Options, int> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "armature iam");
  return ParseOptions(static_cast<int>(arguments.size()), arguments.data());
}

TEST_F(IamCommandTest, ReadsAQuestion) {
  const auto options = Parse({"check",
                              "--data",
                              "d",
                              "--principal",
                              kAnn,
                              "--action",
                              "dynamodb:GetItem",
                              "--resource",
                              kGames,
                              "--leading-key",
                              "ann",
                              "--leading-key",
                              "-bob",
                              "--attribute",
                              "a",
                              "--context",
                              "aws:SourceIp=::1",
                              "--session-policy",
                              "s1",
                              "--session-policy",
                              "s2",
                              "--resource-policy",
                              "r"});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->action, Action::kCheck);
  EXPECT_EQ(options->source.data_directory, "d");
  EXPECT_EQ(options->question.principal, kAnn);
  const std::vector<std::pair<std::string, std::string>> context{{"dynamodb:LeadingKeys", "ann"},
                                                                 {"dynamodb:LeadingKeys", "-bob"},
                                                                 {"dynamodb:Attributes", "a"},
                                                                 {"aws:SourceIp", "::1"}};
  EXPECT_EQ(options->question.context, context);
  EXPECT_EQ(options->question.session_policy_files, (std::vector<std::string>{"s1", "s2"}));
  EXPECT_EQ(options->question.resource_policy_file, "r");
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
  const auto answer =
      Check(*(*principals)->directory().Current(),
            {"arn:aws:iam::123456789012:user/administrator", "dynamodb:DeleteTable", kGames, {}}, {}, 0);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_TRUE(answer->is_allowed);
}

constexpr const char* kOthersGames = "arn:aws:dynamodb:us-east-1:999999999999:table/Games";

std::string Granting(std::string_view principal, std::string_view action, std::string_view effect = "Allow") {
  return fmt::format(
      R"({{"Version":"2012-10-17","Statement":[{{"Effect":"{}","Principal":{{"AWS":"{}"}},"Action":"{}","Resource":"*"}}]}})",
      effect, principal, action);
}

TEST_F(IamCommandTest, ATablesPolicyAndTagsCount) {
  const Question question{kAnn, "dynamodb:GetItem", kGames, {}};
  {
    auto principals = Principals::Open(DataSource(), true);
    ASSERT_TRUE(principals) << principals.error().message();
    ASSERT_TRUE(RunBlocking(iam::InitAccount((*principals)->directory(), "123456789012", "ann")));
    EXPECT_THAT(Ask(**principals, question)->text, HasSubstr("note       there is no such table here"));
  }
  model::TableDef def;
  def.account = "123456789012";
  def.region = "us-east-1";
  def.name = "Games";
  def.id = 1;
  def.attribute_definitions = {{"pk", model::Type::kS}};
  def.key_schema.hash = {{"pk", model::Type::kS}};
  def.tags = {{"team", "red"}};
  def.policy.document = Granting(kAnn, "dynamodb:GetItem", "Deny");
  def.policy.revision = 1;
  Store(def);
  auto principals = Principals::Open(DataSource(), false);
  ASSERT_TRUE(principals) << principals.error().message();

  const auto denied = Ask(**principals, question);
  ASSERT_TRUE(denied) << denied.error().message();
  EXPECT_FALSE(denied->is_allowed);
  EXPECT_THAT(denied->text, HasSubstr("policy     resource-based policy 1: the table's\n"));
  EXPECT_THAT(denied->text, HasSubstr("decision   explicitly denied"));
  EXPECT_FALSE(Ask(**principals, {kAnn, "dynamodb:GetItem", std::string(kGames) + "/index/I", {}})->is_allowed);
  Question other = question;
  other.resource_policy_file = Write("p.json", Granting(kAnn, "dynamodb:PutItem", "Deny"));
  EXPECT_TRUE(Ask(**principals, other)->is_allowed) << "the file's in the place of the table's";
  other.resource_policy_file = Write("p.json", Granting("arn:aws:iam::123456789012:user/eve", "dynamodb:PutItem"));
  EXPECT_THAT(Ask(**principals, other).error().message(), HasSubstr("p.json: "));
  other.resource_policy_file = folder_ + "/none";
  EXPECT_EQ(Ask(**principals, other).error().message(), folder_ + "/none cannot be read");

  const std::string by_tag =
      R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":{"AWS":")" + std::string(kAnn) +
      R"("},"Action":"dynamodb:GetItem","Resource":"*","Condition":{"StringEquals":{"aws:ResourceTag/Team":"red"}}}]})";
  other.resource_policy_file = Write("p.json", by_tag);
  EXPECT_FALSE(Ask(**principals, other)->is_allowed);
  other.context = {{"aws:ResourceTag/team", "blue"}};
  EXPECT_TRUE(Ask(**principals, other)->is_allowed) << "what is given comes first";
}

TEST_F(IamCommandTest, AcrossAccountsBothSidesCount) {
  auto principals = Principals::Open(FileSource(kFile), false);
  ASSERT_TRUE(principals) << principals.error().message();
  Question question{kAnn, "dynamodb:GetItem", kOthersGames, {{"dynamodb:LeadingKeys", "ann"}}};
  EXPECT_FALSE(Ask(**principals, question)->is_allowed) << "the table's account must let him, too";
  question.resource_policy_file = Write("p.json", Granting(kAnn, "dynamodb:*"));
  const auto allowed = Ask(**principals, question);
  ASSERT_TRUE(allowed) << allowed.error().message();
  EXPECT_TRUE(allowed->is_allowed) << allowed->text;
  question.context = {{"dynamodb:LeadingKeys", "bob"}};
  EXPECT_FALSE(Ask(**principals, question)->is_allowed) << "his own account must, too";
  question = {"arn:aws:iam::123456789012:root", "dynamodb:DescribeTimeToLive", kOthersGames, {}};
  question.resource_policy_file = Write("p.json", Granting("123456789012", "dynamodb:*"));
  EXPECT_FALSE(Ask(**principals, question)->is_allowed) << "nothing that can be granted to others";
}

TEST_F(IamCommandTest, SessionsOfRolesAreHeldToTheirPoliciesAndTrust) {
  auto principals = Principals::Open(FileSource(std::string(kFile) + R"(
[[roles]]
name = "reader"
trust = """{"Version": "2012-10-17", "Statement": [
  {"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::123456789012:user/ann"}, "Action": "sts:AssumeRole",
   "Condition": {"StringEquals": {"sts:ExternalId": "7"}}}]}"""
inline_policies.all = """{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}]}"""
)"),
                                     false);
  ASSERT_TRUE(principals) << principals.error().message();
  constexpr const char* kReader = "arn:aws:iam::123456789012:role/reader";
  Question question{kReader, "dynamodb:GetItem", kGames, {}};
  EXPECT_TRUE(Ask(**principals, question)->is_allowed);
  question.session_policy_files = {
      Write("s.json", R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"dynamodb:Query",)"
                      R"("Resource":"*"}]})")};
  const auto bound = Ask(**principals, question);
  ASSERT_TRUE(bound) << bound.error().message();
  EXPECT_FALSE(bound->is_allowed);
  EXPECT_THAT(bound->text, HasSubstr("no session policy allows the dynamodb:GetItem action"));
  question.principal = kAnn;
  EXPECT_THAT(Ask(**principals, question).error().message(), HasSubstr("session policies bind sessions of roles"));
  EXPECT_FALSE(Ask(**principals, {kAnn, "sts:AssumeRole", kReader, {}})->is_allowed);
  EXPECT_TRUE(Ask(**principals, {kAnn, "sts:AssumeRole", kReader, {{"sts:ExternalId", "7"}}})->is_allowed);
}

TEST_F(IamCommandTest, WarnsOfAnOperatorThatOneOfSeveralValuesSatisfies) {
  const std::string loose = R"(
[[users]]
name = "ann"
inline_policies.own = """{"Version": "2012-10-17", "Statement": [
  {"Effect": "Deny", "Action": "dynamodb:Scan", "Resource": "*", "Condition": {"StringEquals": {"dynamodb:LeadingKeys": "x"}}},
  {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*",
   "Condition": {"StringEquals": {"dynamodb:LeadingKeys": "ann", "aws:username": "ann"}}}]}"""
)";
  auto principals = Principals::Open(FileSource(loose), false);
  ASSERT_TRUE(principals) << principals.error().message();
  const auto answer =
      Ask(**principals,
          {kAnn, "dynamodb:BatchGetItem", kGames, {{"dynamodb:LeadingKeys", "ann"}, {"dynamodb:LeadingKeys", "bob"}}});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_TRUE(answer->is_allowed) << "as on AWS";
  EXPECT_THAT(answer->text, HasSubstr("warning    identity-based policy 1, statement 2: StringEquals on "
                                      "dynamodb:LeadingKeys holds if one of several values fits"));
  EXPECT_THAT(answer->text, Not(HasSubstr("statement 1: StringEquals on"))) << "a denial is none the looser for it";
  EXPECT_THAT(answer->text, Not(HasSubstr("on aws:username holds")));
}

TEST_F(IamCommandTest, ADirectoryInUseOrNotThereIsRefusedInOneLine) {
  EXPECT_EQ(Principals::Open(DataSource(), false).error().message(), "there is no " + folder_ + "/data");
  auto first = Principals::Open(DataSource(), true);
  ASSERT_TRUE(first);
  EXPECT_EQ(Principals::Open(DataSource(), true).error().message(), folder_ + "/data is in use: stop the server first");
}

}  // namespace
}  // namespace armature::cli::iam_command
