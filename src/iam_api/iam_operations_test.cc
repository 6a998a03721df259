// The operations of IAM, as forms in and replies out: what replies carry, pages, who may call what.
#include "iam_api/iam_operations.h"

#include <gmock/gmock.h>

#include "base/tasks/heavy_lane.h"
#include "iam_api/calls_testing.h"
#include "iam_api/page.h"
#include "wire/query/iam.h"

namespace armature::iam_api {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

const std::string kGetItem = iam::Allow("dynamodb:GetItem");
const std::string kTrust = iam::Trust("arn:aws:iam::111122223333:root");

class IamOperationsTest : public CallsTest {
 protected:
  void AddRole(std::string_view name) {
    ASSERT_EQ(Try(fmt::format("Action=CreateRole&RoleName={}&AssumeRolePolicyDocument={}", name, Form(kTrust))), "ok");
  }
  // A managed policy; its ARN.
  std::string AddPolicy(std::string_view name, const std::string& document = kGetItem) {
    return Element(Call(fmt::format("Action=CreatePolicy&PolicyName={}&PolicyDocument={}", name, Form(document))),
                   "Arn");
  }
};

TEST_F(IamOperationsTest, EveryOperationOfTheSchemaIsThere) {
  for (const wire::QueryService& service : wire::QueryServices()) {
    if (service.name != "iam") continue;
    for (const wire::QueryOperationSchema& schema : wire::OperationsOf(service))
      EXPECT_TRUE(operations_.Has(schema)) << schema.name;
  }
}

// --- users and keys

TEST_F(IamOperationsTest, AUserIsMadeShownAndListed) {
  const std::string made = Call("Action=CreateUser&UserName=bob&Path=/team/&Tags.member.1.Key=k&Tags.member.1.Value=v");
  EXPECT_EQ(Element(made, "Arn"), "arn:aws:iam::111122223333:user/team/bob");
  EXPECT_THAT(Element(made, "UserId"), MatchesRegex("AIDA[A-Z2-7]{17}"));
  EXPECT_EQ(Element(made, "CreateDate"), "2023-11-14T22:13:20Z");
  EXPECT_THAT(made, HasSubstr("<Tags><member><Key>k</Key><Value>v</Value></member></Tags>"));
  EXPECT_THAT(made, Not(HasSubstr("PermissionsBoundary")));
  const std::string shown = Call("Action=GetUser&UserName=BOB");
  EXPECT_EQ(Element(shown, "UserName"), "bob");
  EXPECT_THAT(shown, HasSubstr("<Tags>"));
  const std::string listed = Call("Action=ListUsers");
  EXPECT_THAT(listed, HasSubstr("<IsTruncated>false</IsTruncated>"));
  EXPECT_THAT(listed, Not(HasSubstr("<Tags>"))) << "lists show no tags";
  EXPECT_THAT(listed, Not(HasSubstr("<Marker>")));
  EXPECT_EQ(Try("Action=CreateUser&UserName=Bob"), "EntityAlreadyExists: User with name Bob already exists.");
  EXPECT_EQ(Try("Action=GetUser&UserName=eve"), "NoSuchEntity: The user with name eve cannot be found.");
}

TEST_F(IamOperationsTest, AUserIsRenamedAndDeleted) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  EXPECT_EQ(Try("Action=UpdateUser&UserName=bob&NewUserName=rob&NewPath=/x/"), "ok");
  EXPECT_EQ(Element(Call("Action=GetUser&UserName=rob"), "Arn"), "arn:aws:iam::111122223333:user/x/rob");
  ASSERT_EQ(Try("Action=CreateAccessKey&UserName=rob"), "ok");
  EXPECT_EQ(Try("Action=DeleteUser&UserName=rob"),
            "DeleteConflict: Cannot delete entity, must delete access keys first.");
}

TEST_F(IamOperationsTest, ListsComeInPages) {
  for (int i = 0; i < 5; ++i) ASSERT_EQ(Try(fmt::format("Action=CreateUser&UserName=u{}", i)), "ok");
  const std::string first = Call("Action=ListUsers&MaxItems=2");
  EXPECT_THAT(first, HasSubstr("<UserName>u1</UserName>"));
  EXPECT_THAT(first, Not(HasSubstr("<UserName>u2</UserName>")));
  EXPECT_THAT(first, HasSubstr("<IsTruncated>true</IsTruncated>"));
  ASSERT_EQ(Try("Action=DeleteUser&UserName=u1"), "ok") << "what goes between two pages shifts nothing";
  const std::string second = Call("Action=ListUsers&MaxItems=2&Marker=" + Form(Element(first, "Marker")));
  EXPECT_THAT(second, HasSubstr("<UserName>u2</UserName>"));
  EXPECT_THAT(second, HasSubstr("<UserName>u3</UserName>"));
  const std::string third = Call("Action=ListUsers&MaxItems=2&Marker=" + Form(Element(second, "Marker")));
  EXPECT_THAT(third, HasSubstr("<UserName>u4</UserName>"));
  EXPECT_THAT(third, HasSubstr("<IsTruncated>false</IsTruncated>"));
  EXPECT_EQ(Try("Action=ListUsers&Marker=nonsense"), "ValidationError: Invalid Marker.");
  EXPECT_EQ(Try("Action=ListUsers&Marker=bm9uc2Vuc2U%3D"), "ValidationError: Invalid Marker.");
}

