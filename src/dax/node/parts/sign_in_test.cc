// Signatures of clients, as the server's own verifier sees them.
#include "dax/node/parts/sign_in.h"

#include <gtest/gtest.h>

#include "auth/verify/memory_key_ring.h"
#include "auth/verify/signature_testing.h"
#include "auth/verify/signature_verifier.h"
#include "base/clock.h"
#include "dax/node/testing/dax_client.h"

namespace armature::dax {
namespace {

class SignInTest : public testing::Test {
 protected:
  SignInTest() { keys.Put(KeyOf(kSignedKey)); }

  static std::shared_ptr<auth::AccessKey> KeyOf(std::string_view id) {
    auto key = auth::MakeTestUserKey(id);
    key->secret = Secret(kSignedSecret);
    return key;
  }
  // Who it is and for which Region, or what is wrong.
  std::string SignInWith(std::string_view message) {
    Arena arena;
    const auto request = ReadRequest(message, arena);
    if (!request) return "no request";
    const auto signed_in = SignIn(verifier, *request, {}, arena);
    if (!signed_in) return std::to_string(static_cast<int>(signed_in.error().kind)) + " " + signed_in.error().message;
    EXPECT_FALSE(signed_in->is_unproven);
    EXPECT_EQ(signed_in->user_agent, "test");
    return signed_in->principal().user_name.data() + (" " + signed_in->access_key_id + " " + signed_in->region);
  }
  static std::string Fault(auth::AuthFaultKind kind) { return std::to_string(static_cast<int>(kind)) + " "; }

  ManualClock clock{kSignedMillis};
  auth::MemoryKeyRing keys;
  auth::SignatureVerifier verifier{keys, clock};
};

TEST_F(SignInTest, TheExampleOfTheProtocol) { EXPECT_EQ(SignInWith(Authorize()), "alice AKIDEXAMPLE us-east-1"); }

TEST_F(SignInTest, ASignatureOfAnotherSecret) {
  std::string other(kSignature);
  other[10] = other[10] == '0' ? '1' : '0';
  EXPECT_EQ(SignInWith(AuthorizeWith(kSignedKey, other, kStringToSign)).substr(0, 2),
            Fault(auth::AuthFaultKind::kInvalidSignature));
}

TEST_F(SignInTest, AKeyThatIsNobodys) {
  EXPECT_EQ(SignInWith(AuthorizeWith("AKIDNOBODY", kSignature, kStringToSign)).substr(0, 2),
            Fault(auth::AuthFaultKind::kUnrecognizedClient));
  auto inactive = std::make_shared<auth::AccessKey>();
  keys.Remove(kSignedKey);
  EXPECT_EQ(SignInWith(Authorize()).substr(0, 2), Fault(auth::AuthFaultKind::kUnrecognizedClient));
}

TEST_F(SignInTest, ASignatureOfAnotherTime) {
  clock.AdvanceMillis(auth::SignatureVerifier::kSkewSeconds * 1000);
  EXPECT_EQ(SignInWith(Authorize()), "alice AKIDEXAMPLE us-east-1");
  clock.AdvanceMillis(1000);
  EXPECT_EQ(SignInWith(Authorize()).substr(0, 2), Fault(auth::AuthFaultKind::kInvalidSignature));
}

TEST_F(SignInTest, ASignatureForAnotherService) {
  std::string text(kStringToSign);
  text.replace(text.find("/dax/"), 5, "/dynamodb/");
  EXPECT_EQ(SignInWith(AuthorizeWith(kSignedKey, kSignature, text)).substr(0, 2),
            Fault(auth::AuthFaultKind::kInvalidSignature));
}

TEST_F(SignInTest, TokensOfSessions) {
  auto key = KeyOf("ASIATEMPEXAMPLE");
  key->session_token = Secret("the token");
  key->expires_at_millis = kSignedMillis + 1000;
  keys.Put(key);
  // The same signature fits every key of that secret: keys are not part of what is signed.
  const auto with = [](std::string_view token) {
    return AuthorizeWith("ASIATEMPEXAMPLE", kSignature, kStringToSign, token);
  };
  EXPECT_EQ(SignInWith(with("the token")), "alice ASIATEMPEXAMPLE us-east-1");
  EXPECT_EQ(SignInWith(with("another")).substr(0, 2), Fault(auth::AuthFaultKind::kUnrecognizedClient));
  EXPECT_EQ(SignInWith(with("")).substr(0, 2), Fault(auth::AuthFaultKind::kUnrecognizedClient));
  clock.AdvanceMillis(2000);
  EXPECT_EQ(SignInWith(with("the token")).substr(0, 2), Fault(auth::AuthFaultKind::kExpiredToken));
}

TEST_F(SignInTest, StringsToSignThatAreNone) {
  for (const char* text : {"", "\n", "\n\n\n\n", "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256\nnow\nhere",
                           "AWS4-HMAC-SHA256\n20261115T023606Z\n, SignedHeaders=, Credential=x"})
    EXPECT_NE(SignInWith(AuthorizeWith(kSignedKey, kSignature, text)).substr(0, 5), "alice") << text;
  EXPECT_NE(SignInWith(AuthorizeWith("AKIDEXAMPLE/x, Credential=a", kSignature, kStringToSign)).substr(0, 5), "alice");
}

// What it says but its time and scope is not looked at, because the signature fits nothing else.
TEST_F(SignInTest, TheRequestThatIsSignedIsAlwaysTheSame) {
  std::string text(kStringToSign);
  text.replace(text.size() - 64, 64, std::string(64, '0'));
  EXPECT_EQ(SignInWith(AuthorizeWith(kSignedKey, kSignature, text)), "alice AKIDEXAMPLE us-east-1");
}

}  // namespace
}  // namespace armature::dax
