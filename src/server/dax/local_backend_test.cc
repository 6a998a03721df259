// A node's requests in the server: what they answer, as whom they ask, and what becomes of a role that changes.
#include "server/dax/local_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/request_context.h"
#include "base/testing/memory_file.h"
#include "iam/changes/grants.h"
#include "iam/changes/roles.h"
#include "server/parts/gate.h"
#include "server/parts/options.h"
#include "server/parts/store.h"
#include "server/parts/tables.h"

namespace armature::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kAccount = "111122223333";
constexpr std::string_view kRoleArn = "arn:aws:iam::111122223333:role/dax";
constexpr std::string_view kClusterArn = "arn:aws:dax:us-east-1:111122223333:cache/books";
constexpr std::string_view kTrust =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"dax.amazonaws.com"},)"
    R"("Action":"sts:AssumeRole"}]})";
constexpr std::string_view kTrustInOthers =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"lambda.amazonaws.com"},)"
    R"("Action":"sts:AssumeRole"}]})";
constexpr std::string_view kReads =
    R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["dynamodb:GetItem","dynamodb:DescribeTable"],)"
    R"("Resource":"arn:aws:dynamodb:us-east-1:111122223333:table/Tbl"}]})";
constexpr std::string_view kTable =
    R"({"TableName":"Tbl","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
    R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]})";
constexpr std::string_view kFailingTransaction =
    R"({"TransactItems":[{"ConditionCheck":{"TableName":"Tbl","ConditionExpression":"pk = n",)"
    R"("Key":{"pk":{"S":"a"}}}}]})";
constexpr std::string_view kSomebody = R"(
[[users]]
name = "somebody"
access_keys = [{ id = "AKIASOMEBODYSOMEBODY", secret = "0123456789012345678901234567890123456789" }]
)";

// Store, gate and tables of a server in memory.
class LocalBackendTest : public testing::Test {
 protected:
  static ServeOptions MakeOptions(const std::string& iam_file) {
    ServeOptions options;
    options.in_memory = true;
    options.account = kAccount;
    options.region = "us-east-1";
    options.iam_file = iam_file;
    return options;
  }

  explicit LocalBackendTest(const std::string& iam_file = {})
      : options_(MakeOptions(iam_file)), store_(*Store::Open(options_)) {
    EXPECT_TRUE(gate_.Load().ok());
    EXPECT_TRUE(tables_.Load().ok());
    services_.emplace(api::Services{*store_->engine, tables_.catalog(), tables_.reads(), tables_.writes(),
                                    tables_.tokens(), tables_.journal(), store_->clock, store_->random,
                                    gate_.authorizer()});
    pipeline_.emplace(front::PipelineOptions{.region = "us-east-1"}, *services_, gate_.verifier());
    EXPECT_THAT(Ask(account_itself_, "CreateTable", kTable), StartsWith("{\"TableDescription\""));
  }

  // The reply, or "Name: message".
  std::string Ask(ClusterRole& role, std::string_view operation, std::string_view json,
                  std::string_view region = "us-east-1") {
    LocalBackend backend(*pipeline_, role);
    dax::BackendReply reply = RunBlocking(backend.Call(operation, json, {kAccount, region}));
    if (reply) return *reply;
    failure_ = reply.error();
    return failure_.name + ": " + failure_.message;
  }
  std::string Get(ClusterRole& role) { return Ask(role, "GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}}})"); }
  void Change(std::function<iam::IamResult<void>(iam::Draft&)> change) {
    ASSERT_TRUE(RunBlocking(gate_.directory().Change(std::move(change))));
  }

  const ServeOptions options_;
  std::unique_ptr<Store> store_;
  Tables tables_{options_, *store_};
  Gate gate_{options_, *store_, tables_};
  std::optional<api::Services> services_;
  std::optional<front::Pipeline> pipeline_;
  ClusterRole account_itself_{gate_, store_->clock, {}, std::string(kClusterArn)};
  ClusterRole role_{gate_, store_->clock, std::string(kRoleArn), std::string(kClusterArn)};
  dax::BackendError failure_;
};

TEST_F(LocalBackendTest, AnswersAsTheApiDoes) {
  EXPECT_EQ(Ask(account_itself_, "PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"},"n":{"N":"1"}}})"), "{}");
  EXPECT_EQ(Get(account_itself_), R"({"Item":{"n":{"N":"1"},"pk":{"S":"a"}}})");
  EXPECT_THAT(Ask(account_itself_, "GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"a"}}})", "eu-west-1"),
              StartsWith("ResourceNotFoundException: "));
}