TEST_F(IamOperationsTest, PathsSelect) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=a&Path=/x/"), "ok");
  ASSERT_EQ(Try("Action=CreateUser&UserName=b&Path=/y/"), "ok");
  const std::string listed = Call("Action=ListUsers&PathPrefix=/y/");
  EXPECT_THAT(listed, HasSubstr("<UserName>b</UserName>"));
  EXPECT_THAT(listed, Not(HasSubstr("<UserName>a</UserName>")));
}

TEST_F(IamOperationsTest, AKeyIsShownOnceAndWorksAtOnce) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  const std::string made = Call("Action=CreateAccessKey&UserName=bob");
  const std::string id = Element(made, "AccessKeyId"), secret = Element(made, "SecretAccessKey");
  EXPECT_THAT(id, MatchesRegex("AKIA[A-Z2-7]{16}"));
  EXPECT_EQ(secret.size(), 40U);
  EXPECT_EQ(Element(made, "Status"), "Active");
  ASSERT_TRUE(Holder(id));
  EXPECT_EQ(Holder(id)->user_name, "bob");
  const std::string listed = Call("Action=ListAccessKeys&UserName=bob");
  EXPECT_EQ(Element(listed, "AccessKeyId"), id);
  EXPECT_THAT(listed, Not(HasSubstr(secret)));
  EXPECT_EQ(Try("Action=UpdateAccessKey&UserName=bob&Status=Inactive&AccessKeyId=" + id), "ok");
  EXPECT_EQ(Element(Call("Action=ListAccessKeys&UserName=bob"), "Status"), "Inactive");
  ASSERT_EQ(Try("Action=CreateAccessKey&UserName=bob"), "ok");
  EXPECT_EQ(Try("Action=CreateAccessKey&UserName=bob"), "LimitExceeded: Cannot exceed quota for AccessKeysPerUser: 2");
  EXPECT_EQ(Try("Action=DeleteAccessKey&UserName=bob&AccessKeyId=" + id), "ok");
  EXPECT_EQ(Try("Action=DeleteAccessKey&UserName=bob&AccessKeyId=" + id),
            "NoSuchEntity: The Access Key with id " + id + " cannot be found.");
}

TEST_F(IamOperationsTest, WithoutANameTheCallerIsMeant) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  ASSERT_EQ(Try("Action=PutUserPolicy&UserName=bob&PolicyName=all&PolicyDocument=" + Form(iam::Allow("iam:*"))), "ok");
  EXPECT_EQ(Element(Call("Action=GetUser", User("bob")), "UserName"), "bob");
  const std::string id = Element(Call("Action=CreateAccessKey", User("bob")), "AccessKeyId");
  EXPECT_EQ(Holder(id)->user_name, "bob");
  EXPECT_EQ(Element(Call("Action=GetUser"), "Arn"), "arn:aws:iam::111122223333:root");
  const std::string of_root = Element(Call("Action=CreateAccessKey"), "AccessKeyId");
  EXPECT_EQ(Holder(of_root)->kind, auth::PrincipalKind::kRoot);
}

TEST_F(IamOperationsTest, WhenAKeyWasLastUsed) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  const std::string id = Element(Call("Action=CreateAccessKey&UserName=bob"), "AccessKeyId");
  const std::string never = Call("Action=GetAccessKeyLastUsed&AccessKeyId=" + id);
  EXPECT_EQ(Element(never, "ServiceName"), "N/A");
  EXPECT_EQ(Element(never, "Region"), "N/A");
  EXPECT_EQ(Element(never, "UserName"), "bob");
  EXPECT_THAT(never, Not(HasSubstr("LastUsedDate")));
  usage_.Note(id, "dynamodb", "eu-north-1", clock_.NowMillis());
  const std::string used = Call("Action=GetAccessKeyLastUsed&AccessKeyId=" + id);
  EXPECT_EQ(Element(used, "ServiceName"), "dynamodb");
  EXPECT_EQ(Element(used, "Region"), "eu-north-1");
  EXPECT_EQ(Element(used, "LastUsedDate"), "2023-11-14T22:13:20Z");
}

// --- groups, roles

TEST_F(IamOperationsTest, GroupsAndWhoIsInThem) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  EXPECT_EQ(Element(Call("Action=CreateGroup&GroupName=g"), "Arn"), "arn:aws:iam::111122223333:group/g");
  EXPECT_EQ(Try("Action=AddUserToGroup&GroupName=g&UserName=bob"), "ok");
  EXPECT_EQ(Element(Call("Action=GetGroup&GroupName=g"), "UserName"), "bob");
  EXPECT_EQ(Element(Call("Action=ListGroupsForUser&UserName=bob"), "GroupName"), "g");
  EXPECT_EQ(Try("Action=DeleteGroup&GroupName=g"),
            "DeleteConflict: Cannot delete entity, must remove users from group first.");
  EXPECT_EQ(Try("Action=UpdateGroup&GroupName=g&NewGroupName=h"), "ok");
  EXPECT_EQ(Try("Action=RemoveUserFromGroup&GroupName=h&UserName=bob"), "ok");
  EXPECT_EQ(Try("Action=DeleteGroup&GroupName=h"), "ok");
  EXPECT_THAT(Call("Action=ListGroups"), HasSubstr("<Groups/>"));
}

