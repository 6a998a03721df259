// Forms as clients send them, decoded into the generated requests, and what is told of those that do not fit.
#include "wire/query/form.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "wire/query/form_decode.h"
#include "wire/query/iam.h"
#include "wire/query/sts.h"
#include "wire/validate.h"

namespace armature::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Decodes a body; the request lives as long as this.
template <class Input>
class Form {
 public:
  explicit Form(std::string body, std::string query = {}) : body_(std::move(body)), query_(std::move(query)) {
    const auto input = Decode();
    if (input) input_ = *input;
    else fault_ = input.error().name + ": " + input.error().message;
  }

  const Input& operator*() const { return *input_; }
  const Input* operator->() const { return input_; }
  bool ok() const { return input_ != nullptr; }
  // "Code: message", or empty.
  const std::string& fault() const { return fault_; }

 private:
  model::ApiResult<const Input*> Decode() {
    ARMATURE_TRY(const FormParameters form, FormParameters::Parse(query_, body_, arena_));
    return DecodeFormAs<Input>(form, arena_);
  }

  Arena arena_;
  std::string body_, query_;
  const Input* input_ = nullptr;
  std::string fault_;
};

std::vector<std::string_view> Texts(const List<std::string_view>& list) { return {list.begin(), list.end()}; }

std::string Names(std::string_view query, std::string_view body) {
  Arena arena;
  const auto form = FormParameters::Parse(query, body, arena);
  if (!form) return form.error().name;
  std::string out;
  for (const FormParameter& parameter : form->all()) out += fmt::format("{}={};", parameter.name, parameter.value);
  return out;
}

// --- forms

TEST(FormParameters, DecodesPercentSignsAndPlus) {
  EXPECT_EQ(Names("", "A=a%20b+c%2Bd&B%2e1=%C3%A9"), "A=a b c+d;B.1=é;");
}

TEST(FormParameters, APairMayLackItsValueAndTheFormItsPairs) {
  EXPECT_EQ(Names("", "A&B=&&C=x=y&=z&"), "=z;A=;B=;C=x=y;");
  EXPECT_EQ(Names("", ""), "");
  EXPECT_EQ(Names("", "&&&"), "");
}

TEST(FormParameters, TheQueryStringCountsBeforeTheBody) {
  EXPECT_EQ(Names("Action=A&Version=1", "Action=B&X=1"), "Action=A;Action=B;Version=1;X=1;");
}

TEST(FormParameters, WhatBelongsTogetherStandsTogether) {
  EXPECT_EQ(Names("", "T-x=1&T.member.1=2&T=3&T.member.1.K=4&T!=5"), "T=3;T.member.1=2;T.member.1.K=4;T!=5;T-x=1;");
}

TEST(FormParameters, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(Names("", "A=%ff%41"),
            "A=\xEF\xBF\xBD"
            "A;");
}

TEST(FormParameters, AreBounded) {
  EXPECT_EQ(Names("", "A=" + std::string(kMaxFormBytes, 'x')), "RequestEntityTooLarge");
  std::string many;
  for (size_t i = 0; i < kMaxFormParameters; ++i) many += "a&";
  EXPECT_NE(Names("", many), "MalformedInput");
  EXPECT_EQ(Names("b", many), "MalformedInput");
}

TEST(FormParameters, OneIsFoundWithoutReadingTheRest) {
  EXPECT_EQ(FindInForm("X=1&Action=ListUsers&Action=B", "Action").value, "ListUsers");
  EXPECT_EQ(FindInForm("%41ction=List%55sers", "Action").value, "ListUsers");
  EXPECT_TRUE(FindInForm("Action", "Action").found);
  EXPECT_FALSE(FindInForm("Actions=x&action=y&Actio=z", "Action").found);
}

// --- members

TEST(FormDecode, MembersAreAbsentOrPresentEvenIfEmpty) {
  const Form<iam::UpdateRoleInput> form("Action=UpdateRole&RoleName=R&Description=");
  ASSERT_TRUE(form.ok()) << form.fault();
  EXPECT_EQ(*form->RoleName, "R");
  EXPECT_TRUE(form->Description);
  EXPECT_EQ(*form->Description, "");
  EXPECT_FALSE(form->MaxSessionDuration);
}

TEST(FormDecode, ListsOfStructuresAndOfTexts) {
  const Form<iam::CreateUserInput> user(
      "UserName=bob&Tags.member.1.Key=team&Tags.member.1.Value=a+b&Tags.member.2.Value=&Tags.member.2.Key=x");
  ASSERT_TRUE(user.ok()) << user.fault();
  ASSERT_EQ(user->Tags.size(), 2u);
  EXPECT_EQ(*user->Tags[0].Key, "team");
  EXPECT_EQ(*user->Tags[0].Value, "a b");
  EXPECT_EQ(*user->Tags[1].Key, "x");
  EXPECT_TRUE(user->Tags[1].Value);

  const Form<iam::UntagUserInput> untag("UserName=bob&TagKeys.member.1=a&TagKeys.member.2=b");
  ASSERT_TRUE(untag.ok()) << untag.fault();
  EXPECT_THAT(Texts(untag->TagKeys), ElementsAre("a", "b"));
}

