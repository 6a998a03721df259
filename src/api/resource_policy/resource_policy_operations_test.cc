// Put-, Get- and DeleteResourcePolicy: revisions, errors and their texts, and what is kept.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/access_testing.h"
#include "api/api_testing.h"
#include "base/text/json_writer.h"
#include "policy/policy.h"
#include "policy/resource/resource_policy.h"

namespace armature::api {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kTable = "arn:aws:dynamodb:us-east-1:123456789012:table/Tbl";
const std::string kMissing = "PolicyNotFoundException: Resource-based policy not found for the provided ResourceArn: ";

std::string Allowing(std::string_view action, std::string_view arn = kTable) {
  return fmt::format(
      R"({{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Principal":{{"AWS":"123456789012"}},"Action":"{}","Resource":"{}"}}]}})",
      action, arn);
}

class ResourcePolicyTest : public ApiFixture {
 protected:
  explicit ResourcePolicyTest(int64_t delay = 0) : ApiFixture(delay) {}
  void SetUp() override {
    CreateSimpleTable();
    clock_.AdvanceMillis(catalog_.control_plane_delay_millis());
  }

  static std::string Json(const std::string& arn, std::string_view policy = {}, std::string_view expected = {}) {
    std::string body;
    JsonWriter json(body);
    json.BeginObject();
    json.Member("ResourceArn", arn);
    if (!policy.empty()) json.Member("Policy", policy);
    if (!expected.empty()) json.Member("ExpectedRevisionId", expected);
    json.EndObject();
    return body;
  }
  std::string Put(std::string_view policy, std::string_view expected = {}, const std::string& arn = kTable) {
    return RevisionIn(MustCall("PutResourcePolicy", Json(arn, policy, expected)));
  }
  std::string PutFails(std::string_view policy, std::string_view expected = {}, const std::string& arn = kTable) {
    return MustFail("PutResourcePolicy", Json(arn, policy, expected));
  }
  std::string Get(const std::string& arn = kTable) { return MustCall("GetResourcePolicy", Json(arn)); }
  std::string GetFails(const std::string& arn = kTable) { return MustFail("GetResourcePolicy", Json(arn)); }
  std::string Delete(std::string_view expected = {}) {
    return MustCall("DeleteResourcePolicy", Json(kTable, {}, expected));
  }
  std::string EnableStream() {
    MustCall("UpdateTable",
             R"({"TableName":"Tbl","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}})");
    return catalog_.Find({"123456789012", "us-east-1"}, "Tbl")->def()->StreamArn();
  }

 private:
  static std::string RevisionIn(const std::string& reply) {
    EXPECT_THAT(reply, StartsWith(R"({"RevisionId":")"));
    return reply.substr(15, reply.size() - 17);
  }
};

TEST_F(ResourcePolicyTest, Life) {
  EXPECT_EQ(GetFails(), kMissing + kTable);
  EXPECT_EQ(Delete(), "{}");
  const std::string policy = Allowing("dynamodb:GetItem");
  const std::string first = Put(policy);
  EXPECT_EQ(first, fmt::format("{}", clock_.NowMillis())) << "the millisecond of the change";
  EXPECT_EQ(Put(policy), first) << "the same again is no change";
  std::string got;
  JsonWriter json(got);
  json.BeginObject();
  json.Member("Policy", policy);
  json.Member("RevisionId", first);
  json.EndObject();
  EXPECT_EQ(Get(), got) << "the text as it was given";
  const std::string second = Put(Allowing("dynamodb:Query"));
  EXPECT_GT(std::stoll(second), std::stoll(first)) << "in the same millisecond too";
  EXPECT_EQ(Delete(), R"({"RevisionId":")" + second + R"("})");
  EXPECT_EQ(GetFails(), kMissing + kTable);
  EXPECT_GT(std::stoll(Put(policy)), std::stoll(second)) << "never one that there was before";
}

TEST_F(ResourcePolicyTest, ExpectedRevisions) {
  const std::string policy = Allowing("dynamodb:GetItem"), other = Allowing("dynamodb:Query");
  EXPECT_EQ(
      PutFails(policy, "17"),
      kMissing + "Requested update for policy with revision id 17, but no policy is associated to target table Tbl.");
  const std::string first = Put(policy, "NO_POLICY");
  EXPECT_EQ(PutFails(other, "NO_POLICY"),
            kMissing +
                "Requested policy update expecting none to be present for table Tbl, but a policy exists with "
                "revision id " +
                first + ".");
  const std::string second = Put(other, first);
  EXPECT_EQ(PutFails(policy, first), kMissing + "Requested update for policy with revision id " + first +
                                         ", but the policy associated to target table Tbl has revision id " + second +
                                         ".");
  EXPECT_EQ(MustFail("DeleteResourcePolicy", Json(kTable, {}, first)),
            kMissing + "Requested update for policy with revision id " + first +
                ", but the policy associated to target table Tbl has revision id " + second + ".");
  EXPECT_THAT(Get(), HasSubstr(second)) << "nothing was changed";
  EXPECT_EQ(Delete(second), R"({"RevisionId":")" + second + R"("})");
  EXPECT_THAT(MustFail("DeleteResourcePolicy", Json(kTable, {}, second)), StartsWith("PolicyNotFoundException"));
}

