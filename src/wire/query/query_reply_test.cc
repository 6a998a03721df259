// Replies and errors as AWS writes them, in XML and in JSON.
#include "wire/query/query_reply.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <simdjson.h>

#include "wire/query/iam.h"
#include "wire/query/query_errors.h"
#include "wire/query/sts.h"
#include "wire/query/xml_reply.h"

namespace armature::wire {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kId = "7a62c49f-347e-4fc4-9331-6e8e00000000";

template <class Input, class Output>
std::string Reply(const Output& output, ReplyForm form = ReplyForm::kXml) {
  std::string body;
  AppendReply({form, kId, body}, Input::Schema(), output);
  return body;
}

std::string XmlText(std::string_view text) {
  std::string out;
  AppendXmlText(out, text);
  return out;
}

TEST(QueryReply, AReplyHasItsResultAndItsRequestId) {
  iam::CreateUserOutput output;
  iam::User& user = output.User.emplace();
  user.Arn = "arn:aws:iam::111122223333:user/bob";
  user.CreateDate = {1'772'366'400'999};
  user.Path = "/";
  user.UserId = "AIDAEXAMPLE";
  user.UserName = "bob";
  EXPECT_EQ(Reply<iam::CreateUserInput>(output),
            R"(<CreateUserResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><CreateUserResult><User>)"
            "<Arn>arn:aws:iam::111122223333:user/bob</Arn><CreateDate>2026-03-01T12:00:00Z</CreateDate><Path>/</Path>"
            "<UserId>AIDAEXAMPLE</UserId><UserName>bob</UserName></User></CreateUserResult><ResponseMetadata>"
            "<RequestId>7a62c49f-347e-4fc4-9331-6e8e00000000</RequestId></ResponseMetadata></CreateUserResponse>");
}

TEST(QueryReply, AnOperationWithoutOutputHasNoResult) {
  std::string body;
  AppendReply({ReplyForm::kXml, kId, body}, iam::DeleteUserInput::Schema(), nullptr, nullptr);
  EXPECT_EQ(body,
            R"(<DeleteUserResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><ResponseMetadata><RequestId>)"
            "7a62c49f-347e-4fc4-9331-6e8e00000000</RequestId></ResponseMetadata></DeleteUserResponse>");
  body.clear();
  AppendReply({ReplyForm::kJson, kId, body}, iam::DeleteUserInput::Schema(), nullptr, nullptr);
  EXPECT_EQ(body,
            R"({"DeleteUserResponse":{"ResponseMetadata":{"RequestId":"7a62c49f-347e-4fc4-9331-6e8e00000000"}}})");
}

TEST(QueryReply, EmptyIsThereAndAbsentIsNot) {
  iam::ListUsersOutput none;
  EXPECT_THAT(Reply<iam::ListUsersInput>(none),
              HasSubstr("<ListUsersResult><IsTruncated>false</IsTruncated><Users/></ListUsersResult>"));
  iam::GetRoleOutput role;
  role.Role.RoleLastUsed.emplace();
  role.Role.Tags.emplace();
  const std::string reply = Reply<iam::GetRoleInput>(role);
  EXPECT_THAT(reply, HasSubstr("<RoleLastUsed/>"));
  EXPECT_THAT(reply, HasSubstr("<Tags/>"));
  EXPECT_THAT(reply, Not(HasSubstr("Description")));
  EXPECT_THAT(reply, Not(HasSubstr("PermissionsBoundary")));
}

TEST(QueryReply, ListsHaveMembers) {
  iam::ListUsersOutput two;
  two.Users.resize(2);
  two.Users[0].UserName = "a";
  two.Users[1].UserName = "b";
  two.IsTruncated = true;
  two.Marker = "more";
  const std::string reply = Reply<iam::ListUsersInput>(two);
  EXPECT_THAT(reply, HasSubstr("<Users><member><Arn/>"));
  EXPECT_THAT(reply, HasSubstr("<UserName>a</UserName></member><member>"));
  EXPECT_THAT(reply, HasSubstr("<IsTruncated>true</IsTruncated><Marker>more</Marker>"));
  iam::ListUserPoliciesOutput names;
  names.PolicyNames = {"p", "q"};
  EXPECT_THAT(Reply<iam::ListUserPoliciesInput>(names),
              HasSubstr("<PolicyNames><member>p</member><member>q</member></PolicyNames>"));
}

TEST(QueryReply, MapsHaveEntries) {
  iam::GetAccountSummaryOutput summary;
  summary.SummaryMap = std::map<std::string, int64_t>{{"Users", 3}, {"UsersQuota", 5000}};
  EXPECT_THAT(Reply<iam::GetAccountSummaryInput>(summary),
              HasSubstr("<SummaryMap><entry><key>Users</key><value>3</value></entry><entry><key>UsersQuota</key><value>"
                        "5000</value></entry></SummaryMap>"));
  EXPECT_THAT(Reply<iam::GetAccountSummaryInput>(summary, ReplyForm::kJson),
              HasSubstr(R"("SummaryMap":{"Users":3,"UsersQuota":5000})"));
}

TEST(QueryReply, PolicyDocumentsArePercentEncoded) {
  iam::GetUserPolicyOutput output;
  output.PolicyDocument = R"({"Resource": "100% sure"})";
  EXPECT_THAT(Reply<iam::GetUserPolicyInput>(output),
              HasSubstr("<PolicyDocument>%7B%22Resource%22%3A%20%22100%25%20sure%22%7D</PolicyDocument>"));
  iam::PolicyVersion version;
  version.Document = "{}";
  iam::GetPolicyVersionOutput got;
  got.PolicyVersion = version;
  EXPECT_THAT(Reply<iam::GetPolicyVersionInput>(got), HasSubstr("<Document>%7B%7D</Document>"));
}

TEST(QueryReply, JsonForThoseWhoAskForIt) {
  sts::AssumeRoleOutput output;
  output.Credentials = sts::Credentials{
      .AccessKeyId = "ASIAEXAMPLE", .Expiration = {1'772'366'400'000}, .SecretAccessKey = "s\"/+", .SessionToken = "t"};
  EXPECT_EQ(Reply<sts::AssumeRoleInput>(output, ReplyForm::kJson),
            R"({"AssumeRoleResponse":{"AssumeRoleResult":{"AssumedRoleUser":null,"Credentials":{)"
            R"("AccessKeyId":"ASIAEXAMPLE","Expiration":1772366400,"SecretAccessKey":"s\"/+","SessionToken":"t"},)"
            R"("PackedPolicySize":null,"SourceIdentity":null},"ResponseMetadata":{"RequestId":)"
            R"("7a62c49f-347e-4fc4-9331-6e8e00000000"}}})");
}