TEST(FormDecode, ListsStandInTheOrderOfTheirNumbers) {
  std::string body = "UserName=bob";
  for (int i = 12; i >= 1; --i) body += fmt::format("&TagKeys.member.{}=k{}", i * 3, i);
  const Form<iam::UntagUserInput> form(body);
  ASSERT_TRUE(form.ok()) << form.fault();
  EXPECT_THAT(Texts(form->TagKeys),
              ElementsAre("k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10", "k11", "k12"));
  const Form<iam::UntagUserInput> twice("UserName=bob&TagKeys.member.1=a&TagKeys.member.01=b&TagKeys.member.1=c");
  ASSERT_TRUE(twice.ok()) << twice.fault();
  EXPECT_EQ(twice->TagKeys.size(), 1u);
}

TEST(FormDecode, NestedListsAndStructures) {
  const Form<iam::SimulateCustomPolicyInput> form(
      "PolicyInputList.member.1=%7B%7D&ActionNames.member.1=dynamodb%3AGetItem"
      "&ContextEntries.member.1.ContextKeyName=aws%3Ausername&ContextEntries.member.1.ContextKeyType=string"
      "&ContextEntries.member.1.ContextKeyValues.member.1=bob&ContextEntries.member.1.ContextKeyValues.member.2=eve");
  ASSERT_TRUE(form.ok()) << form.fault();
  EXPECT_THAT(Texts(form->PolicyInputList), ElementsAre("{}"));
  ASSERT_EQ(form->ContextEntries.size(), 1u);
  EXPECT_EQ(*form->ContextEntries[0].ContextKeyName, "aws:username");
  EXPECT_THAT(Texts(form->ContextEntries[0].ContextKeyValues), ElementsAre("bob", "eve"));
}

TEST(FormDecode, AnEmptyListIsNotAnAbsentOne) {
  const Form<iam::TagUserInput> empty("UserName=bob&Tags=");
  ASSERT_TRUE(empty.ok()) << empty.fault();
  EXPECT_TRUE(empty->Tags);
  EXPECT_TRUE(empty->Tags.empty());
  EXPECT_EQ(Form<iam::TagUserInput>("UserName=bob").fault(),
            "ValidationError: 1 validation error detected: Value null at 'tags' failed to satisfy constraint: Member "
            "must not be null");
}

TEST(FormDecode, NumbersAndTruthValues) {
  const Form<iam::ListPoliciesInput> form("MaxItems=10&OnlyAttached=true&Scope=Local");
  ASSERT_TRUE(form.ok()) << form.fault();
  EXPECT_EQ(*form->MaxItems, 10);
  EXPECT_TRUE(*form->OnlyAttached);
  EXPECT_EQ(Form<iam::ListPoliciesInput>("OnlyAttached=maybe").fault(),
            "MalformedInput: The value of OnlyAttached is neither true nor false.");
  for (const std::string_view number : {"ten", "", "1.5", "10x", "+1", "99999999999999999999", "2147483648", "0x10"})
    EXPECT_EQ(Form<iam::ListPoliciesInput>(fmt::format("MaxItems={}", number)).fault(),
              "MalformedInput: The value of MaxItems is not an integer.")
        << number;
}

TEST(FormDecode, UnknownParametersAreIgnored) {
  const Form<iam::GetUserInput> form(
      "Action=GetUser&Version=2010-05-08&UserName=bob&X-Amz-Date=1&Foo.member.1=2&..=&.=");
  ASSERT_TRUE(form.ok()) << form.fault();
  EXPECT_EQ(*form->UserName, "bob");
}

TEST(FormDecode, OfAParameterSentTwiceTheFirstCounts) {
  const Form<iam::GetUserInput> form("UserName=bob&UserName=eve");
  EXPECT_EQ(*form->UserName, "bob");
  const Form<iam::GetUserInput> query("UserName=bob", "UserName=alice");
  EXPECT_EQ(*query->UserName, "alice");
}

