// The shape of events, by kind of caller: CloudTrail's, and JSON whatever a client sends.
#include "audit/event.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "audit/elements.h"
#include "wire/json/json_document.h"

namespace armature::audit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class EventTest : public ::testing::Test {
 protected:
  EventTest() {
    event_.service = "dynamodb";
    event_.name = "CreateTable";
    event_.api_version = "2012-08-10";
    event_.region = "us-east-1";
    event_.source_ip = "192.0.2.7";
    event_.user_agent = "aws-cli/2";
    event_.request_id = "REQUEST";
    event_.recipient_account = "111122223333";
    event_.now_millis = 1'440'938'160'000;
  }

  static auth::Identity Who(auth::PrincipalKind kind) {
    auth::Identity who;
    who.kind = kind;
    who.account = "111122223333";
    return who;
  }
  static auth::Identity Role() {
    auth::Identity who = Who(auth::PrincipalKind::kAssumedRole);
    who.arn = "arn:aws:sts::111122223333:assumed-role/Reader/tuesday";
    who.principal_arn = who.entity_arn = "arn:aws:iam::111122223333:role/staff/Reader";
    who.entity_id = "AROAEXAMPLE";
    who.user_id = "AROAEXAMPLE:tuesday";
    who.session.emplace();
    who.session->name = "tuesday";
    who.session->issued_at_millis = 1'440'938'000'000;
    return who;
  }
  std::string LineFor(auth::Identity who) {
    event_.caller = auth::PrincipalOf(std::make_shared<const auth::Identity>(std::move(who)), "AKIAEXAMPLE");
    return Line();
  }
  std::string Line() {
    std::string line = LineOf(event_, random_);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_TRUE(wire::JsonDocument::Parse(line)) << line;
    return line;
  }

  Event event_;
  SeededRandom random_{1};
};

TEST_F(EventTest, HasWhatCloudTrailHas) {
  event_.resources.push_back(
      {"AWS::DynamoDB::Table", "arn:aws:dynamodb:us-east-1:111122223333:table/T", "111122223333"});
  event_.request_parameters = R"({"tableName":"T"})";
  EXPECT_THAT(
      LineFor(auth::RootIdentity("111122223333")),
      ::testing::MatchesRegex(
          R"x(\{"eventVersion":"1\.11","userIdentity":\{"type":"Root","principalId":"111122223333",)x"
          R"x("arn":"arn:aws:iam::111122223333:root","accountId":"111122223333","accessKeyId":"AKIAEXAMPLE"\},)x"
          R"x("eventTime":"2015-08-30T12:36:00Z","eventSource":"dynamodb\.amazonaws\.com","eventName":"CreateTable",)x"
          R"x("awsRegion":"us-east-1","sourceIPAddress":"192\.0\.2\.7","userAgent":"aws-cli/2",)x"
          R"x("requestParameters":\{"tableName":"T"\},"responseElements":null,"requestID":"REQUEST",)x"
          R"x("eventID":"[0-9a-f-]{36}","readOnly":false,"resources":\[\{"accountId":"111122223333",)x"
          R"x("type":"AWS::DynamoDB::Table","ARN":"arn:aws:dynamodb:us-east-1:111122223333:table/T"\}\],)x"
          R"x("eventType":"AwsApiCall","apiVersion":"2012-08-10","managementEvent":true,)x"
          R"x("recipientAccountId":"111122223333","eventCategory":"Management"\})x"
          "\n"));
}

TEST_F(EventTest, AUserHasHisName) {
  auth::Identity alice = Who(auth::PrincipalKind::kUser);
  alice.arn = alice.entity_arn = "arn:aws:iam::111122223333:user/staff/alice";
  alice.user_id = alice.entity_id = "AIDAEXAMPLE";
  alice.user_name = "alice";
  const std::string line = LineFor(alice);
  EXPECT_THAT(line,
              HasSubstr(R"("type":"IAMUser","principalId":"AIDAEXAMPLE","arn":"arn:aws:iam::111122223333:user/)"));
  EXPECT_THAT(line, HasSubstr(R"("accessKeyId":"AKIAEXAMPLE","userName":"alice"})"));
  EXPECT_THAT(line, Not(HasSubstr("sessionContext")));

  alice.session.emplace();
  alice.session->mfa_at_millis = 1;
  EXPECT_THAT(LineFor(alice), HasSubstr(R"("sessionContext":{"attributes":{"creationDate":"1970-01-01T00:00:00Z",)"
                                        R"("mfaAuthenticated":"true"}}})"));
}

TEST_F(EventTest, ASessionOfARoleHasItsIssuer) {
  auth::Identity role = Role();
  role.session->source_identity = "bob";
  role.session->federated_provider = "accounts.example.com";
  EXPECT_THAT(LineFor(role),
              HasSubstr(R"("type":"AssumedRole","principalId":"AROAEXAMPLE:tuesday",)"
                        R"("arn":"arn:aws:sts::111122223333:assumed-role/Reader/tuesday",)"
                        R"("accountId":"111122223333","accessKeyId":"AKIAEXAMPLE","sessionContext":{"sessionIssuer":)"
                        R"({"type":"Role","principalId":"AROAEXAMPLE","arn":"arn:aws:iam::111122223333:role/staff/)"
                        R"(Reader","accountId":"111122223333","userName":"Reader"},"webIdFederationData":)"
                        R"({"federatedProvider":"accounts.example.com"},"attributes":{"creationDate":)"
                        R"("2015-08-30T12:33:20Z","mfaAuthenticated":"false"},"sourceIdentity":"bob"}})"));
}