TEST(QueryReply, JsonOfListsAndOddTextsParses) {
  iam::ListUserTagsOutput output;
  output.Tags = {{.Key = "k\xff\x01", .Value = "\"\\"}, {}};
  const std::string reply = Reply<iam::ListUserTagsInput>(output, ReplyForm::kJson);
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  ASSERT_EQ(parser.parse(reply).get(root), simdjson::SUCCESS) << reply;
  EXPECT_EQ(root["ListUserTagsResponse"]["ListUserTagsResult"]["Tags"].get_array().size(), 2u);
}

TEST(QueryReply, WhatXmlCannotHoldIsReplacedAndTheRestEscaped) {
  EXPECT_EQ(XmlText("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c'");
  EXPECT_EQ(XmlText("tab\tline\nreturn\r"), "tab\tline\nreturn&#xD;");
  EXPECT_EQ(XmlText(std::string_view("\0\x01\x1f\x7f", 4)), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\x7f");
  EXPECT_EQ(XmlText("\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBD\xEF\xBF"),
            std::string("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") + "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(XmlText("\xff\xC3\xA9"), "\xEF\xBF\xBD\xC3\xA9");
  EXPECT_EQ(XmlText("]]>"), "]]&gt;");
  EXPECT_EQ(XmlText(""), "");
}

TEST(QueryReply, TheAcceptHeaderChoosesTheForm) {
  const auto form = [](std::string_view accept) {
    net::HttpRequest request;
    request.headers = {{"Accept", accept}};
    return ReplyFormFor(request);
  };
  EXPECT_EQ(form("application/json"), ReplyForm::kJson);
  EXPECT_EQ(form("Application/JSON; q=1"), ReplyForm::kJson);
  for (const std::string_view accept : {"", "*/*", "text/xml", "application/jsonx", "text/html, application/json"})
    EXPECT_EQ(form(accept), ReplyForm::kXml) << accept;
  EXPECT_EQ(ReplyFormFor({}), ReplyForm::kXml);
}

// --- errors

net::HttpResponse ErrorOf(model::ApiError error, ReplyForm form = ReplyForm::kXml) {
  net::HttpResponse response;
  response.body = "half a reply";
  SetQueryError(std::move(error), *iam::GetUserInput::Schema().service, form, kId, response);
  return response;
}

TEST(QueryErrors, AreXmlWithTypeCodeAndMessage) {
  const net::HttpResponse response = ErrorOf(iam::NoSuchEntity("The user with name <x> cannot be found."));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.content_type, "text/xml");
  EXPECT_EQ(response.body,
            R"(<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><Error><Type>Sender</Type>)"
            "<Code>NoSuchEntity</Code><Message>The user with name &lt;x&gt; cannot be found.</Message></Error>"
            "<RequestId>7a62c49f-347e-4fc4-9331-6e8e00000000</RequestId></ErrorResponse>");
}

TEST(QueryErrors, AreJsonWithoutAnythingAround) {
  const net::HttpResponse response = ErrorOf(AccessDenied("No."), ReplyForm::kJson);
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.body, R"({"Error":{"Type":"Sender","Code":"AccessDenied","Message":"No."},"RequestId":)"
                           R"("7a62c49f-347e-4fc4-9331-6e8e00000000"})");
}

TEST(QueryErrors, FaultsOfOursAreTheReceivers) {
  const net::HttpResponse response = ErrorOf(model::InternalServerError());
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, HasSubstr("<Type>Receiver</Type><Code>InternalFailure</Code>"));
  EXPECT_THAT(ErrorOf(model::ServiceUnavailableException("Later.")).body,
              HasSubstr("<Code>ServiceUnavailable</Code><Message>Later.</Message>"));
}

TEST(QueryErrors, WhatHasACodeKeepsIt) {
  const auto code = [](model::ApiError error) {
    error = AsQueryError(std::move(error));
    return error.name + " " + std::to_string(error.http_status);
  };
  EXPECT_EQ(code(model::AccessDeniedException("")), "AccessDenied 403") << "the Authorizer's";
  EXPECT_EQ(code(AccessDenied("")), "AccessDenied 403");
  EXPECT_EQ(code(sts::ExpiredTokenException("")), "ExpiredTokenException 400") << "STS's own, of a web identity";
  EXPECT_EQ(code(iam::ServiceFailure("")), "ServiceFailure 500");
}

TEST(QueryErrors, ModelledErrorsHaveTheirCodesAndStatuses) {
  EXPECT_EQ(iam::LimitExceeded("").http_status, 409);
  EXPECT_EQ(iam::DeleteConflict("").name, "DeleteConflict");
  EXPECT_EQ(iam::ServiceFailure("").http_status, 500);
  EXPECT_EQ(sts::IDPRejectedClaim("").http_status, 403);
  EXPECT_EQ(sts::InvalidAuthorizationMessageException("").name, "InvalidAuthorizationMessageException");
}

}  // namespace
}  // namespace armature::wire
