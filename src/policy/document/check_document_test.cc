// What AWS says of malformed documents: one case for each text, and the order among them.
#include "policy/document/check_document.h"

#include <string>

#include <gtest/gtest.h>

#include "policy/testing/policy_testing.h"

namespace armature::policy {
namespace {

constexpr const char* kSyntax = "Syntax errors in policy.";
constexpr const char* kLegacy = "The policy failed legacy parsing";

std::string Statement(const std::string& members) { return "{'Version':'2012-10-17','Statement':{" + members + "}}"; }
// What is said of a policy that has this besides what it must have.
std::string With(const std::string& member) {
  return ParseError(Statement("'Effect':'Allow','Action':'dynamodb:GetItem','Resource':'*'," + member));
}
std::string WithResource(const std::string& resource) {
  return ParseError(Statement("'Effect':'Allow','Action':'dynamodb:GetItem','Resource':'" + resource + "'"));
}
std::string WithAction(const std::string& action) {
  return ParseError(Statement("'Effect':'Allow','Action':'" + action + "','Resource':'*'"));
}
std::string Trust(const std::string& members) { return ParseError(Statement(members), PolicyKind::kTrust); }
std::string TrustOf(const std::string& principal) {
  return Trust("'Effect':'Allow','Action':'sts:AssumeRole','Principal':" + principal);
}

TEST(PolicyDocument, GoodOnesParse) {
  EXPECT_EQ(WithResource("*"), "");
  EXPECT_EQ(With("'Sid':'Abc123'"), "");
  EXPECT_EQ(ParseError("{'Version':'2012-10-17','Id':'x','Statement':[{'Effect':'Deny','NotAction':['a:b','c:*'],"
                       "'NotResource':['arn:aws:dynamodb:*:*:table/T']}]}"),
            "");
  EXPECT_EQ(
      With("'Condition':{'Bool':{'aws:SecureTransport':true},'NumericLessThan':{'aws:MultiFactorAuthAge':[3600,1.5]}}"),
      "");
  EXPECT_EQ(With("'Condition':{}"), "");
  EXPECT_EQ(With("'Condition':{'NoSuchOperator':{}}"), "");
  EXPECT_EQ(With("'Condition':{'StringEquals':{'nobody:KnowsThis':[]}}"), "");
}

TEST(PolicyDocument, SyntaxErrors) {
  for (const char* document :
       {"", "{", "[]", "'x'", "{}", "null", "{'Version':'2012-10-17'}", "{'Version':'2012-10-17','Statement':[]}",
        "{'Version':'2012-10-17','Statement':'x'}", "{'Version':'2012-10-17','Statement':[1]}",
        "{'Version':'2012-10-18','Statement':[]}", "{'Version':1,'Statement':[]}",
        "{'Version':'2012-10-17','Statement':{}}",
        "{'version':'2012-10-17','Statement':{'Effect':'Allow','Action':'*','Resource':'*'}}",
        "{'Version':'2012-10-17','Id':7,'Statement':{'Effect':'Allow','Action':'*','Resource':'*'}}",
        "{'Version':'2012-10-17','Statement':{'Effect':'Allow','Action':'*','Resource':'*'}} x"})
    EXPECT_EQ(ParseError(document), kSyntax) << document;
  EXPECT_EQ(With("'Extra':1"), kSyntax);
  EXPECT_EQ(With("'NotAction':'a:b'"), kSyntax);
  EXPECT_EQ(With("'NotResource':'*'"), kSyntax);
  EXPECT_EQ(With("'Sid':1"), kSyntax);
  EXPECT_EQ(With("'Condition':[]"), kSyntax);
  EXPECT_EQ(With("'Condition':{'StringEquals':'x'}"), kSyntax);
  EXPECT_EQ(With("'Condition':{'StringEquals':{'a:b':{}}}"), kSyntax);
  EXPECT_EQ(With("'Condition':{'StringEquals':{'a:b':null}}"), kSyntax);
  EXPECT_EQ(With("'Condition':{'NoSuchOperator':{'a:b':'c'}}"), kSyntax);
  EXPECT_EQ(With("'Condition':{'stringequals':{'a:b':'c'}}"), kSyntax);
  EXPECT_EQ(With("'Condition':{'NullIfExists':{'a:b':'true'}}"), kSyntax);
  EXPECT_EQ(With("'Condition':{'forallvalues:StringEquals':{'a:b':'c'}}"), kSyntax);
  EXPECT_EQ(ParseError(Statement("'Action':'*','Resource':'*'")), kSyntax);
  EXPECT_EQ(ParseError(Statement("'Effect':'Maybe','Action':'*','Resource':'*'")), kSyntax);
  EXPECT_EQ(ParseError(Statement("'Effect':'Allow','Action':7,'Resource':'*'")), kSyntax);
  EXPECT_EQ(ParseError(Statement("'Effect':'Allow','Action':['a:b',1],'Resource':'*'")), kSyntax);
  EXPECT_EQ(ParseError(Statement("'Effect':'Allow','Action':'*','Resource':{}")), kSyntax);
}

TEST(PolicyDocument, RepeatedMembersAreSyntaxErrors) {
  EXPECT_EQ(
      ParseError(
          "{'Version':'2012-10-17','Version':'2012-10-17','Statement':{'Effect':'Allow','Action':'*','Resource':'*'}}"),
      kSyntax);
  EXPECT_EQ(With("'Effect':'Deny'"), kSyntax);
  EXPECT_EQ(With("'Condition':{'Bool':{'a:b':'true'},'Bool':{'c:d':'true'}}"), kSyntax);
  EXPECT_EQ(With("'Condition':{'Bool':{'a:b':'true','a:b':'false'}}"), kSyntax);
  EXPECT_EQ(TrustOf("{'AWS':'*','AWS':'*'}"), kSyntax);
}

TEST(PolicyDocument, DepthAndLengthAreBounded) {
  EXPECT_EQ(ParseError(std::string(100000, '[')), kSyntax);
  std::string nested = "'x'";
  for (int i = 0; i < 60; ++i) nested = "[" + nested + "]";
  EXPECT_EQ(ParseError(Statement("'Effect':'Allow','Action':" + nested + ",'Resource':'*'")), kSyntax);
  EXPECT_EQ(
      ParseError(std::string(kMostDocumentBytes, ' ') + Statement("'Effect':'Allow','Action':'*','Resource':'*'")),
      kSyntax);
  std::string many;
  for (int i = 0; i < 4000; ++i)
    many += (i == 0 ? "" : ",") + std::string("{'Effect':'Allow','Action':'a:b','Resource':'*'}");
  EXPECT_EQ(ParseError("{'Version':'2012-10-17','Statement':[" + many + "]}"), "");
}

TEST(PolicyDocument, BrokenJsonOfTheOtherKinds) {
  EXPECT_EQ(ParseError("{", PolicyKind::kTrust), "This policy contains invalid Json");
  EXPECT_EQ(ParseError("{", PolicyKind::kResource), "The policy is not in the valid JSON format");
  EXPECT_EQ(ParseError("[]", PolicyKind::kTrust), kSyntax);
}

TEST(PolicyDocument, IdentityPoliciesAreOfTheNewVersion) {
  constexpr const char* kText = "Policy document must be version 2012-10-17 or greater.";
  EXPECT_EQ(ParseError("{'Statement':{'Effect':'Allow','Action':'*','Resource':'*'}}"), kText);
  EXPECT_EQ(ParseError("{'Version':'2008-10-17','Statement':{'Effect':'Allow','Action':'*','Resource':'*'}}"), kText);
  EXPECT_EQ(
      ParseError("{'Statement':{'Effect':'Allow','Action':'sts:AssumeRole','Principal':'*'}}", PolicyKind::kTrust), "");
}

TEST(PolicyDocument, LegacyParsing) {
  EXPECT_EQ(ParseError(Statement("'Effect':'allow','Action':'*','Resource':'*'")), kLegacy);
  EXPECT_EQ(ParseError(Statement("'Effect':'DENY','Action':'*','Resource':'*'")), kLegacy);
  EXPECT_EQ(With("'Condition':{'DateLessThan':{'aws:CurrentTime':'soon'}}"), kLegacy);
  EXPECT_EQ(With("'Condition':{'DateLessThanIfExists':{'aws:CurrentTime':['2026-01-01T00:00:00Z','01.02.2026']}}"),
            kLegacy);
  EXPECT_EQ(With("'Condition':{'DateLessThan':{'aws:CurrentTime':[1700000000,'2026-01-01T00:00:00Z']}}"), "");
  EXPECT_EQ(WithResource("arn:aws:s3::x"), kLegacy);
  EXPECT_EQ(WithResource("arn:aws::::x"), kLegacy);
}

TEST(PolicyDocument, StatementIds) {
  EXPECT_EQ(
      With("'Sid':'has blank'"),
      "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular expression [0-9A-Za-z]*");
  const std::string two =
      "{'Version':'2012-10-17','Statement':[{'Sid':'%','Effect':'Allow','Action':'*','Resource':'*'},"
      "{'Sid':'%','Effect':'Allow','Action':'*','Resource':'*'}]}";
  const auto named = [&](const std::string& sid) {
    std::string text = two;
    for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%')) text.replace(at, 1, sid);
    return ParseError(text);
  };
  EXPECT_EQ(named("Same"), "Statement IDs (SID) in a single policy must be unique.");
  EXPECT_EQ(named(""), "");
}

TEST(PolicyDocument, ActionsThereMustBe) {
  constexpr const char* kText = "Policy statement must contain actions.";
  EXPECT_EQ(ParseError(Statement("'Effect':'Allow','Resource':'*'")), kText);
  EXPECT_EQ(ParseError(Statement("'Effect':'Allow','Action':[],'Resource':'*'")), kText);
  EXPECT_EQ(ParseError(Statement("'Effect':'Allow','NotAction':[],'Resource':'*'")), kText);
}

TEST(PolicyDocument, FormsOfResources) {
  EXPECT_EQ(WithResource("table"), "Resource table must be in ARN format or \"*\".");
  EXPECT_EQ(WithResource("Arn:aws:dynamodb:::x"), "Resource Arn:aws:dynamodb:::x must be in ARN format or \"*\".");
  EXPECT_EQ(WithResource("arn:b:c:d:e:f:g"), "Partition \"b\" is not valid for resource \"arn:b:c:d:e:f:g\".");
  EXPECT_EQ(WithResource("arn:b"), "Partition \"b\" is not valid for resource \"arn:b:*:*:*:*\".");
  constexpr const char* kVendor = "Resource vendor must be fully qualified and cannot contain regexes.";
  EXPECT_EQ(WithResource("arn:aws:dynamo*:us-east-1:1:table/T"), kVendor);
  EXPECT_EQ(WithResource("arn:aws"), kVendor);
  EXPECT_EQ(WithResource("arn:aws:iam:us-east-1:111122223333:user/x"),
            "IAM resource arn:aws:iam:us-east-1:111122223333:user/x cannot contain region information.");
  EXPECT_EQ(WithResource("arn:aws:s3:us-east-1::bucket"),
            "Resource arn:aws:s3:us-east-1::bucket can not contain region information.");
  EXPECT_EQ(WithResource("arn:aws:iam::111122223333:thing/x"),
            "IAM resource path must either be \"*\" or start with user/, federated-user/, role/, group/, "
            "instance-profile/, mfa/, server-certificate/, policy/, sms-mfa/, saml-provider/, oidc-provider/, report/, "
            "access-report/.");
  for (const char* good :
       {"arn:aws:iam::111122223333:user/x", "arn:aws:iam::*:*", "arn:aws:dynamodb", "arn:aws:dynamodb:us-east-1",
        "arn:*:dynamodb:*:*:table/T", "arn:aws-cn:dynamodb:*:*:*", "arn:aws:s3:::bucket/*"})
    EXPECT_EQ(WithResource(good), "") << good;
}

TEST(PolicyDocument, FormsOfActions) {
  EXPECT_EQ(WithAction("GetItem"), "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.");
  EXPECT_EQ(WithAction("dynamodb:Get:Item"), "Actions/Condition can contain only one colon.");
  EXPECT_EQ(WithAction("a a:b"), "Vendor a a is not valid");
  EXPECT_EQ(WithAction("dynamo*:GetItem"), "Vendor dynamo* is not valid");
  for (const char* good : {"*", "dynamodb:*", "nobody:Knows", "application-autoscaling:Describe*", "dynamodb:?etItem"})
    EXPECT_EQ(WithAction(good), "") << good;
}

TEST(PolicyDocument, IdentityPoliciesHaveResourcesAndNoPrincipal) {
  EXPECT_EQ(ParseError(Statement("'Effect':'Allow','Action':'*'")), "Policy statement must contain resources.");
  EXPECT_EQ(ParseError(Statement("'Effect':'Allow','Action':'*','Resource':[]")),
            "Policy statement must contain resources.");
  EXPECT_EQ(With("'Principal':'*'"), "Policy document should not specify a principal.");
  EXPECT_EQ(With("'NotPrincipal':{'AWS':'*'}"), "Policy document should not specify a principal.");
}

TEST(PolicyDocument, TrustPolicies) {
  EXPECT_EQ(TrustOf("{'AWS':'111122223333'}"), "");
  EXPECT_EQ(Trust("'Effect':'Allow','Action':'sts:AssumeRole','Principal':'*','Resource':'*'"),
            "Has prohibited field Resource");
  EXPECT_EQ(Trust("'Effect':'Allow','Action':'sts:AssumeRole'"), "Missing required field Principal");
  EXPECT_EQ(TrustOf("{'AWS':[]}"), "Missing required field Principal");
  constexpr const char* kActions = "AssumeRole policy may only specify STS AssumeRole actions.";
  EXPECT_EQ(Trust("'Effect':'Allow','Action':'dynamodb:GetItem','Principal':'*'"), kActions);
  EXPECT_EQ(Trust("'Effect':'Allow','Action':'*','Principal':'*'"), kActions);
  EXPECT_EQ(Trust("'Effect':'Allow','Action':['sts:assumerole','sts:TagSession','sts:*'],'Principal':'*'"), "");
}

TEST(PolicyDocument, FormsOfPrincipals) {
  for (const char* good : {"'*'", "{'AWS':'*'}", "{'AWS':'arn:aws:iam::111122223333:root'}",
                           "{'AWS':'arn:aws:iam::111122223333:user/a/b/bob'}",
                           "{'AWS':['arn:aws:iam::111122223333:role/R','111122223333']}",
                           "{'AWS':'arn:aws:sts::111122223333:assumed-role/R/s'}",
                           "{'AWS':'arn:aws:sts::111122223333:federated-user/n'}", "{'AWS':'AIDABOBBOBBOBBOBBOBBO'}",
                           "{'Service':'lambda.amazonaws.com'}", "{'Federated':'cognito-identity.amazonaws.com'}",
                           "{'Federated':'arn:aws:iam::111122223333:oidc-provider/issuer.example.com/x'}",
                           "{'CanonicalUser':'79a59df900b949e5'}"})
    EXPECT_EQ(TrustOf(good), "") << good;
  const auto invalid = [](const std::string& kind, const std::string& text) {
    return "Invalid principal in policy: \"" + kind + "\":\"" + text + "\"";
  };
  for (const char* bad :
       {"arn:aws:iam::111122223333:user/*", "arn:aws:iam::111122223333:group/g", "11112222333",
        "arn:aws:iam::111122223333:user/", "arn:aws:sts::111122223333:assumed-role/R", "bob",
        "arn:aws:iam:us-east-1:111122223333:user/bob", "arn:aws:iam::x:root", "AGPAGROUPGROUPGROUPGR"})
    EXPECT_EQ(TrustOf("{'AWS':'" + std::string(bad) + "'}"), invalid("AWS", bad)) << bad;
  EXPECT_EQ(TrustOf("{'Service':'*'}"), invalid("SERVICE", "*"));
  EXPECT_EQ(TrustOf("{'Nobody':'x'}"), invalid("NOBODY", "x"));
  EXPECT_EQ(TrustOf("'111122223333'"), invalid("STAR", "111122223333"));
  EXPECT_EQ(TrustOf("{'Federated':'issuer'}"), "Federated principals must be valid domain names or SAML metadata ARNs");
  EXPECT_EQ(TrustOf("7"), kSyntax);
}

TEST(PolicyDocument, ResourcePoliciesHaveBoth) {
  EXPECT_EQ(ParseError(Statement("'Effect':'Allow','Action':'dynamodb:*','Resource':'*'"), PolicyKind::kResource),
            "Missing required field Principal");
  EXPECT_EQ(ParseError(Statement("'Effect':'Allow','Action':'dynamodb:*','Principal':'*'"), PolicyKind::kResource),
            "Policy statement must contain resources.");
  EXPECT_EQ(
      ParseError(
          "{'Statement':{'Sid':'with blanks','Effect':'Allow','Action':'dynamodb:*','Resource':'*','Principal':'*'}}",
          PolicyKind::kResource),
      "");
}

// Each document has the fault of its line and all those of the lines behind it.
TEST(PolicyDocument, TheFirstFaultInAwsOrderIsTold) {
  const std::string version = "'Version':'2012-10-17',";
  const auto document = [](const std::string& top, const std::string& statements) {
    return ParseError("{" + top + "'Statement':[" + statements + "]}");
  };
  const std::string vendor = "{'Effect':'Allow','Action':'a a:b','Resource':'*'},{'Effect':'Allow','Action':'a:b'}";
  const std::string resource = "{'Effect':'Allow','Action':'a:b','Resource':'x'}," + vendor;
  const std::string actions = resource + ",{'Effect':'Allow','Resource':'*'}";
  const std::string sids = actions + ",{'Sid':'A','Effect':'Allow'},{'Sid':'A','Effect':'Allow'}";
  const std::string legacy = sids + ",{'Effect':'allow'}";
  EXPECT_EQ(document("", legacy + ",{'Effect':7}"), kSyntax);
  EXPECT_EQ(document("", legacy), "Policy document must be version 2012-10-17 or greater.");
  EXPECT_EQ(document(version, legacy), kLegacy);
  EXPECT_EQ(document(version, sids), "Statement IDs (SID) in a single policy must be unique.");
  EXPECT_EQ(document(version, actions), "Policy statement must contain actions.");
  EXPECT_EQ(document(version, resource), "Resource x must be in ARN format or \"*\".");
  EXPECT_EQ(document(version, vendor), "Vendor a a is not valid");
}

}  // namespace
}  // namespace armature::policy
