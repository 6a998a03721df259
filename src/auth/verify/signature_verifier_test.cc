// One test for each thing that AWS refuses in a signature, and for their order.
#include "auth/verify/signature_verifier.h"

#include <array>
#include <cctype>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "auth/verify/memory_key_ring.h"
#include "auth/verify/signature_testing.h"

namespace armature::auth {
namespace {

constexpr std::string_view kMismatch =
    "InvalidSignatureException: The request signature we calculated does not match the signature you provided. Check "
    "your AWS Secret Access Key and signing method. Consult the service documentation for details.";
constexpr std::string_view kUnknown =
    "UnrecognizedClientException: The security token included in the request is invalid.";
constexpr std::string_view kAlice = "arn:aws:iam::111122223333:user/staff/alice";
constexpr std::string_view kTuesday = "arn:aws:sts::111122223333:assumed-role/Reader/tuesday";

class SignatureVerifierTest : public ::testing::Test {
 protected:
  SignatureVerifierTest() {
    keys_.Put(MakeTestUserKey());
    keys_.Put(MakeTestSessionKey());
  }

  // The ARN of whoever is believed, or the fault as DynamoDB tells it.
  std::string ToldOf(const net::HttpRequest& request, const Expected& expected = {}) {
    Arena arena;
    AuthResult<Verified> verified = verifier_.Verify(request, expected, arena);
    if (verified) return std::string(verified->principal.arn);
    const model::ApiError error = ToApiError(std::move(verified).error());
    EXPECT_EQ(error.http_status, 400);
    return error.name + ": " + error.message;
  }
  std::string Told(TestRequest request, const Expected& expected = {}) {
    return ToldOf(SignedTestRequest(std::move(request)).http(), expected);
  }
  std::string ToldPresigned(TestRequest request, std::string_view expires = "60") {
    return ToldOf(SignedTestRequest(std::move(request), true, expires).http());
  }

