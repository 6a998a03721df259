#include "iam/sessions/session.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/codec/base64.h"
#include "base/codec/hex.h"
#include "iam/entities/ids.h"

namespace armature::iam {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::shared_ptr<const MasterKeys> KeysOf(const std::string& text) {
  return std::make_shared<const MasterKeys>(*MasterKeys::Parse(text));
}
const std::string kOne(64, '1'), kTwo(64, '2');

Session Everything() {
  Session session;
  session.kind = SessionKind::kRole;
  session.account = "111122223333";
  session.entity_id = "AROAEXAMPLEEXAMPLE123";
  session.parent_key_id = "AKIAEXAMPLEEXAMPLE12";
  session.name = "night-job";
  session.issued_millis = 1'700'000'000'000;
  session.expires_millis = 1'700'003'600'000;
  session.mfa_millis = 1'699'999'000'000;
  session.policies = {"{}", R"({"Version":"2012-10-17"})"};
  session.policy_arns = {"arn:aws:iam::aws:policy/AdministratorAccess"};
  session.tags = {{"team", "röd", true}, {"x", "", false}};
  session.source_identity = "bob";
  session.federated_provider = "arn:aws:iam::111122223333:oidc-provider/idp.example.com";
  session.claims = {{"idp.example.com:sub", {"u1"}}, {"idp.example.com:amr", {"a", "b"}}};
  return session;
}

class SessionTest : public testing::Test {
 protected:
  std::string Issue(Session& session) {
    auto token = tokens_.Issue(session, random_);
    EXPECT_TRUE(token);
    return token ? *token : "";
  }
  SecretRandom random_;
  SessionTokens tokens_{KeysOf(kOne)};
};

TEST_F(SessionTest, ATokenHoldsAllOfASession) {
  Session session = Everything();
  const std::string token = Issue(session);
  EXPECT_THAT(session.access_key_id, StartsWith("ASIA"));
  EXPECT_EQ(AccountOfId(session.access_key_id), "111122223333");
  EXPECT_EQ(session.secret.size(), 40u);
  const auto opened = tokens_.Open(token);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->kind, session.kind);
  EXPECT_EQ(opened->account, session.account);
  EXPECT_EQ(opened->entity_id, session.entity_id);
  EXPECT_EQ(opened->parent_key_id, session.parent_key_id);
  EXPECT_EQ(opened->name, session.name);
  EXPECT_EQ(opened->issued_millis, session.issued_millis);
  EXPECT_EQ(opened->expires_millis, session.expires_millis);
  EXPECT_EQ(opened->mfa_millis, session.mfa_millis);
  EXPECT_EQ(opened->policies, session.policies);
  EXPECT_EQ(opened->policy_arns, session.policy_arns);
  ASSERT_EQ(opened->tags.size(), 2u);
  EXPECT_EQ(opened->tags[0].value, "röd");
  EXPECT_TRUE(opened->tags[0].is_transitive);
  EXPECT_FALSE(opened->tags[1].is_transitive);
  EXPECT_EQ(opened->source_identity, session.source_identity);
  EXPECT_EQ(opened->federated_provider, session.federated_provider);
  ASSERT_EQ(opened->claims.size(), 2u);
  EXPECT_EQ(opened->claims[1].values, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(opened->access_key_id, session.access_key_id);
  EXPECT_EQ(opened->secret, session.secret);
}

// The example of docs/design/formats.md. What chance adds is taken from the session.
TEST_F(SessionTest, BytesAsDocumented) {
  Session session;
  session.kind = SessionKind::kRole;
  session.account = "111122223333";
  session.entity_id = "AROAEXAMPLEEXAMPLE123";
  session.parent_key_id = "AKIAEXAMPLEEXAMPLE12";
  session.name = "job";
  session.issued_millis = 1'700'000'000'000;
  session.expires_millis = 1'700'003'600'000;
  session.tags = {{"team", "a", true}};
  const std::string token = Issue(session);
  std::string bytes(Base64DecodedCapacity(token.size()), '\0');
  bytes.resize(DecodeBase64To(token, bytes.data()).value());
  const auto keys = KeysOf(kOne);
  EXPECT_EQ(bytes.substr(0, 17), "\x01" + keys->fingerprint());
  constexpr std::string_view kPurpose = "armature session tokens";
  const auto body = keys->current().Derive(kPurpose).Open(bytes.substr(17), kPurpose);
  ASSERT_TRUE(body);
  const auto text = [](const std::string& of) { return ToHex(std::string(1, static_cast<char>(of.size())) + of); };
  EXPECT_EQ(ToHex(*body), "01" + text("111122223333") + text("AROAEXAMPLEEXAMPLE123") + text("AKIAEXAMPLEEXAMPLE12") +
                              text("job") + "00" + "00" + text(session.access_key_id) + text(session.secret) +
                              "0000018bcfe56800" + "0000018bd01c5680" + "0000000000000000" + "00" + "00" + "01" +
                              text("team") + text("a") + "01" + "00");
}

TEST_F(SessionTest, ATokenShowsNothingOfWhatIsInIt) {
  Session session = Everything();
  const std::string token = Issue(session);
  EXPECT_THAT(token, Not(HasSubstr(session.secret)));
  EXPECT_EQ(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="),
            std::string::npos);
}

TEST_F(SessionTest, NoCharacterOfATokenCanBeChanged) {
  Session session = Everything();
  const std::string token = Issue(session);
  for (size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(tokens_.Open(changed)) << i;
  }
  for (const std::string& bad :
       {std::string(), std::string("AQ=="), std::string("nonsense"), token + "AAAA", token.substr(4),
        std::string(kMostTokenBytes + 4, 'A'), std::string("\xff\xff\xff\xff")})
    EXPECT_FALSE(tokens_.Open(bad)) << bad;
}

TEST_F(SessionTest, AnotherMasterKeyOpensNothingAndAnOlderOneStillDoes) {
  Session session = Everything();
  const std::string token = Issue(session);
  EXPECT_FALSE(SessionTokens(KeysOf(kTwo)).Open(token));
  EXPECT_TRUE(SessionTokens(KeysOf(kTwo + "\n" + kOne)).Open(token));
}

TEST_F(SessionTest, NoTwoSessionsAreAlike) {
  std::set<std::string> ids, secrets, tokens;
  for (int i = 0; i < 100; ++i) {
    Session session = Everything();
    tokens.insert(Issue(session));
    ids.insert(session.access_key_id);
    secrets.insert(session.secret);
  }
  EXPECT_EQ(ids.size(), 100u);
  EXPECT_EQ(secrets.size(), 100u);
  EXPECT_EQ(tokens.size(), 100u);
}

TEST_F(SessionTest, WhatDoesNotFitIsRefusedInPercent) {
  Session session = Everything();
  session.policies = {std::string(4000, 'x')};
  session.policy_arns.clear();
  session.tags.clear();
  EXPECT_EQ(SessionTokens::PackedPolicyPercent(session), 98u);
  EXPECT_TRUE(tokens_.Issue(session, random_));
  session.tags.assign(20, {"key", std::string(100, 'v'), false});
  const auto refused = tokens_.Issue(session, random_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "PackedPolicyTooLarge");
  EXPECT_EQ(refused.error().message, "Packed size of session tags consumes 148% of allotted space.");
  EXPECT_EQ(SessionTokens::PackedPolicyPercent(Session()), 0u);
}

}  // namespace
}  // namespace armature::iam