TEST_F(IamOperationsTest, ARoleShowsWhatEachReplyCarries) {
  const std::string made = Call(
      "Action=CreateRole&RoleName=r&Description=d&MaxSessionDuration=7200&AssumeRolePolicyDocument=" + Form(kTrust));
  EXPECT_EQ(Element(made, "AssumeRolePolicyDocument"), Form(kTrust)) << "documents are percent-encoded";
  for (const char* const absent : {"MaxSessionDuration", "Description", "RoleLastUsed", "<Tags"})
    EXPECT_THAT(made, Not(HasSubstr(absent)));
  const std::string shown = Call("Action=GetRole&RoleName=r");
  EXPECT_EQ(Element(shown, "MaxSessionDuration"), "7200");
  EXPECT_EQ(Element(shown, "Description"), "d");
  EXPECT_THAT(shown, HasSubstr("<RoleLastUsed/>"));
  const std::string listed = Call("Action=ListRoles");
  EXPECT_EQ(Element(listed, "MaxSessionDuration"), "7200");
  EXPECT_THAT(listed, Not(HasSubstr("RoleLastUsed")));
  EXPECT_EQ(Try("Action=UpdateRole&RoleName=r&Description=e"), "ok");
  EXPECT_EQ(Element(Call("Action=UpdateRoleDescription&RoleName=r&Description=f"), "Description"), "f");
  const std::string other = iam::Trust("arn:aws:iam::444455556666:root");
  EXPECT_EQ(Try("Action=UpdateAssumeRolePolicy&RoleName=r&PolicyDocument=" + Form(other)), "ok");
  EXPECT_EQ(Element(Call("Action=GetRole&RoleName=r"), "AssumeRolePolicyDocument"), Form(other));
  EXPECT_EQ(Try("Action=DeleteRole&RoleName=r"), "ok");
}

TEST_F(IamOperationsTest, RolesOfServicesComeAndGo) {
  const std::string made = Call("Action=CreateServiceLinkedRole&AWSServiceName=replication.dynamodb.amazonaws.com");
  EXPECT_EQ(Element(made, "RoleName"), "AWSServiceRoleForDynamoDBReplication");
  EXPECT_EQ(Try("Action=DeleteRole&RoleName=AWSServiceRoleForDynamoDBReplication"),
            "UnmodifiableEntity: Cannot perform the operation on the protected role "
            "'AWSServiceRoleForDynamoDBReplication' - this role is only modifiable by AWS");
  const std::string task =
      Element(Call("Action=DeleteServiceLinkedRole&RoleName=AWSServiceRoleForDynamoDBReplication"), "DeletionTaskId");
  EXPECT_THAT(task, StartsWith("task/aws-service-role/replication.dynamodb.amazonaws.com/AWSServiceRole"));
  EXPECT_EQ(Element(Call("Action=GetServiceLinkedRoleDeletionStatus&DeletionTaskId=" + Form(task)), "Status"),
            "SUCCEEDED");
  EXPECT_THAT(Try("Action=GetServiceLinkedRoleDeletionStatus&DeletionTaskId=nonsense"), StartsWith("NoSuchEntity"));
}

// --- policies

TEST_F(IamOperationsTest, AManagedPolicyAndItsVersions) {
  const std::string made = Call("Action=CreatePolicy&PolicyName=p&Description=d&PolicyDocument=" + Form(kGetItem));
  EXPECT_EQ(Element(made, "DefaultVersionId"), "v1");
  EXPECT_EQ(Element(made, "AttachmentCount"), "0");
  EXPECT_EQ(Element(made, "IsAttachable"), "true");
  EXPECT_THAT(made, Not(HasSubstr("Description")));
  EXPECT_THAT(made, Not(HasSubstr("Tags")));
  const std::string arn = Element(made, "Arn");
  EXPECT_THAT(Call("Action=GetPolicy&PolicyArn=" + Form(arn)), HasSubstr("<Tags/>"));
  EXPECT_EQ(Element(Call("Action=GetPolicy&PolicyArn=" + Form(arn)), "Description"), "d");
  const std::string second = fmt::format("Action=CreatePolicyVersion&SetAsDefault=true&PolicyArn={}&PolicyDocument={}",
                                         Form(arn), Form(iam::Deny("*")));
  EXPECT_EQ(Element(Call(second), "VersionId"), "v2");
  const std::string shown = Call("Action=GetPolicyVersion&VersionId=v2&PolicyArn=" + Form(arn));
  EXPECT_EQ(Element(shown, "Document"), Form(iam::Deny("*")));
  EXPECT_EQ(Element(shown, "IsDefaultVersion"), "true");
  const std::string listed = Call("Action=ListPolicyVersions&PolicyArn=" + Form(arn));
  EXPECT_LT(listed.find("<VersionId>v2"), listed.find("<VersionId>v1"));
  EXPECT_THAT(listed, Not(HasSubstr("Document")));
  EXPECT_EQ(Try("Action=DeletePolicyVersion&VersionId=v2&PolicyArn=" + Form(arn)),
            "DeleteConflict: Cannot delete the default version of a policy.");
  EXPECT_EQ(Try("Action=SetDefaultPolicyVersion&VersionId=v1&PolicyArn=" + Form(arn)), "ok");
  EXPECT_EQ(Try("Action=DeletePolicyVersion&VersionId=v2&PolicyArn=" + Form(arn)), "ok");
  EXPECT_EQ(Try("Action=DeletePolicy&PolicyArn=" + Form(arn)), "ok");
  EXPECT_EQ(Try("Action=GetPolicy&PolicyArn=" + Form(arn)), "NoSuchEntity: Policy " + arn + " was not found.");
  EXPECT_EQ(Try("Action=GetPolicy&PolicyArn=" + Form("this is no arn at all")),
            "ValidationError: Invalid ARN:  Could not be parsed!");
}