TEST(FormDecode, ParametersThatDoNotFitTheirMembers) {
  EXPECT_EQ(Form<iam::GetUserInput>("UserName.member.1=bob").fault(),
            "MalformedInput: Start of list found where not expected");
  EXPECT_EQ(Form<iam::GetUserInput>("UserName.First=bob").fault(),
            "MalformedInput: Start of structure or map found where not expected.");
  EXPECT_EQ(Form<iam::TagUserInput>("UserName=bob&Tags=x").fault(),
            "MalformedInput: Unexpected list element termination");
  for (const std::string_view name : {"Tags.1.Key", "Tags.members.1.Key", "Tags.member.x.Key", "Tags.member.0.Key",
                                      "Tags.member.-1.Key", "Tags.member.9999999999.Key", "Tags.member..Key"})
    EXPECT_EQ(Form<iam::TagUserInput>(fmt::format("UserName=bob&{}=k", name)).fault(),
              "MalformedInput: Unexpected list element termination")
        << name;
  EXPECT_EQ(Form<iam::TagUserInput>("UserName=bob&Tags.member.1=x").fault(),
            "MalformedInput: Unexpected complex element termination");
}

TEST(FormDecode, AListIsAsLongAsItsElementsNotAsItsNumbers) {
  const Form<iam::UntagUserInput> form("UserName=bob&TagKeys.member.999999999=a");
  ASSERT_TRUE(form.ok()) << form.fault();
  EXPECT_THAT(Texts(form->TagKeys), ElementsAre("a"));
}

// --- constraints, in IAM's words and in STS's

TEST(FormConstraints, IamShowsNeitherTheValueNorTheSet) {
  EXPECT_EQ(Form<iam::UpdateAccessKeyInput>("AccessKeyId=AKIAIOSFODNN7EXAMPLE&Status=Sleeping").fault(),
            "ValidationError: 1 validation error detected: Value at 'status' failed to satisfy constraint: Member must "
            "satisfy enum value set");
  EXPECT_EQ(Form<iam::UpdateAccessKeyInput>("AccessKeyId=AKIA-IOSFODNN7EXAMPLE&Status=Active").fault(),
            "ValidationError: 1 validation error detected: Value at 'accessKeyId' failed to satisfy constraint: Member "
            "must satisfy regular expression pattern: [\\w]+");
  EXPECT_EQ(Form<iam::CreateUserInput>("UserName=bob&Tags.member.1.Key=a&Tags.member.1.Value=%7B").fault(),
            "ValidationError: 1 validation error detected: Value at 'tags.1.member.value' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: [\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*");
}

TEST(FormConstraints, StsShowsTheValue) {
  EXPECT_EQ(Form<sts::AssumeRoleInput>("RoleArn=arn:aws:iam::111122223333:role/R&RoleSessionName=Session1:2").fault(),
            "ValidationError: 1 validation error detected: Value 'Session1:2' at 'roleSessionName' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: [\\w+=,.@-]*");
  EXPECT_EQ(Form<sts::GetSessionTokenInput>("DurationSeconds=60").fault(),
            "ValidationError: 1 validation error detected: Value '60' at 'durationSeconds' failed to satisfy "
            "constraint: Member must have value greater than or equal to 900");
}

TEST(FormConstraints, SecretsAreNeverShown) {
  const Form<sts::AssumeRoleWithWebIdentityInput> form(
      "RoleArn=arn:aws:iam::111122223333:role/R&RoleSessionName=me&WebIdentityToken=abc");
  EXPECT_EQ(form.fault(),
            "ValidationError: 1 validation error detected: Value at 'webIdentityToken' failed to satisfy constraint: "
            "Member must have length greater than or equal to 4");
}

TEST(FormConstraints, SeveralFaultsAreToldTogether) {
  EXPECT_EQ(Form<iam::CreateRoleInput>("MaxSessionDuration=60").fault(),
            "ValidationError: 3 validation errors detected: Value null at 'assumeRolePolicyDocument' failed to satisfy "
            "constraint: Member must not be null; Value at 'maxSessionDuration' failed to satisfy constraint: Member "
            "must have value greater than or equal to 3600; Value null at 'roleName' failed to satisfy constraint: "
            "Member must not be null");
}

TEST(FormConstraints, NamesAndPathsAreRefusedInTheServicesOwnWords) {
  EXPECT_EQ(Form<iam::CreateUserInput>("UserName=b%20b").fault(),
            "ValidationError: The specified value for userName is invalid. It must contain only alphanumeric "
            "characters and/or the following: +=,.@_-");
  EXPECT_EQ(Form<iam::CreateUserInput>("UserName=bob&Path=nowhere").fault(),
            "ValidationError: The specified value for path is invalid. It must begin and end with / and contain only "
            "alphanumeric characters and/or / characters.");
  EXPECT_EQ(Form<iam::CreateUserInput>("UserName=" + std::string(65, '!')).fault(),
            "ValidationError: 1 validation error detected: Value at 'userName' failed to satisfy constraint: Member "
            "must have length less than or equal to 64")
      << "constraints come first";
}