  MemoryKeyRing keys_;
  ManualClock clock_{kTestMillis};
  SignatureVerifier verifier_{keys_, clock_};
};

// --- what is believed

TEST_F(SignatureVerifierTest, ARightSignatureGivesItsKeysIdentity) {
  SignedTestRequest request({});
  Arena arena;
  const auto verified = verifier_.Verify(request.http(), {}, arena);
  ASSERT_TRUE(verified) << verified.error().message;
  EXPECT_EQ(verified->region, "us-east-1");
  EXPECT_EQ(verified->service, "dynamodb");
  const Principal& principal = verified->principal;
  EXPECT_EQ(principal.account, "111122223333");
  EXPECT_EQ(principal.arn, kAlice);
  EXPECT_EQ(principal.access_key_id, kTestUserKey);
  EXPECT_EQ(principal.user_name, "alice");
  EXPECT_EQ(principal.identity->user_id, "AIDAEXAMPLE");
}

TEST_F(SignatureVerifierTest, APrincipalOutlivesItsKey) {
  SignedTestRequest request({});
  Arena arena;
  const auto verified = verifier_.Verify(request.http(), {}, arena);
  ASSERT_TRUE(verified);
  keys_.Remove(kTestUserKey);
  EXPECT_EQ(verified->principal.arn, kAlice);
  EXPECT_EQ(verified->principal.identity->entity_arn, kAlice);
}

TEST_F(SignatureVerifierTest, NamesOfSignedHeadersMayBeWrittenInOtherWays) {
  for (const std::string names : {"Host;X-Amz-Date", "x-amz-date;host", "X-AMZ-DATE;HOST", "host;x-amz-date;host",
                                  ";host;;x-amz-date;", "host;X-Amz-Date"})
    EXPECT_EQ(Told({.signed_headers = names}), kAlice) << names;
}

TEST_F(SignatureVerifierTest, TheBodysHashMayBeSentAlong) {
  const std::string hash(HexDigest(Sha256::Of("{}")).text());
  EXPECT_EQ(Told({.headers = {{"X-Amz-Content-Sha256", hash}}, .signed_headers = "host;x-amz-content-sha256"}), kAlice);
  EXPECT_EQ(Told({.headers = {{"X-Amz-Content-Sha256", hash}}}), kAlice) << "not signed";
}

TEST_F(SignatureVerifierTest, TheDateHeaderWillDo) {
  // Computed apart from us, see signature_vectors_test.cc.
  for (const auto& [date, signature] :
       {std::pair<std::string, std::string>{"Sun, 30 Aug 2015 12:36:00 GMT",
                                            "3da9469a05c043eaf5eac1acb23c0103a70e8876ad8c19cd59a2e602818b105e"},
        {"20150830T123600Z", "7032972713309dd86e5878631e1549e44ede6197a37ddc49000ddeb39330b317"}}) {
    EXPECT_EQ(Told({.host = "example.amazonaws.com",
                    .headers = {{"Date", date}},
                    .signed_headers = "date;host",
                    .date = "",
                    .signature = signature}),
              kAlice)
        << date;
  }
}

TEST_F(SignatureVerifierTest, AnyRegionIsOneAndItsKeyIsItsOwn) {
  for (const std::string region : {"us-east-1", "eu-central-1", "local"}) {
    EXPECT_EQ(Told({.scope = "20150830/" + region + "/dynamodb/aws4_request"}), kAlice);
    EXPECT_EQ(Told({.scope = "20150830/" + region + "/dynamodb/aws4_request"}), kAlice) << "with the kept signing key";
  }
}

TEST_F(SignatureVerifierTest, ServicesAreWhatTheRouteExpects) {
  constexpr std::array<std::string_view, 2> kIamAndSts{"iam", "sts"};
  EXPECT_EQ(Told({.scope = "20150830/us-east-1/sts/aws4_request"}, {.services = kIamAndSts}), kAlice);
  EXPECT_EQ(Told({.scope = "20150830/eu-west-1/iam/aws4_request"}, {.services = kIamAndSts}), kAlice);
  EXPECT_EQ(Told(TestRequest{}, {.services = kIamAndSts}),
            "InvalidSignatureException: Credential should be scoped to correct service: 'iam'. ");
}

// --- the request target

TEST_F(SignatureVerifierTest, BrokenEscapesAreTold) {
  EXPECT_EQ(Told({.query = "a=%zz"}), "IncompleteSignatureException: Illegal hex character in escape % pattern: %zz");
  EXPECT_EQ(Told({.path = "/a%4"}), "IncompleteSignatureException: Incomplete trailing escape % sequence");
  EXPECT_EQ(Told({.query = "a=%"}), "IncompleteSignatureException: Incomplete trailing escape % sequence");
  EXPECT_EQ(Told({.query = "a=%25zz"}), kAlice);
}

TEST_F(SignatureVerifierTest, PathsThatLeaveTheRootAreTold) {
  EXPECT_EQ(Told({.path = "/a/../.."}), "IncompleteSignatureException: The path '/a/../..' leads above the root.");
  EXPECT_EQ(Told({.path = "/a/../b/..c"}), kAlice);
}

// --- form

TEST_F(SignatureVerifierTest, BothFormsAtOnceAreRefused) {
  EXPECT_EQ(
      Told({.query = "X-Amz-Algorithm=AWS4-HMAC-SHA256"}),
      "InvalidSignatureException: Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP "
      "header.");
}

TEST_F(SignatureVerifierTest, NoSignatureIsAMissingToken) {
  const std::string missing = "MissingAuthenticationTokenException: Request is missing Authentication Token";
  EXPECT_EQ(ToldOf({}), missing);
  EXPECT_EQ(Told({.algorithm = "Basic"}), missing);
  EXPECT_EQ(Told({.algorithm = "AWS"}), missing);
  EXPECT_EQ(ToldPresigned({.algorithm = "AWS4-ECDSA-P256-SHA256"}), missing);
}

TEST_F(SignatureVerifierTest, OtherAlgorithmsAreTold) {
  EXPECT_EQ(Told({.algorithm = "AWS4-HMAC-SHA512"}),
            "IncompleteSignatureException: Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA512' (only AWS4-HMAC-SHA256 for "
            "now). ");
}

TEST_F(SignatureVerifierTest, PartsThatAreNoPairsAreTold) {
  const std::string told = Told({.key_id = "AKID EXAMPLE", .signature = "0"});
  EXPECT_EQ(
      told,
      "IncompleteSignatureException: 'EXAMPLE/20150830/us-east-1/dynamodb/aws4_request' not a valid key=value pair "
      "(missing equal-sign) in Authorization header: 'AWS4-HMAC-SHA256 Credential=AKID "
      "EXAMPLE/20150830/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0'.");
}

TEST_F(SignatureVerifierTest, MissingPartsAreToldTogether) {
  EXPECT_EQ(Told({.signed_headers = "", .date = "", .signature = ""}),
            "IncompleteSignatureException: Authorization header requires 'Signature' parameter. Authorization header "
            "requires 'SignedHeaders' parameter. Authorization header requires existence of either a 'X-Amz-Date' or a "
            "'Date' header. Authorization=AWS4-HMAC-SHA256 "
            "Credential=AKIDEXAMPLE/20150830/us-east-1/dynamodb/aws4_request, SignedHeaders=, Signature=");
  EXPECT_EQ(
      ToldPresigned({.date = "", .signature = ""}),
      "IncompleteSignatureException: AWS query-string parameters must include 'X-Amz-Signature'. AWS query-string "
      "parameters must include 'X-Amz-Date'. Re-examine the query-string parameters.");
}

TEST_F(SignatureVerifierTest, TheHostMustBeSigned) {
  const std::string told =
      "InvalidSignatureException: 'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.";
  EXPECT_EQ(Told({.signed_headers = "x-amz-date"}), told);
  EXPECT_EQ(Told({.signed_headers = "hosts;x-host"}), told);
  EXPECT_EQ(Told({.signed_headers = ";;"}), told);
}

// --- time

TEST_F(SignatureVerifierTest, DatesMustBeDates) {
  const auto told = [](std::string_view date) {
    return fmt::format(
        "IncompleteSignatureException: Date must be in ISO-8601 'basic format'. Got '{}'. See "
        "http://en.wikipedia.org/wiki/ISO_8601",
        date);
  };
  for (const std::string date : {"2015-08-30T12:36:00Z", "20150831T126000Z", "Sun, 30 Aug 2015 12:36:00 GMT"})
    EXPECT_EQ(Told({.date = date}), told(date)) << "X-Amz-Date";
  EXPECT_EQ(Told({.headers = {{"Date", "yesterday"}}, .date = "", .signature = "0"}), told("yesterday"));
  EXPECT_EQ(ToldPresigned({.date = "today"}), told("today"));
}

TEST_F(SignatureVerifierTest, FifteenMinutesOfSkewAreAllowedEitherWay) {
  clock_.AdvanceMillis(15 * 60'000);
  EXPECT_EQ(Told(TestRequest{}), kAlice) << "both ends are within";
  clock_.AdvanceMillis(1000);
  EXPECT_EQ(Told(TestRequest{}),
            "InvalidSignatureException: Signature expired: 20150830T123600Z is now earlier than 20150830T123601Z "
            "(20150830T125101Z - 15 min.)");
  clock_.AdvanceMillis(-2 * 15 * 60'000 - 1000);
  EXPECT_EQ(Told(TestRequest{}), kAlice);
  clock_.AdvanceMillis(-1000);
  EXPECT_EQ(Told(TestRequest{}),
            "InvalidSignatureException: Signature not yet current: 20150830T123600Z is still later than "
            "20150830T123559Z (20150830T122059Z + 15 min.)");
}

TEST_F(SignatureVerifierTest, APresignedRequestLivesAsLongAsItSays) {
  clock_.AdvanceMillis(90'000);
  EXPECT_EQ(ToldPresigned({.body = ""}, "90"), kAlice);
  clock_.AdvanceMillis(1000);
  EXPECT_EQ(ToldPresigned({.body = ""}, "90"),
            "InvalidSignatureException: Signature expired: 20150830T123600Z is now earlier than 20150830T123601Z "
            "(20150830T123731Z - 90 sec.)");
  EXPECT_EQ(ToldPresigned({.body = ""}, "60"),
            "InvalidSignatureException: Signature expired: 20150830T123600Z is now earlier than 20150830T123631Z "
            "(20150830T123731Z - 1 min.)");
  EXPECT_EQ(ToldPresigned({.body = ""}, "604800"), kAlice);
  EXPECT_EQ(ToldPresigned({.body = ""}, ""), kAlice) << "a quarter of an hour if it says nothing";
  clock_.AdvanceMillis(-16 * 60'000 - 91'000);
  EXPECT_EQ(ToldPresigned({}, "604800").substr(0, 52), "InvalidSignatureException: Signature not yet current");
}

TEST_F(SignatureVerifierTest, ALifetimeIsANumberOfSecondsUpToAWeek) {
  const std::string incomplete = "IncompleteSignatureException: X-Amz-Expires ";
  for (const std::string_view expires : {"x", "60x", "6e3", "%2B60", "0x10"})
    EXPECT_EQ(ToldPresigned({}, expires), incomplete + "should be a number") << expires;
  for (const std::string_view expires : {"0", "-1"})
    EXPECT_EQ(ToldPresigned({}, expires), incomplete + "must be at least 1 second") << expires;
  for (const std::string_view expires : {"604801", "99999999999999999999999"})
    EXPECT_EQ(ToldPresigned({}, expires), incomplete +
                                              "must be less than a week (in seconds); that is, the given X-Amz-Expires "
                                              "must be less than 604800 seconds")
        << expires;
}

// --- scope

TEST_F(SignatureVerifierTest, ACredentialHasFiveParts) {
  for (const std::string scope : {"20150830/us-east-1/dynamodb", "20150830/us-east-1/dynamodb/aws4_request/x"})
    EXPECT_EQ(Told({.scope = scope}),
              "IncompleteSignatureException: Credential must have exactly 5 slash-delimited elements, e.g. "
              "keyid/date/region/service/term, got 'AKIDEXAMPLE/" +
                  scope + "'");
}

TEST_F(SignatureVerifierTest, FaultsOfTheScopeAreToldTogether) {
  EXPECT_EQ(Told({.scope = "b/c.d/e/f"}),
            "InvalidSignatureException: Credential should be scoped to a valid region, not 'c.d'. Credential should be "
            "scoped to correct service: 'dynamodb'. Credential should be scoped with a valid terminator: "
            "'aws4_request', not 'f'. Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
            "from HTTP: 'b' != '20150830', from '20150830T123600Z'.");
  EXPECT_EQ(Told({.scope = "20150829/us-east-1/dynamodb/aws4_request"}),
            "InvalidSignatureException: Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
            "from HTTP: '20150829' != '20150830', from '20150830T123600Z'.");
  EXPECT_EQ(Told({.scope = "20150830/us-east-1/sts/aws4_request"}),
            "InvalidSignatureException: Credential should be scoped to correct service: 'dynamodb'. ");
}

// --- key and token

TEST_F(SignatureVerifierTest, UnknownInactiveAndRemovedKeysAreNobodys) {
  EXPECT_EQ(Told({.key_id = "AKIDSOMEBODY"}), kUnknown);
  EXPECT_EQ(Told({.key_id = "A\xff"}), kUnknown);
  EXPECT_EQ(Told({.key_id = ""}), kUnknown);
  auto inactive = MakeTestUserKey();
  inactive->status = KeyStatus::kInactive;
  keys_.Put(inactive);
  EXPECT_EQ(Told(TestRequest{}), kUnknown);
  keys_.Put(MakeTestUserKey());
  EXPECT_EQ(Told(TestRequest{}), kAlice);
  keys_.Remove(kTestUserKey);
  EXPECT_EQ(Told(TestRequest{}), kUnknown);
}

TEST_F(SignatureVerifierTest, ATemporaryKeyNeedsItsTokenAndALongTermKeyNone) {
  const std::string session(kTestSessionKey);
  const std::string token(kTestToken);
  EXPECT_EQ(Told({.key_id = session, .token = token}), kTuesday) << "not signed";
  EXPECT_EQ(Told({.key_id = session, .signed_headers = "host;x-amz-security-token", .token = token}), kTuesday);
  EXPECT_EQ(ToldPresigned({.key_id = session, .token = token}), kTuesday);
  EXPECT_EQ(Told({.headers = {{"X-Amz-Security-Token", token}}, .key_id = session}), kTuesday);
  EXPECT_EQ(Told({.key_id = session}), kUnknown);
  EXPECT_EQ(Told({.key_id = session, .token = token + "x"}), kUnknown);
  EXPECT_EQ(Told({.key_id = session, .token = token.substr(1)}), kUnknown);
  EXPECT_EQ(Told({.token = token}), kUnknown);
}

TEST_F(SignatureVerifierTest, ASessionEndsToTheMillisecond) {
  const auto told = [this] {
    const int64_t seconds = clock_.NowMillis() / 1000;
    return Told(
        {.key_id = std::string(kTestSessionKey), .date = SignatureTime(seconds), .token = std::string(kTestToken)});
  };
  clock_.AdvanceMillis(3'599'999);
  EXPECT_EQ(told(), kTuesday);
  clock_.AdvanceMillis(1);
  EXPECT_EQ(told(), "ExpiredTokenException: The security token included in the request is expired");
}

// --- the signature

TEST_F(SignatureVerifierTest, AnotherSignatureDoesNotMatch) {
  for (const std::string signature : {"0", "zz", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"})
    EXPECT_EQ(Told({.signature = signature}), kMismatch);
  auto other = MakeTestUserKey();
  other->secret = Secret("another secret");
  EXPECT_EQ(Told(TestRequest{}), kAlice) << "the signing key is kept";
  keys_.Put(other);
  EXPECT_EQ(Told(TestRequest{}), kMismatch) << "and not found again";
}

TEST_F(SignatureVerifierTest, UpperCaseDigitsAreAnotherSignature) {
  SignedTestRequest right({});
  std::string authorization(right.http().headers.back().value);
  for (size_t i = authorization.rfind('=') + 1; i < authorization.size(); ++i)
    authorization[i] = static_cast<char>(std::toupper(authorization[i]));
  ASSERT_NE(authorization, right.http().headers.back().value);
  right.http().headers.back().value = authorization;
  EXPECT_EQ(ToldOf(right.http()), kMismatch);
}

TEST_F(SignatureVerifierTest, WhatIsSignedCannotBeChanged) {
  const std::vector<std::function<void(net::HttpRequest&)>> changes = {
      [](auto& request) { request.method_name = "GET"; },
      [](auto& request) { request.path = "/x"; },
      [](auto& request) { request.query = "a=c"; },
      [](auto& request) { request.query = "a=b&c"; },
      [](auto& request) { request.body = "{} "; },
      [](auto& request) { request.body = ""; },
      [](auto& request) { request.headers[0].value = "localhost"; },
      [](auto& request) {
        request.headers.push_back({"host", "evil"});
      },
      [](auto& request) { request.headers[1].value = "2"; },
  };
  const TestRequest signed_request{
      .query = "a=b", .headers = {{"X-Other", "1"}}, .signed_headers = "host;x-amz-date;x-other"};
  EXPECT_EQ(Told(signed_request), kAlice);
  for (size_t i = 0; i < changes.size(); ++i) {
    SignedTestRequest request(signed_request);
    changes[i](request.http());
    EXPECT_EQ(ToldOf(request.http()), kMismatch) << i;
  }
}

TEST_F(SignatureVerifierTest, ALieAboutTheBodyDoesNotMatch) {
  const std::string names = "host;x-amz-content-sha256;x-amz-date";
  const std::string lie(HexDigest(Sha256::Of("{ }")).text());
  EXPECT_EQ(Told({.headers = {{"X-Amz-Content-Sha256", lie}}, .signed_headers = names}), kMismatch);
  // Computed apart from us over the line "UNSIGNED-PAYLOAD", as S3 would take it.
  EXPECT_EQ(Told({.host = "example.amazonaws.com",
                  .headers = {{"X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD"}},
                  .signed_headers = names,
                  .signature = "56fad5f336997a02b62d0d16d49bdd379232b264b37f5b732e053e3712c1befb"}),
            kMismatch);
}

// --- order

// Faults in the order in which they are told: each does its damage, and is known by how its text begins.
struct Fault {
  std::string_view begins;
  std::function<void(TestRequest&)> damage;
};

TEST_F(SignatureVerifierTest, OfTwoFaultsTheEarlierIsTold) {
  const std::vector<Fault> faults = {
      {"IncompleteSignatureException: Illegal hex", [](auto& r) { r.query += "&b=%zz"; }},
      {"InvalidSignatureException: Found both", [](auto& r) { r.query += "&X-Amz-Algorithm=AWS4-HMAC-SHA256"; }},
      {"MissingAuthenticationTokenException", [](auto& r) { r.algorithm = "Bearer"; }},
      {"IncompleteSignatureException: Unsupported AWS 'algorithm'", [](auto& r) { r.algorithm = "AWS4-X"; }},
      {"IncompleteSignatureException: 'word' not a valid key=value", [](auto& r) { r.more_parts = ", word"; }},
      {"IncompleteSignatureException: Authorization header requires 'Signature'", [](auto& r) { r.signature = ""; }},
      {"InvalidSignatureException: 'Host'", [](auto& r) { r.signed_headers = "x-amz-date"; }},
      {"IncompleteSignatureException: Date must", [](auto& r) { r.date = "x"; }},
      {"InvalidSignatureException: Signature expired", [](auto& r) { r.date = "20150830T000000Z"; }},
      {"IncompleteSignatureException: Credential must have", [](auto& r) { r.scope = "20150830/us-east-1"; }},
      {"InvalidSignatureException: Credential should be scoped to correct service",
       [](auto& r) { r.scope = "20150830/us-east-1/s3/aws4_request"; }},
      {"UnrecognizedClientException", [](auto& r) { r.key_id = "AKIDSOMEBODY"; }},
      {"ExpiredTokenException",
       [](auto& r) {
         r.key_id = "ASIAOLD";
         r.token = "old";
       }},
      {"InvalidSignatureException: The request signature we calculated", [](auto& r) { r.signature = "f00"; }},
  };
  auto old = MakeTestUserKey("ASIAOLD");
  old->session_token = Secret("old");
  old->expires_at_millis = kTestMillis;
  keys_.Put(old);
  for (size_t earlier = 0; earlier < faults.size(); ++earlier) {
    for (size_t later = earlier; later < faults.size(); ++later) {
      TestRequest request{.query = "a=b"};
      faults[later].damage(request);
      faults[earlier].damage(request);
      const std::string told = Told(request);
      EXPECT_TRUE(told.starts_with(faults[earlier].begins)) << earlier << ' ' << later << ' ' << told;
    }
  }
}

// --- failures are counted

class FixedAddress final : public ClientAddress {
 public:
  explicit FixedAddress(std::string text) : text_(std::move(text)) {}
  std::string Text() const override {
    ++asked;
    return text_;
  }
  mutable int asked = 0;

 private:
  const std::string text_;
};

TEST_F(SignatureVerifierTest, WhoFailsTooOftenIsPutOff) {
  FailureBackoff backoff({.failures_of_key = 3, .window_millis = 1000, .pause_millis = 1000}, clock_, 1);
  const SignatureVerifier verifier(keys_, clock_, &backoff);
  const FixedAddress here("192.0.2.1");
  const FixedAddress there("192.0.2.2");
  const auto kind = [&](TestRequest request, const FixedAddress& from) {
    SignedTestRequest signed_request(std::move(request));
    Arena arena;
    auto verified = verifier.Verify(signed_request.http(), {.client = &from}, arena);
    return verified ? std::optional<AuthFaultKind>() : std::optional(verified.error().kind);
  };
  EXPECT_EQ(kind({}, here), std::nullopt);
  EXPECT_EQ(here.asked, 0) << "nobody has failed yet";
  EXPECT_EQ(kind({.scope = "x"}, here), AuthFaultKind::kIncompleteSignature);
  EXPECT_EQ(here.asked, 0) << "what cannot be read costs nothing and does not count";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(kind({.signature = "0"}, here), AuthFaultKind::kInvalidSignature);
  EXPECT_EQ(kind({}, here), AuthFaultKind::kThrottled) << "even a right one";
  EXPECT_EQ(kind({.key_id = "AKIDSOMEBODY"}, here), AuthFaultKind::kUnrecognizedClient) << "another key";
  EXPECT_EQ(kind({}, there), std::nullopt) << "another address";
  clock_.AdvanceMillis(1000);
  EXPECT_EQ(kind({}, here), std::nullopt);

  SignedTestRequest request({.signature = "0"});
  Arena arena;
  for (int i = 0; i < 3; ++i) (void)verifier.Verify(request.http(), {.client = &here}, arena);
  const auto refused = verifier.Verify(request.http(), {.client = &here}, arena);
  EXPECT_EQ(ToApiError(refused.error()).name, "ThrottlingException");
  EXPECT_EQ(refused.error().message, "Rate exceeded");
}

TEST_F(SignatureVerifierTest, StrangersDoNotPutOffWhoComesFromTheSameAddressWithAKeyOfHisOwn) {
  FailureBackoff backoff({.failures_of_key = 3, .failures_of_address = 6, .window_millis = 1000, .pause_millis = 1000},
                         clock_, 1);
  const SignatureVerifier verifier(keys_, clock_, &backoff);
  const FixedAddress here("192.0.2.1");
  const auto kind = [&](TestRequest request) {
    SignedTestRequest signed_request(std::move(request));
    Arena arena;
    auto verified = verifier.Verify(signed_request.http(), {.client = &here}, arena);
    return verified ? std::optional<AuthFaultKind>() : std::optional(verified.error().kind);
  };
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(kind({.key_id = fmt::format("AKIDNOBODY{}", i)}), AuthFaultKind::kUnrecognizedClient);
  EXPECT_EQ(kind({.key_id = "AKIDNOBODY7"}), AuthFaultKind::kThrottled) << "nor are there others";
  EXPECT_EQ(kind({}), std::nullopt) << "his own";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(kind({.signature = "0"}), AuthFaultKind::kInvalidSignature);
  EXPECT_EQ(kind({}), AuthFaultKind::kThrottled) << "that one fails by itself now";
}

// A ring that remembers what it was told of.
class NotingRing final : public KeyRing {
 public:
  explicit NotingRing(const KeyRing& keys) : keys_(keys) {}
  bool is_empty() const override { return keys_.is_empty(); }
  std::shared_ptr<const AccessKey> Find(std::string_view id, std::string_view token) const override {
    return keys_.Find(id, token);
  }
  void NoteUse(const AccessKey& key, std::string_view region, std::string_view service,
               int64_t now_millis) const override {
    noted.push_back(fmt::format("{} {} {} {}", key.id, region, service, now_millis));
  }
  mutable std::vector<std::string> noted;

 private:
  const KeyRing& keys_;
};

TEST_F(SignatureVerifierTest, OnlyRightSignaturesAreUses) {
  const NotingRing ring(keys_);
  const SignatureVerifier verifier(ring, clock_);
  Arena arena;
  SignedTestRequest wrong({.signature = "0"});
  EXPECT_FALSE(verifier.Verify(wrong.http(), {}, arena));
  EXPECT_TRUE(ring.noted.empty());
  SignedTestRequest right({});
  EXPECT_TRUE(verifier.Verify(right.http(), {}, arena));
  EXPECT_EQ(ring.noted, std::vector<std::string>{"AKIDEXAMPLE us-east-1 dynamodb 1440938160000"});
}

TEST(AuthFaultTest, EachProtocolHasItsOwnNames) {
  const auto told = [](AuthFaultKind kind) {
    const QueryFault query = QueryFaultOf(kind);
    return fmt::format("{} {} {}", ToApiError({kind, "text"}).name, query.code, query.http_status);
  };
  EXPECT_EQ(told(AuthFaultKind::kMissingToken), "MissingAuthenticationTokenException MissingAuthenticationToken 403");
  EXPECT_EQ(told(AuthFaultKind::kIncompleteSignature), "IncompleteSignatureException IncompleteSignature 400");
  EXPECT_EQ(told(AuthFaultKind::kInvalidSignature), "InvalidSignatureException SignatureDoesNotMatch 403");
  EXPECT_EQ(told(AuthFaultKind::kUnrecognizedClient), "UnrecognizedClientException InvalidClientTokenId 403");
  EXPECT_EQ(told(AuthFaultKind::kExpiredToken), "ExpiredTokenException ExpiredToken 403");
  EXPECT_EQ(told(AuthFaultKind::kThrottled), "ThrottlingException Throttling 400");
  EXPECT_EQ(ToApiError({AuthFaultKind::kThrottled, "text"}).family, model::ErrorFamily::kCoralAvailability);
  EXPECT_EQ(ToApiError({AuthFaultKind::kExpiredToken, "text"}).message, "text");
}

}  // namespace
}  // namespace armature::auth