TEST_F(IamOperationsTest, PoliciesAreAttachedCountedAndListed) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  AddRole("r");
  const std::string arn = AddPolicy("p");
  EXPECT_EQ(Try("Action=AttachUserPolicy&UserName=bob&PolicyArn=" + Form(arn)), "ok");
  EXPECT_EQ(Try("Action=AttachUserPolicy&UserName=bob&PolicyArn=" + Form(arn)), "ok") << "again";
  EXPECT_EQ(Try("Action=PutRolePermissionsBoundary&RoleName=r&PermissionsBoundary=" + Form(arn)), "ok");
  const std::string shown = Call("Action=GetPolicy&PolicyArn=" + Form(arn));
  EXPECT_EQ(Element(shown, "AttachmentCount"), "1");
  EXPECT_EQ(Element(shown, "PermissionsBoundaryUsageCount"), "1");
  EXPECT_EQ(Element(Call("Action=ListAttachedUserPolicies&UserName=bob"), "PolicyArn"), arn);
  const std::string who = Call("Action=ListEntitiesForPolicy&PolicyArn=" + Form(arn));
  EXPECT_EQ(Element(who, "UserName"), "bob");
  EXPECT_EQ(Element(who, "RoleName"), "r");
  EXPECT_THAT(
      Call("Action=ListEntitiesForPolicy&EntityFilter=Role&PolicyUsageFilter=PermissionsPolicy&PolicyArn=" + Form(arn)),
      HasSubstr("<PolicyRoles/>"));
  const std::string attached = Call("Action=ListPolicies&OnlyAttached=true&Scope=Local");
  EXPECT_EQ(Element(attached, "PolicyName"), "p");
  EXPECT_THAT(Call("Action=ListPolicies&Scope=AWS&MaxItems=1000"),
              HasSubstr("<Arn>arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess</Arn>"));
  EXPECT_EQ(Try("Action=DeletePolicy&PolicyArn=" + Form(arn)),
            "DeleteConflict: Cannot delete a policy attached to entities.");
  EXPECT_EQ(Try("Action=DetachUserPolicy&UserName=bob&PolicyArn=" + Form(arn)), "ok");
  EXPECT_EQ(Try("Action=DetachUserPolicy&UserName=bob&PolicyArn=" + Form(arn)),
            "NoSuchEntity: Policy " + arn + " was not found.");
  EXPECT_EQ(Element(Call("Action=GetRole&RoleName=r"), "PermissionsBoundaryArn"), arn);
  EXPECT_EQ(Try("Action=DeleteRolePermissionsBoundary&RoleName=r"), "ok");
}

TEST_F(IamOperationsTest, PoliciesInsideTheirHolders) {
  ASSERT_EQ(Try("Action=CreateGroup&GroupName=g"), "ok");
  const std::string document =
      "{ \"Version\":\"2012-10-17\",\n \"Statement\": {\"Effect\":\"Allow\",\"Action\":\"*\",\"Resource\":\"100%\"} }";
  EXPECT_THAT(Try("Action=PutGroupPolicy&GroupName=g&PolicyName=p&PolicyDocument=" + Form(document)),
              StartsWith("MalformedPolicyDocument"));
  EXPECT_EQ(Try("Action=PutGroupPolicy&GroupName=g&PolicyName=p&PolicyDocument=" + Form(kGetItem)), "ok");
  const std::string shown = Call("Action=GetGroupPolicy&GroupName=g&PolicyName=p");
  EXPECT_EQ(Element(shown, "PolicyDocument"), Form(kGetItem));
  EXPECT_EQ(Element(shown, "GroupName"), "g");
  EXPECT_THAT(Call("Action=ListGroupPolicies&GroupName=g"), HasSubstr("<PolicyNames><member>p</member></PolicyNames>"));
  EXPECT_EQ(Try("Action=DeleteGroupPolicy&GroupName=g&PolicyName=p"), "ok");
  EXPECT_EQ(Try("Action=DeleteGroupPolicy&GroupName=g&PolicyName=p"),
            "NoSuchEntity: The group policy with name p cannot be found.");
}

TEST_F(IamOperationsTest, Tags) {
  AddRole("r");
  EXPECT_EQ(Try("Action=TagRole&RoleName=r&Tags.member.1.Key=B&Tags.member.1.Value=1&Tags.member.2.Key=A&Tags.member.2."
                "Value=2"),
            "ok");
  const std::string listed = Call("Action=ListRoleTags&RoleName=r&MaxItems=1");
  EXPECT_EQ(Element(listed, "Key"), "A");
  EXPECT_EQ(Element(listed, "IsTruncated"), "true");
  EXPECT_EQ(Try("Action=UntagRole&RoleName=r&TagKeys.member.1=a&TagKeys.member.2=zzz"), "ok");
  EXPECT_EQ(Element(Call("Action=ListRoleTags&RoleName=r"), "Key"), "B");
  const std::string arn = AddPolicy("p");
  EXPECT_EQ(Try("Action=TagPolicy&Tags.member.1.Key=k&Tags.member.1.Value=v&PolicyArn=" + Form(arn)), "ok");
  EXPECT_EQ(Element(Call("Action=ListPolicyTags&PolicyArn=" + Form(arn)), "Value"), "v");
}

TEST_F(IamOperationsTest, Providers) {
  const std::string arn =
      Element(Call("Action=CreateOpenIDConnectProvider&Url=https://i.example/a&ClientIDList.member.1=app"),
              "OpenIDConnectProviderArn");
  EXPECT_EQ(arn, "arn:aws:iam::111122223333:oidc-provider/i.example/a");
  const std::string by_arn = "&OpenIDConnectProviderArn=" + Form(arn);
  EXPECT_EQ(Try("Action=AddClientIDToOpenIDConnectProvider&ClientID=web" + by_arn), "ok");
  EXPECT_EQ(Try("Action=RemoveClientIDFromOpenIDConnectProvider&ClientID=app" + by_arn), "ok");
  const std::string shown = Call("Action=GetOpenIDConnectProvider" + by_arn);
  EXPECT_EQ(Element(shown, "Url"), "i.example/a");
  EXPECT_THAT(shown, HasSubstr("<ClientIDList><member>web</member></ClientIDList>"));
  EXPECT_EQ(Element(Call("Action=ListOpenIDConnectProviders"), "Arn"), arn);
  EXPECT_EQ(Try("Action=DeleteOpenIDConnectProvider" + by_arn), "ok");
  EXPECT_THAT(Try("Action=GetOpenIDConnectProvider" + by_arn), StartsWith("NoSuchEntity"));
}