TEST(FormConstraints, TagsMayHoldTheLettersOfAllScripts) {
  const auto tag = [](std::string_view value) {
    return Form<iam::CreateUserInput>(fmt::format("UserName=b&Tags.member.1.Key=k&Tags.member.1.Value={}", value)).ok();
  };
  for (const std::string_view value : {"", "a-b_c.d:e/f=g+h@i", "Z%C3%BCrich", "%D0%9A%D0%B8%D1%97%D0%B2",
                                       "%E6%9D%B1%E4%BA%AC", "%E2%85%A7", "a%C2%A0b", "%F0%A0%80%80"})
    EXPECT_TRUE(tag(value)) << value;
  for (const std::string_view value : {"a%09b", "%F0%9F%98%80", "a*b", "%E2%82%AC", "%CC%81", "a%0Ab", "%FF", "%C3"})
    EXPECT_FALSE(tag(value)) << value;
}

TEST(FormConstraints, Patterns) {
  const auto matches = [](Pattern pattern, std::string_view text) { return MatchesPattern(pattern, text); };
  for (const std::string_view path : {"/", "/a/", "/a/b/", "/!~/"}) EXPECT_TRUE(matches(Pattern::kPath, path)) << path;
  for (const std::string_view path : {"", "//x", "a/", "/a", "/a b/", "/\x7f/", "/\xC3\xBC/"})
    EXPECT_FALSE(matches(Pattern::kPath, path)) << path;
  for (const std::string_view path : {"/", "/a/", "/a.b,c+d@e=f_g-h/i/"})
    EXPECT_TRUE(matches(Pattern::kPolicyPath, path)) << path;
  for (const std::string_view path : {"", "//", "/a//b/", "/a!/", "a/", "/a"})
    EXPECT_FALSE(matches(Pattern::kPolicyPath, path)) << path;
  for (const std::string_view alias : {"abc", "a-b", "0-9-x"}) EXPECT_TRUE(matches(Pattern::kAccountAlias, alias));
  for (const std::string_view alias : {"ab", "-ab", "ab-", "a--b", "aBc", "a.b"})
    EXPECT_FALSE(matches(Pattern::kAccountAlias, alias)) << alias;
  for (const std::string_view version : {"v1", "v12", "v1.", "v3.a-B9"})
    EXPECT_TRUE(matches(Pattern::kPolicyVersion, version)) << version;
  for (const std::string_view version : {"", "v", "v0", "1", "v1x", "v1.a.b", "V1", "v1._"})
    EXPECT_FALSE(matches(Pattern::kPolicyVersion, version)) << version;
  EXPECT_TRUE(matches(Pattern::kPolicyDocument, "{\n\t\"Version\": \"\xC3\xBF\"\r\n}"));
  EXPECT_FALSE(matches(Pattern::kPolicyDocument, "{\x01}"));
  EXPECT_FALSE(matches(Pattern::kPolicyDocument, "\xC4\x80")) << "U+0100";
  EXPECT_TRUE(matches(Pattern::kDescription, ""));
  EXPECT_FALSE(matches(Pattern::kDescription, "\xC2\xA0")) << "U+00A0";
  EXPECT_TRUE(matches(Pattern::kXmlText, "arn:aws:iam::111122223333:role/\xF0\x90\x80\x80"));
  EXPECT_FALSE(matches(Pattern::kXmlText, "\xEF\xBF\xBF")) << "U+FFFF";
  EXPECT_TRUE(matches(Pattern::kPathPrefix, "/"));
  EXPECT_TRUE(matches(Pattern::kPathPrefix, "/x/y"));
  EXPECT_FALSE(matches(Pattern::kPathPrefix, "x/"));
  EXPECT_TRUE(matches(Pattern::kExternalId, ""));
  EXPECT_TRUE(matches(Pattern::kExternalId, "a:b/c"));
  EXPECT_FALSE(matches(Pattern::kExternalId, "a;b"));
  EXPECT_TRUE(matches(Pattern::kDigitsOrEmpty, "123456"));
  EXPECT_FALSE(matches(Pattern::kDigitsOrEmpty, "12a"));
  EXPECT_FALSE(matches(Pattern::kMarker, ""));
  EXPECT_FALSE(matches(Pattern::kMarker, "\t"));
}

TEST(FormConstraints, APolicyWithAllItsCharactersEncodedFits) {
  std::string policy;
  for (size_t i = 0; i < 131'072; ++i) policy += "%7B";
  EXPECT_TRUE(Form<iam::CreatePolicyInput>("PolicyName=p&PolicyDocument=" + policy).ok());
  EXPECT_THAT(Form<iam::CreatePolicyInput>("PolicyName=p&PolicyDocument=x" + policy).fault(),
              HasSubstr("Member must have length less than or equal to 131072"));
}

}  // namespace
}  // namespace armature::wire