TEST_F(EventTest, AFederatedUserHasHimWhoVouchedForHim) {
  auth::Identity guest = Who(auth::PrincipalKind::kFederatedUser);
  guest.arn = "arn:aws:sts::111122223333:federated-user/guest";
  guest.user_id = "111122223333:guest";
  guest.entity_arn = "arn:aws:iam::111122223333:user/bob";
  guest.entity_id = "AIDABOB";
  guest.session.emplace();
  EXPECT_THAT(LineFor(guest), HasSubstr(R"("sessionIssuer":{"type":"IAMUser","principalId":"AIDABOB")"));
  EXPECT_THAT(LineFor(guest), HasSubstr(R"("type":"FederatedUser","principalId":"111122223333:guest")"));
}

TEST_F(EventTest, WhoIsNotBelievedIsWhoHeSaysHeIs) {
  event_.claimed_key_id = "AKIANOBODY";
  event_.error_code = "UnrecognizedClientException";
  event_.error_message = "The security token included in the request is invalid.";
  EXPECT_THAT(Line(), HasSubstr(R"("userIdentity":{"type":"Unknown","accessKeyId":"AKIANOBODY"})"));
  // A secret where the id of a key should be.
  event_.claimed_key_id = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  EXPECT_THAT(Line(), Not(HasSubstr("wJalr")));
}

TEST_F(EventTest, AWebIdentityIsWhoItsProviderSays) {
  event_.is_web_identity = true;
  event_.web_provider = "https://issuer.example";
  event_.web_subject = "carol";
  EXPECT_THAT(Line(), HasSubstr(R"("type":"WebIdentityUser","principalId":"https://issuer.example:carol",)"
                                R"("userName":"carol","identityProvider":"https://issuer.example")"));
}

TEST_F(EventTest, WhateverAClientSendsItIsOneLineOfJson) {
  event_.user_agent = "a\"b\\c\nd\xFF\x01";
  event_.claimed_key_id = "x\"y";
  event_.error_code = "E";
  event_.error_message = "line\r\nbreak \xC3";
  Line();
  const std::string long_agent = std::string(1023, 'a') + "\xC3\xA4" + std::string(9000, 'b');
  event_.user_agent = long_agent;
  EXPECT_LT(Line().size(), 3000u);
}

TEST_F(EventTest, ADataEventSaysSo) {
  event_.is_management = false;
  event_.is_read_only = true;
  event_.is_unproven = true;
  event_.secure_host = "db.example";
  const std::string line = Line();
  EXPECT_THAT(line, HasSubstr(R"("managementEvent":false,)"));
  EXPECT_THAT(line, HasSubstr(R"("eventCategory":"Data","tlsDetails":{"clientProvidedHostHeader":"db.example"}})"));
  EXPECT_THAT(line, HasSubstr(R"("additionalEventData":{"signatureVerified":false})"));
}

TEST_F(EventTest, LostEventsAreAnEvent) {
  const std::string line = LostEvent(17, 1'440'938'160'000, random_);
  EXPECT_TRUE(wire::JsonDocument::Parse(line));
  EXPECT_THAT(line, HasSubstr(R"("serviceEventDetails":{"lostEvents":17})"));
}

TEST(Elements, OfJsonHaveSmallNamesAndNoSecrets) {
  EXPECT_EQ(
      ElementsOf(R"({"TableDescription":{"KeySchema":[{"AttributeName":"pk"}],"ItemCount":0,"X":null},"Pattern":"p",)"
                 R"("SecretAccessKey":"s"})",
                 "Pattern"),
      R"({"tableDescription":{"keySchema":[{"attributeName":"pk"}],"itemCount":0,"x":null},)"
      R"("pattern":"HIDDEN_DUE_TO_SECURITY_REASONS","secretAccessKey":"HIDDEN_DUE_TO_SECURITY_REASONS"})");
  EXPECT_EQ(ElementsOf("{}"), "");
  EXPECT_EQ(ElementsOf("no JSON"), "");
  EXPECT_EQ(ElementsOf("[1]"), "");
  EXPECT_THAT(ElementsOf("{\"a\":\"" + std::string(200'000, 'x') + "\"}"), HasSubstr("\"omitted\":true"));
}

}  // namespace
}  // namespace armature::audit