TEST_F(ResourcePolicyTest, WhatIsNotThere) {
  const std::string nowhere = "arn:aws:dynamodb:us-east-1:123456789012:table/Nowhere";
  const std::string not_found = "ResourceNotFoundException: Requested resource not found: Table: Nowhere not found";
  EXPECT_EQ(PutFails(Allowing("dynamodb:GetItem", nowhere), {}, nowhere), not_found);
  EXPECT_EQ(GetFails(nowhere), not_found);
  EXPECT_EQ(MustFail("DeleteResourcePolicy", Json(nowhere)), not_found);
  const std::string stream = kTable + "/stream/2020-01-01T00:00:00.000";
  EXPECT_EQ(GetFails(stream),
            "ResourceNotFoundException: Requested resource not found: Stream: " + stream + " not found");
  for (const std::string& wrong :
       {std::string("Tbl"), kTable + "/index/i", std::string("arn:aws:dynamodb:us-east-1:999999999999:table/Tbl"),
        std::string("arn:aws:dynamodb:eu-west-1:123456789012:table/Tbl")})
    EXPECT_THAT(GetFails(wrong), StartsWith("ValidationException: Invalid TableArn: ")) << wrong;
}

TEST_F(ResourcePolicyTest, DocumentsThatAreRefused) {
  const std::string head = "ValidationException: One or more parameter values were invalid: Invalid policy document: ";
  EXPECT_EQ(PutFails("no json"), head + "The policy is not in the valid JSON format");
  EXPECT_EQ(PutFails(Allowing("dynamodb:ListStreams")),
            head + R"(The following action names are invalid: "dynamodb:ListStreams")");
  EXPECT_EQ(PutFails(Allowing("dynamodb:GetItem", "arn:aws:dynamodb:us-east-1:123456789012:table/Other")),
            head + R"(The following resources are invalid: "arn:aws:dynamodb:us-east-1:123456789012:table/Other")");
  EXPECT_THAT(
      PutFails(
          R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"dynamodb:GetItem","Resource":"*"}]})"),
      StartsWith(head + "The policy grants public access"));
  const std::string policy = Allowing("dynamodb:GetItem");
  Put(policy + std::string(policy::kLongestResourcePolicy - policy.size(), ' '));
  EXPECT_EQ(PutFails(policy + std::string(policy::kLongestResourcePolicy - policy.size() + 1, ' ')),
            head + "The policy is longer than 20480 bytes");
}

TEST_F(ResourcePolicyTest, AStreamHasItsOwn) {
  const std::string stream = EnableStream();
  Put(Allowing("dynamodb:GetItem"));
  EXPECT_EQ(GetFails(stream), kMissing + stream);
  EXPECT_EQ(PutFails(Allowing("dynamodb:GetItem", stream), {}, stream),
            "ValidationException: One or more parameter values were invalid: Invalid policy document: The following "
            "action names are invalid: \"dynamodb:GetItem\"");
  Put(Allowing("dynamodb:GetRecords", stream), {}, stream);
  EXPECT_THAT(Get(stream), HasSubstr("dynamodb:GetRecords"));
  EXPECT_THAT(Get(), HasSubstr("dynamodb:GetItem"));
  // It stays with its stream, and the next stream has none.
  MustCall("UpdateTable", R"({"TableName":"Tbl","StreamSpecification":{"StreamEnabled":false}})");
  clock_.AdvanceMillis(1);
  const std::string next = EnableStream();
  ASSERT_NE(next, stream);
  EXPECT_THAT(Get(stream), HasSubstr("dynamodb:GetRecords"));
  EXPECT_EQ(GetFails(next), kMissing + next);
  // A stream that has ended is forgotten with the next change.
  clock_.AdvanceMillis(int64_t{25} * 3600 * 1000);
  EXPECT_THAT(GetFails(stream), StartsWith("ResourceNotFoundException"));
  Put(Allowing("dynamodb:GetRecords", next), {}, next);
  EXPECT_EQ(catalog_.Find({"123456789012", "us-east-1"}, "Tbl")->def()->stream_policies.size(), 1u);
}