TEST_F(IamOperationsTest, TheAccountAsAWhole) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  ASSERT_EQ(Try("Action=AttachUserPolicy&UserName=bob&PolicyArn=" + Form(iam::kAdministratorAccess)), "ok");
  AddRole("r");
  AddPolicy("p");
  EXPECT_EQ(Try("Action=CreateAccountAlias&AccountAlias=acme"), "ok");
  EXPECT_THAT(Call("Action=ListAccountAliases"), HasSubstr("<member>acme</member>"));
  EXPECT_THAT(Call("Action=GetAccountSummary"), HasSubstr("<entry><key>Users</key><value>1</value></entry>"));
  const std::string details = Call("Action=GetAccountAuthorizationDetails");
  EXPECT_EQ(Element(details, "UserName"), "bob");
  EXPECT_EQ(Element(details, "RoleName"), "r");
  EXPECT_THAT(details, HasSubstr("<GroupDetailList/>"));
  EXPECT_THAT(details, HasSubstr("<PolicyName>p</PolicyName>"));
  EXPECT_THAT(details, HasSubstr("<Arn>arn:aws:iam::aws:policy/AdministratorAccess</Arn>"));
  EXPECT_THAT(details, Not(HasSubstr("AmazonDynamoDBFullAccess"))) << "nobody has it";
  const std::string roles = Call("Action=GetAccountAuthorizationDetails&Filter.member.1=Role");
  EXPECT_THAT(roles, HasSubstr("<UserDetailList/>"));
  EXPECT_EQ(Element(roles, "RoleName"), "r");
  EXPECT_EQ(Try("Action=DeleteAccountAlias&AccountAlias=acme"), "ok");
}

// --- simulations

TEST_F(IamOperationsTest, PoliciesAreSimulated) {
  const std::string arn = "arn:aws:dynamodb:us-east-1:111122223333:table/T";
  const std::string result =
      Call(fmt::format("Action=SimulateCustomPolicy&PolicyInputList.member.1={}&PolicyInputList.member.2={}"
                       "&ActionNames.member.1=dynamodb:GetItem&ActionNames.member.2=dynamodb:PutItem"
                       "&ActionNames.member.3=dynamodb:Scan&ResourceArns.member.1={}",
                       Form(kGetItem), Form(iam::Deny("dynamodb:Put*")), Form(arn)));
  EXPECT_THAT(result,
              HasSubstr("<EvalActionName>dynamodb:GetItem</EvalActionName><EvalDecision>allowed</EvalDecision>"));
  EXPECT_THAT(result,
              HasSubstr("<EvalActionName>dynamodb:PutItem</EvalActionName><EvalDecision>explicitDeny</EvalDecision>"));
  EXPECT_THAT(result,
              HasSubstr("<EvalActionName>dynamodb:Scan</EvalActionName><EvalDecision>implicitDeny</EvalDecision>"));
  EXPECT_THAT(result, HasSubstr("<SourcePolicyId>PolicyInputList.2</SourcePolicyId>"));
  EXPECT_EQ(Element(Element(result, "StartPosition"), "Line"), "1");
  EXPECT_THAT(Try("Action=SimulateCustomPolicy&PolicyInputList.member.1=x&ActionNames.member.1=a:b"),
              StartsWith("InvalidInput"));
}

TEST_F(IamOperationsTest, APrincipalIsSimulatedWithAllThatBindsHim) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  ASSERT_EQ(Try("Action=CreateGroup&GroupName=g"), "ok");
  ASSERT_EQ(Try("Action=AddUserToGroup&GroupName=g&UserName=bob"), "ok");
  ASSERT_EQ(Try("Action=PutGroupPolicy&GroupName=g&PolicyName=p&PolicyDocument=" + Form(iam::Allow("dynamodb:*"))),
            "ok");
  const std::string form = "Action=SimulatePrincipalPolicy&ActionNames.member.1=dynamodb:PutItem&PolicySourceArn=" +
                           Form("arn:aws:iam::111122223333:user/bob");
  EXPECT_EQ(Element(Call(form), "EvalDecision"), "allowed");
  EXPECT_EQ(Element(Call(form), "SourcePolicyId"), "group_g_p");
  const std::string boundary = AddPolicy("b");
  ASSERT_EQ(Try("Action=PutUserPermissionsBoundary&UserName=bob&PermissionsBoundary=" + Form(boundary)), "ok");
  const std::string bounded = Call(form);
  EXPECT_EQ(Element(bounded, "EvalDecision"), "implicitDeny");
  EXPECT_EQ(Element(bounded, "AllowedByPermissionsBoundary"), "false");
  EXPECT_THAT(Try("Action=SimulatePrincipalPolicy&ActionNames.member.1=a:b&PolicySourceArn=" +
                  Form("arn:aws:iam::111122223333:user/eve")),
              StartsWith("NoSuchEntity"));
}