TEST_F(LocalBackendTest, AnErrorHasABodyAndARequestId) {
  EXPECT_THAT(Ask(account_itself_, "GetItem", R"({"TableName":"None","Key":{"pk":{"S":"a"}}})"),
              StartsWith("ResourceNotFoundException: "));
  EXPECT_EQ(failure_.http_status, 400);
  EXPECT_THAT(failure_.json, HasSubstr("ResourceNotFoundException"));
  EXPECT_EQ(failure_.request_id.size(), kRequestIdSize);
  const std::string first = failure_.request_id;
  EXPECT_THAT(Ask(account_itself_, "GetItem", R"({"TableName":"Tbl","Key":{"no":{"S":"a"}}})"),
              StartsWith("ValidationException: "));
  EXPECT_NE(failure_.request_id, first);
  EXPECT_FALSE(failure_.is_outcome_unknown);
  EXPECT_THAT(Ask(account_itself_, "GetItems", "{}"), StartsWith("UnknownOperationException: "));
}

TEST_F(LocalBackendTest, TheReasonsOfACancelledTransactionAreInTheBody) {
  EXPECT_THAT(Ask(account_itself_, "TransactWriteItems", kFailingTransaction),
              StartsWith("TransactionCanceledException: "));
  EXPECT_THAT(failure_.json, HasSubstr("CancellationReasons"));
}

// As long as everybody is believed the role need not be there.
TEST_F(LocalBackendTest, WithoutPrincipalsNobodyIsAsked) {
  EXPECT_EQ(Get(role_), "{}");
  EXPECT_TRUE(MayActAs(gate_, store_->clock, kRoleArn, kClusterArn));
}

struct SeedFile {
  SeedFile() { EXPECT_TRUE(file.Write(kSomebody)); }
  MemoryFile file{"principals"};
};

class ShutLocalBackendTest : private SeedFile, public LocalBackendTest {
 protected:
  ShutLocalBackendTest() : LocalBackendTest(file.path()) { EXPECT_TRUE(gate_.is_shut()); }
  void MakeRole() {
    Change([](iam::Draft& draft) -> iam::IamResult<void> {
      ARMATURE_CHECK_OK(iam::CreateRole(draft, kAccount, {.name = "dax", .trust = std::string(kTrust)}));
      return iam::PutInlinePolicy<iam::Role>(draft, kAccount, "dax", "own", kReads);
    });
  }
};

TEST_F(ShutLocalBackendTest, ARoleThatIsNotThereMayNothing) {
  EXPECT_EQ(Get(role_), "AccessDeniedException: The cluster's role is not there");
  EXPECT_THAT(failure_.json, HasSubstr("AccessDeniedException"));
  MakeRole();
  EXPECT_EQ(Get(role_), "{}");
  Change([](iam::Draft& draft) -> iam::IamResult<void> {
    ARMATURE_CHECK_OK(iam::DeleteInlinePolicy<iam::Role>(draft, kAccount, "dax", "own"));
    return iam::DeleteRole(draft, kAccount, "dax");
  });
  EXPECT_EQ(Get(role_), "AccessDeniedException: The cluster's role is not there");
}

TEST_F(ShutLocalBackendTest, ARoleMayWhatItsPoliciesSayAtThatMoment) {
  MakeRole();
  EXPECT_EQ(Get(role_), "{}");
  EXPECT_THAT(Ask(role_, "PutItem", R"({"TableName":"Tbl","Item":{"pk":{"S":"a"}}})"),
              testing::AllOf(StartsWith("AccessDeniedException: "), HasSubstr("assumed-role/dax/DAX"),
                             HasSubstr("dynamodb:PutItem")));
  EXPECT_THAT(Ask(role_, "GetItem", R"({"TableName":"Other","Key":{"pk":{"S":"a"}}})"),
              StartsWith("AccessDeniedException: "))
      << "whether it is there is not told either";
  Change([](iam::Draft& draft) { return iam::DeleteInlinePolicy<iam::Role>(draft, kAccount, "dax", "own"); });
  EXPECT_THAT(Get(role_), StartsWith("AccessDeniedException: "));
}

TEST_F(ShutLocalBackendTest, ARoleThatTrustsDaxNoMoreMayNothing) {
  EXPECT_FALSE(MayActAs(gate_, store_->clock, kRoleArn, kClusterArn)) << "it is not there";
  MakeRole();
  EXPECT_TRUE(MayActAs(gate_, store_->clock, kRoleArn, kClusterArn));
  EXPECT_EQ(Get(role_), "{}");
  const auto trust = [&](std::string_view document) {
    Change([=](iam::Draft& draft) { return iam::UpdateAssumeRolePolicy(draft, kAccount, "dax", document); });
  };
  trust(kTrustInOthers);
  EXPECT_FALSE(MayActAs(gate_, store_->clock, kRoleArn, kClusterArn));
  EXPECT_EQ(Get(role_), "AccessDeniedException: The cluster's role does not let DAX assume it");
  trust(kTrust);
  EXPECT_EQ(Get(role_), "{}");
}

// The cluster of `serve --dax-port` has no role: its callers' dax:… is all that is asked.
TEST_F(ShutLocalBackendTest, TheAccountItselfMayEverything) { EXPECT_EQ(Get(account_itself_), "{}"); }

}  // namespace
}  // namespace armature::server