TEST_F(ResourcePolicyTest, WithTheTable) {
  const std::string arn = "arn:aws:dynamodb:us-east-1:123456789012:table/Born";
  const auto create = [&](std::string_view policy) {
    std::string text;
    JsonWriter json(text);
    json.String(policy);
    return R"({"TableName":"Born","BillingMode":"PAY_PER_REQUEST","ResourcePolicy":)" + text +
           R"(,"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
           "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})";
  };
  EXPECT_THAT(MustFail("CreateTable", create("")), HasSubstr("Invalid policy document"));
  EXPECT_THAT(MustFail("CreateTable", create(Allowing("dynamodb:CreateTable", arn))),
              HasSubstr("dynamodb:CreateTable"));
  EXPECT_THAT(MustFail("DescribeTable", R"({"TableName":"Born"})"), StartsWith("ResourceNotFoundException"));
  MustCall("CreateTable", create(Allowing("dynamodb:GetItem", arn)));
  EXPECT_THAT(Get(arn), HasSubstr("dynamodb:GetItem"));
}

TEST_F(ResourcePolicyTest, IsKeptOverARestart) {
  const std::string stream = EnableStream();
  Put(Allowing("dynamodb:GetItem"));
  Put(Allowing("dynamodb:GetRecords", stream), {}, stream);
  const std::string before = Get();
  const auto stored = catalog_.Find({"123456789012", "us-east-1"}, "Tbl")->def();
  table::Catalog again(*engine_, clock_, 0);
  ASSERT_TRUE(RunBlocking(again.Load()).ok());
  const auto loaded = again.Find({"123456789012", "us-east-1"}, "Tbl")->def();
  EXPECT_EQ(loaded->policy.document, stored->policy.document);
  EXPECT_EQ(loaded->policy.revision, stored->policy.revision);
  ASSERT_EQ(loaded->stream_policies.size(), 1u);
  EXPECT_EQ(loaded->stream_policies[0].policy.document, stored->stream_policies[0].policy.document);
}

class ResourcePolicyDelayTest : public ResourcePolicyTest {
 protected:
  ResourcePolicyDelayTest() : ResourcePolicyTest(15'000) {}
};

TEST_F(ResourcePolicyDelayTest, AChangeIsPendingAsLongAsAnyOfTheControlPlane) {
  Put(Allowing("dynamodb:GetItem"));
  clock_.AdvanceMillis(14'999);
  EXPECT_THAT(
      PutFails(Allowing("dynamodb:Query")),
      StartsWith("ResourceInUseException: Attempt to change a resource which is still in use: There is a pending "
                 "previous resource-based policy update"));
  EXPECT_THAT(MustFail("DeleteResourcePolicy", Json(kTable)), StartsWith("ResourceInUseException"));
  Put(Allowing("dynamodb:GetItem"));  // no change
  clock_.AdvanceMillis(1);
  Put(Allowing("dynamodb:Query"));
}

// Knows one user.
class OneUser final : public policy::PrincipalDirectory {
 public:
  std::optional<std::string> FindUniqueId(std::string_view arn) const override {
    if (arn == "arn:aws:iam::123456789012:user/bob") return "AIDABOB";
    return std::nullopt;
  }
};

std::string Naming(std::string_view user) {
  return fmt::format(
      R"({{"Version":"2012-10-17","Statement":[{{"Effect":"Allow","Principal":{{"AWS":"arn:aws:iam::123456789012:user/{}"}},"Action":"dynamodb:GetItem","Resource":"*"}}]}})",
      user);
}

TEST_F(ResourcePolicyTest, WhereThereArePrincipalsThoseItNamesAreBound) {
  const OneUser directory;
  services_.principals = &directory;
  Put(Naming("alice"));
  const auto def = [&] { return catalog_.Find({"123456789012", "us-east-1"}, "Tbl")->def(); };
  EXPECT_TRUE(def()->policy.principals.empty()) << "nobody is asked here";
  RecordingAuthorizer authorizer;
  services_.authorizer = &authorizer;
  EXPECT_THAT(PutFails(Naming("alice")), HasSubstr("Invalid principal in policy"));
  Put(Naming("bob"));
  ASSERT_EQ(def()->policy.principals.size(), 1u);
  EXPECT_EQ(def()->policy.principals.begin()->second, "AIDABOB");
}

TEST_F(ResourcePolicyTest, WhoMayNotMakeATableLearnsOfNobody) {
  const OneUser directory;
  RecordingAuthorizer authorizer;
  services_.principals = &directory;
  services_.authorizer = &authorizer;
  const auto create = [&](std::string_view user) {
    std::string body;
    JsonWriter json(body);
    json.BeginObject();
    json.Member("TableName", "New");
    json.Member("BillingMode", "PAY_PER_REQUEST");
    json.Member("ResourcePolicy", Naming(user));
    body += R"(,"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
            R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})";
    return Call("CreateTable", body).ErrorText();
  };
  authorizer.refuses = true;
  EXPECT_EQ(create("alice"), "AccessDeniedException: no");
  EXPECT_EQ(create("bob"), "AccessDeniedException: no");
  authorizer.refuses = false;
  EXPECT_THAT(create("alice"), HasSubstr("Invalid principal in policy"));
  EXPECT_EQ(create("bob"), "");
}

}  // namespace
}  // namespace armature::api