TEST_F(IamOperationsTest, ConditionsAreSimulatedWithTheKeysThatAreGiven) {
  const std::string policy =
      R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"dynamodb:*","Resource":"*","Condition":)"
      R"({"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["bob"]},"Null":{"dynamodb:LeadingKeys":"false"}}}]})";
  const std::string form =
      "Action=SimulateCustomPolicy&ActionNames.member.1=dynamodb:GetItem&PolicyInputList.member.1=" + Form(policy);
  const std::string without = Call(form);
  EXPECT_EQ(Element(without, "EvalDecision"), "implicitDeny");
  EXPECT_THAT(Element(without, "MissingContextValues"), HasSubstr("dynamodb:LeadingKeys"));
  const std::string entry =
      "&ContextEntries.member.1.ContextKeyName=dynamodb:LeadingKeys&ContextEntries.member.1.ContextKeyType=stringList"
      "&ContextEntries.member.1.ContextKeyValues.member.1=";
  EXPECT_EQ(Element(Call(form + entry + "bob"), "EvalDecision"), "allowed");
  EXPECT_EQ(Element(Call(form + entry + "eve"), "EvalDecision"), "implicitDeny");
  EXPECT_THAT(Call("Action=GetContextKeysForCustomPolicy&PolicyInputList.member.1=" + Form(policy)),
              HasSubstr("<member>dynamodb:LeadingKeys</member>"));
}

// So many statements that match everything, in as few characters as possible.
std::string ManyStatements(size_t number) {
  std::string text = R"({"Version":"2012-10-17","Statement":[)";
  for (size_t i = 0; i < number; ++i)
    text += (i == 0 ? "" : ",") + std::string(R"({"Effect":"Allow","Action":"*","Resource":"*"})");
  return text + "]}";
}

size_t CountOf(std::string_view text, std::string_view part) {
  size_t number = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++number;
  return number;
}

TEST_F(IamOperationsTest, APageOfASimulationEndsWhenItHasBecomeLong) {
  std::string form = "Action=SimulateCustomPolicy&PolicyInputList.member.1=" + Form(ManyStatements(1000));
  for (int i = 1; i <= 40; ++i) form += fmt::format("&ActionNames.member.{}=a:b{}", i, i);
  size_t results = 0, pages = 0;
  for (std::string marker; pages < 40; ++pages) {
    const std::string page = Call(form + (marker.empty() ? "" : "&Marker=" + Form(marker)));
    EXPECT_LT(page.size(), size_t{2} << 20);
    EXPECT_THAT(page, HasSubstr(fmt::format("<EvalActionName>a:b{}</EvalActionName>", results + 1)));
    results += CountOf(page, "<EvalActionName>");
    EXPECT_EQ(CountOf(page, "<StartPosition>"), CountOf(page, "<EvalActionName>") * 1000);
    marker = Element(page, "Marker");
    EXPECT_EQ(Element(page, "IsTruncated"), marker.empty() ? "false" : "true");
    if (marker.empty()) break;
  }
  EXPECT_EQ(results, 40u);
  EXPECT_GT(pages, 4u);
}

TEST_F(IamOperationsTest, OthersGoFirstWhileASimulationRuns) {
  std::string form = "Action=SimulateCustomPolicy&PolicyInputList.member.1=" + Form(kGetItem);
  for (int i = 1; i <= 100; ++i) form += fmt::format("&ActionNames.member.{}=a:b{}", i, i);
  std::string reply;
  size_t turns = 0;
  executor_.Start([](auto& test, std::string sent, std::string& out) -> Task<void> {
    out = co_await test.Answer(sent, test.Root());
  }(*this, form, reply));
  executor_.Start([](const std::string& out, size_t& count) -> Task<void> {
    for (; out.empty(); ++count) co_await HeavyLane::Yield();
  }(reply, turns));
  executor_.RunQueued();
  EXPECT_EQ(CountOf(reply, "<EvalActionName>"), 100u);
  EXPECT_GE(turns, 99u);
}

TEST_F(IamOperationsTest, AMarkerOfASimulationIsAPlaceAndNotAWay) {
  // Millions of pairs: nobody goes over them up to the marker.
  std::string form = "Action=SimulateCustomPolicy&PolicyInputList.member.1=" + Form(kGetItem);
  for (int i = 1; i <= 4990; ++i) form += fmt::format("&ActionNames.member.{0}=a:{0}&ResourceArns.member.{0}=*", i);
  const std::string last = Call(form + "&Marker=" + Form(Page::MarkerOf("24900099")));
  EXPECT_THAT(last, HasSubstr("<EvalActionName>a:4990</EvalActionName>"));
  EXPECT_EQ(Element(last, "IsTruncated"), "false");
  const std::string beyond = Call(form + "&Marker=" + Form(Page::MarkerOf("18446744073709551615")));
  EXPECT_EQ(CountOf(beyond, "<EvalActionName>"), 0u);
  EXPECT_EQ(Element(beyond, "IsTruncated"), "false");
  for (const char* const key : {"", "-1", "1x", "18446744073709551616"})
    EXPECT_EQ(Call(form + "&Marker=" + Form(Page::MarkerOf(key))), "ValidationError: Invalid Marker.") << key;
}

TEST_F(IamOperationsTest, WhatASimulationIsGivenIsBounded) {
  const std::string policy = ManyStatements(2500);  // nearly as long as a policy can be
  std::string form = "Action=SimulateCustomPolicy&ActionNames.member.1=a:b";
  for (int i = 1; i <= 3; ++i) form += fmt::format("&PolicyInputList.member.{}={}", i, Form(policy));
  EXPECT_THAT(Try(form), StartsWith("InvalidInput: The policies of a simulation can have 262144"));
  EXPECT_THAT(Try("Action=GetContextKeysForCustomPolicy" + form.substr(form.find('&'))), StartsWith("InvalidInput"));
  form =
      "Action=SimulateCustomPolicy&ActionNames.member.1=a:b&ContextEntries.member.1.ContextKeyName=aws:username"
      "&PolicyInputList.member.1=" +
      Form(kGetItem);
  for (int i = 1; i <= 257; ++i) form += fmt::format("&ContextEntries.member.1.ContextKeyValues.member.{}=v", i);
  EXPECT_THAT(Try(form), StartsWith("InvalidInput: ContextEntries can have 256 values"));
}

// --- who may

TEST_F(IamOperationsTest, WhoMayNotIsToldWhyAndNothingElse) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob&Path=/team/"), "ok");
  const std::string denied =
      "AccessDenied: User: arn:aws:iam::111122223333:user/team/bob is not authorized to perform: iam:GetUser on "
      "resource: "
      "arn:aws:iam::111122223333:user/eve because no identity-based policy allows the iam:GetUser action";
  EXPECT_EQ(Try("Action=GetUser&UserName=eve", User("bob")), denied);
  ASSERT_EQ(Try("Action=CreateUser&UserName=eve"), "ok");
  EXPECT_EQ(Try("Action=GetUser&UserName=eve", User("bob")), denied) << "whether there is an eve or not";
}

TEST_F(IamOperationsTest, RightsAreGrantedOnTheEntitysArn) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob&Path=/team/"), "ok");
  ASSERT_EQ(Try("Action=CreateUser&UserName=eve"), "ok");
  const std::string own_keys =
      R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"iam:*AccessKey*","Resource":)"
      R"("arn:aws:iam::111122223333:user/team/${aws:username}"}]})";
  ASSERT_EQ(Try("Action=PutUserPolicy&UserName=bob&PolicyName=own&PolicyDocument=" + Form(own_keys)), "ok");
  EXPECT_EQ(Try("Action=CreateAccessKey", User("bob")), "ok");
  EXPECT_EQ(Try("Action=CreateAccessKey&UserName=BOB", User("bob")), "ok");
  EXPECT_THAT(Try("Action=CreateAccessKey&UserName=eve", User("bob")), StartsWith("AccessDenied"));
  EXPECT_THAT(Try("Action=ListUsers", User("bob")), StartsWith("AccessDenied"));
}

TEST_F(IamOperationsTest, ConditionKeysOfIamsOwnCallsCount) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  ASSERT_EQ(Try("Action=CreateUser&UserName=eve&Tags.member.1.Key=team&Tags.member.1.Value=red"), "ok");
  const std::string policy =
      R"({"Version":"2012-10-17","Statement":[)"
      R"({"Effect":"Allow","Action":"iam:AttachUserPolicy","Resource":"*","Condition":{"ArnEquals":{"iam:PolicyARN":"arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess"}}},)"
      R"({"Effect":"Allow","Action":"iam:GetUser","Resource":"*","Condition":{"StringEquals":{"aws:ResourceTag/team":"red"}}},)"
      R"({"Effect":"Allow","Action":"iam:TagUser","Resource":"*","Condition":{"ForAllValues:StringEquals":{"aws:TagKeys":["team"]},"StringEquals":{"aws:RequestTag/team":["red","blue"]}}}]})";
  ASSERT_EQ(Try("Action=PutUserPolicy&UserName=bob&PolicyName=p&PolicyDocument=" + Form(policy)), "ok");
  const Who bob = User("bob");
  EXPECT_EQ(
      Try("Action=AttachUserPolicy&UserName=eve&PolicyArn=arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess", bob),
      "ok");
  EXPECT_THAT(Try("Action=AttachUserPolicy&UserName=eve&PolicyArn=arn:aws:iam::aws:policy/AdministratorAccess", bob),
              StartsWith("AccessDenied"));
  EXPECT_EQ(Try("Action=GetUser&UserName=eve", bob), "ok");
  EXPECT_THAT(Try("Action=GetUser&UserName=bob", bob), StartsWith("AccessDenied"));
  EXPECT_EQ(Try("Action=TagUser&UserName=eve&Tags.member.1.Key=team&Tags.member.1.Value=blue", bob), "ok");
  EXPECT_THAT(Try("Action=TagUser&UserName=eve&Tags.member.1.Key=other&Tags.member.1.Value=blue", bob),
              StartsWith("AccessDenied"));
  EXPECT_THAT(Try("Action=TagUser&UserName=eve&Tags.member.1.Key=team&Tags.member.1.Value=green", bob),
              StartsWith("AccessDenied"));
}

TEST_F(IamOperationsTest, BoundariesAndServicesAreKnownToConditions) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  const std::string boundary = AddPolicy("boundary"), other = AddPolicy("other");
  const std::string policy =
      R"({"Version":"2012-10-17","Statement":[)"
      R"({"Effect":"Allow","Action":["iam:CreateUser","iam:PutUserPolicy"],"Resource":"*","Condition":)" +
      fmt::format(R"({{"StringEquals":{{"iam:PermissionsBoundary":"{}"}}}}}},)", boundary) +
      R"({"Effect":"Allow","Action":"iam:CreateServiceLinkedRole","Resource":"*","Condition":)"
      R"({"StringEquals":{"iam:AWSServiceName":"replication.dynamodb.amazonaws.com"}}}]})";
  ASSERT_EQ(Try("Action=PutUserPolicy&UserName=bob&PolicyName=p&PolicyDocument=" + Form(policy)), "ok");
  const Who bob = User("bob");
  EXPECT_THAT(Try("Action=CreateUser&UserName=eve", bob), StartsWith("AccessDenied"));
  EXPECT_THAT(Try("Action=CreateUser&UserName=eve&PermissionsBoundary=" + Form(other), bob),
              StartsWith("AccessDenied"));
  EXPECT_EQ(Try("Action=CreateUser&UserName=eve&PermissionsBoundary=" + Form(boundary), bob), "ok");
  const std::string give = "&PolicyName=p&PolicyDocument=" + Form(kGetItem);
  EXPECT_EQ(Try("Action=PutUserPolicy&UserName=eve" + give, bob), "ok") << "that of whom the call is about";
  EXPECT_THAT(Try("Action=PutUserPolicy&UserName=bob" + give, bob), StartsWith("AccessDenied"));
  EXPECT_EQ(Try("Action=CreateServiceLinkedRole&AWSServiceName=replication.dynamodb.amazonaws.com", bob), "ok");
  EXPECT_THAT(Try("Action=CreateServiceLinkedRole&AWSServiceName=dax.amazonaws.com", bob), StartsWith("AccessDenied"));
}

TEST_F(IamOperationsTest, AProviderIsAskedAboutByTheNameItWillHave) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  const std::string policy =
      R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"iam:*","Resource":"*"},)"
      R"({"Effect":"Deny","Action":"iam:*","Resource":"arn:aws:iam::111122223333:oidc-provider/i.example"}]})";
  ASSERT_EQ(Try("Action=PutUserPolicy&UserName=bob&PolicyName=p&PolicyDocument=" + Form(policy)), "ok");
  for (const char* const url : {"https://i.example", "https://i.example/"})
    EXPECT_THAT(Try(fmt::format("Action=CreateOpenIDConnectProvider&Url={}", url), User("bob")),
                StartsWith("AccessDenied"))
        << url;
}

TEST_F(IamOperationsTest, TheFirstPrincipalIsOneWhoCanSign) {
  is_unproven_ = true;
  for (const std::string& form : {std::string("Action=CreateUser&UserName=bob"),
                                  "Action=CreateRole&RoleName=r&AssumeRolePolicyDocument=" + Form(kTrust),
                                  std::string("Action=CreateServiceLinkedRole&AWSServiceName=dax.amazonaws.com")})
    EXPECT_THAT(Try(form), StartsWith("InvalidInput: There are no principals yet")) << form;
  EXPECT_TRUE(directory_->is_untouched());
  EXPECT_EQ(Try("Action=CreateAccessKey"), "ok");
  EXPECT_FALSE(directory_->is_untouched());
  EXPECT_EQ(Try("Action=CreateUser&UserName=bob"), "ok") << "whose call was under way";
}

// What tools ask before they delete a user or a role.
TEST_F(IamOperationsTest, OfWhatThereIsNotThereIsNone) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  AddRole("r");
  const std::pair<const char*, const char*> lists[] = {
      {"ListMFADevices", "MFADevices"},
      {"ListSigningCertificates", "Certificates"},
      {"ListSSHPublicKeys", "SSHPublicKeys"},
      {"ListServiceSpecificCredentials", "ServiceSpecificCredentials"}};
  for (const auto& [action, list] : lists) {
    const std::string reply = Call(fmt::format("Action={}&UserName=bob", action));
    EXPECT_THAT(reply, HasSubstr(fmt::format("<{}/>", list))) << action;
    EXPECT_EQ(Try(fmt::format("Action={}", action), User("bob")).substr(0, 12), "AccessDenied") << action;
    EXPECT_EQ(Try(fmt::format("Action={}&UserName=eve", action)),
              "NoSuchEntity: The user with name eve cannot be found.");
    EXPECT_EQ(Element(reply, "IsTruncated"), "false") << action;
  }
  EXPECT_THAT(Call("Action=ListVirtualMFADevices"), HasSubstr("<VirtualMFADevices/>"));
  EXPECT_THAT(Call("Action=ListInstanceProfilesForRole&RoleName=r"), HasSubstr("<InstanceProfiles/>"));
  EXPECT_EQ(Try("Action=ListInstanceProfilesForRole&RoleName=none"),
            "NoSuchEntity: The role with name none cannot be found.");
  for (const char* const action : {"GetLoginProfile", "DeleteLoginProfile"}) {
    EXPECT_EQ(Try(fmt::format("Action={}&UserName=bob", action)),
              "NoSuchEntity: Login Profile for User bob cannot be found.");
    EXPECT_THAT(Try(fmt::format("Action={}&UserName=bob", action), User("bob")), StartsWith("AccessDenied"));
  }
}

TEST_F(IamOperationsTest, AccountsStandSideBySide) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  EXPECT_EQ(Try("Action=CreateUser&UserName=bob", Root(iam::kOtherAccount)), "ok");
  EXPECT_EQ(Element(Call("Action=GetUser&UserName=bob", Root(iam::kOtherAccount)), "Arn"),
            "arn:aws:iam::444455556666:user/bob");
  const std::string arn = AddPolicy("p");
  EXPECT_THAT(Try("Action=GetPolicy&PolicyArn=" + Form(arn), Root(iam::kOtherAccount)), StartsWith("NoSuchEntity"));
}

TEST_F(IamOperationsTest, WhatIsAcknowledgedSurvivesACrash) {
  ASSERT_EQ(Try("Action=CreateUser&UserName=bob"), "ok");
  Crash();
  ASSERT_EQ(Restart(), "ok");
  EXPECT_TRUE(FindUser("bob"));
}

}  // namespace
}  // namespace armature::iam_api
