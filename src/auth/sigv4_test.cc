#include "auth/sigv4.h"

#include <array>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "auth/signature_time.h"

namespace armature::auth {
namespace {

constexpr std::array<std::string_view, 2> kServices{"dynamodb", "sts"};

constexpr std::string_view kGood =
    "AWS4-HMAC-SHA256 Credential=AKID/20130609/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, "
    "Signature=abc123";

net::HttpRequest Signed(std::string_view authorization, std::string_view date = "20130609T100015Z") {
  net::HttpRequest request;
  request.method = net::Method::kPost;
  request.path = "/";
  request.headers.push_back({"Host", "localhost"});
  if (!authorization.empty()) request.headers.push_back({"authorization", authorization});
  if (!date.empty()) request.headers.push_back({"x-amz-date", date});
  return request;
}

std::string ErrorOf(const net::HttpRequest& request) {
  Arena arena;
  auto result = ParseAuthorization(request, arena);
  if (result) return "accepted";
  const model::ApiError error = ToApiError(std::move(result).error());
  return error.name + ": " + error.message;
}

TEST(SigV4Test, ReadsTheHeaderForm) {
  net::HttpRequest request = Signed(kGood);
  request.headers.push_back({"X-Amz-Security-Token", "token"});
  Arena arena;
  auto credential = ParseAuthorization(request, arena);
  ASSERT_TRUE(credential) << credential.error().message;
  EXPECT_EQ(credential->access_key_id, "AKID");
  EXPECT_EQ(credential->scope_date, "20130609");
  EXPECT_EQ(credential->region, "us-east-1");
  EXPECT_EQ(credential->service, "dynamodb");
  EXPECT_EQ(credential->terminator, "aws4_request");
  EXPECT_EQ(credential->signed_headers, "host;x-amz-date");
  EXPECT_EQ(credential->signature, "abc123");
  EXPECT_EQ(credential->date, "20130609T100015Z");
  EXPECT_EQ(credential->session_token, "token");
  EXPECT_FALSE(credential->presigned);
  EXPECT_EQ(arena.bytes_reserved(), 0u);
  EXPECT_EQ(credential->scope, "20130609/us-east-1/dynamodb/aws4_request");
  EXPECT_EQ(credential->time, "20130609T100015Z");
  EXPECT_EQ(credential->signed_at_seconds, 1370772015);
  EXPECT_TRUE(CheckScope(*credential, kServices));
}

TEST(SigV4Test, SeparatorsOfTheHeaderMayVary) {
  for (std::string_view header : {"AWS4-HMAC-SHA256 Credential=a/b/c/d/e,SignedHeaders=host,Signature=f",
                                  "AWS4-HMAC-SHA256 Signature=f,   Credential=a/b/c/d/e,  SignedHeaders=host",
                                  "AWS4-HMAC-SHA256 Credential=a/b/c/d/e SignedHeaders=host Signature=f",
                                  "AWS4-HMAC-SHA256 Credential=a/b/c/d/e/, SignedHeaders=host, Signature=f"}) {
    EXPECT_EQ(ErrorOf(Signed(header)), "accepted") << header;
  }
}

// The Region becomes part of keys, records, ARNs and host names: in neither form does anything but a name get through.
TEST(SigV4Test, RegionsThatAreNoNamesAreRefusedInBothForms) {
  const auto header = [](std::string_view region) {
    return ErrorOf(Signed(fmt::format(
        "AWS4-HMAC-SHA256 Credential=k/20130609/{}/dynamodb/aws4_request, SignedHeaders=host, Signature=f", region)));
  };
  const auto query = [](std::string_view region) {
    const std::string text = fmt::format(
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=k%2F20130609%2F{}%2Fdynamodb%2Faws4_request&X-Amz-Signature="
        "f&X-Amz-SignedHeaders=host&X-Amz-Date=20130609T100015Z",
        region);
    net::HttpRequest request = Signed("", "");
    request.query = text;
    return ErrorOf(request);
  };
  EXPECT_EQ(header("us-east-1"), "accepted");
  EXPECT_EQ(query("us-east-1"), "accepted");
  const std::string refused = "InvalidSignatureException: Credential should be scoped to a valid region, not '";
  for (std::string_view region : {"us-east-1\xff", "", "evil.com", "a:b", "a@b", "a#b", "a\x1b"})
    EXPECT_EQ(header(region), fmt::format("{}{}'. ", refused, region));
  for (std::string_view region : {"us-east-1%00", "us-east-1%00Phantom", "us-east-1%ff", "a%0Ab", "evil.com%23", "a+b"})
    EXPECT_TRUE(query(region).starts_with(refused)) << query(region);
}

TEST(SigV4Test, AccessKeysThatAreNotVisibleTextAreRefused) {
  for (std::string_view key : {"a\xff", "a\x01", ""})
    EXPECT_EQ(
        ErrorOf(Signed(fmt::format(
            "AWS4-HMAC-SHA256 Credential={}/20130609/c/dynamodb/aws4_request, SignedHeaders=host, Signature=f", key))),
        "UnrecognizedClientException: The security token included in the request is invalid.");
}

TEST(SigV4Test, DateHeaderInsteadOfXAmzDate) {
  net::HttpRequest request = Signed(kGood, "");
  request.headers.push_back({"Date", "Sun, 09 Jun 2013 10:00:15 GMT"});
  EXPECT_EQ(ErrorOf(request), "accepted");
  Arena arena;
  const auto credential = ParseAuthorization(request, arena);
  EXPECT_EQ(credential->time, "20130609T100015Z");
  EXPECT_EQ(credential->signed_at_seconds, 1370772015);
}

TEST(SigV4Test, MissingToken) {
  const std::string missing = "MissingAuthenticationTokenException: Request is missing Authentication Token";
  EXPECT_EQ(ErrorOf(Signed("")), missing);
  EXPECT_EQ(ErrorOf(Signed("Basic abc")), missing);
  EXPECT_EQ(ErrorOf(Signed("AWS3-x")), missing);
}

TEST(SigV4Test, HeaderAndQueryTogether) {
  net::HttpRequest request = Signed(kGood);
  request.query = "X-Amz-Algorithm=x";
  EXPECT_EQ(ErrorOf(request),
            "InvalidSignatureException: Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as "
            "HTTP header.");
}

TEST(SigV4Test, MissingPartsAreListed) {
  EXPECT_EQ(ErrorOf(Signed("AWS4-HMAC-SHA256", "")),
            "IncompleteSignatureException: Authorization header requires 'Credential' parameter. Authorization header "
            "requires "
            "'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. Authorization header "
            "requires existence "
            "of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-HMAC-SHA256");
  EXPECT_EQ(ErrorOf(Signed("AWS4-HMAC-SHA256 Credential=a/b/c/d/e, Signature=x")),
            "IncompleteSignatureException: Authorization header requires 'SignedHeaders' parameter. "
            "Authorization=AWS4-HMAC-SHA256 Credential=a/b/c/d/e, Signature=x");
}

TEST(SigV4Test, PartsWithoutAnEqualSignAreTold) {
  EXPECT_EQ(ErrorOf(Signed("AWS4-HMAC-SHA256 Credential=AK ID/20130609/us-east-1/dynamodb/aws4_request", "")),
            "IncompleteSignatureException: 'ID/20130609/us-east-1/dynamodb/aws4_request' not a valid key=value pair "
            "(missing equal-sign) in Authorization header: 'AWS4-HMAC-SHA256 Credential=AK "
            "ID/20130609/us-east-1/dynamodb/aws4_request'.");
}

TEST(SigV4Test, TheLastOfARepeatedPartCountsAndOthersMayBeThere) {
  const net::HttpRequest request = Signed(
      "AWS4-HMAC-SHA256 "
      "Signature=old,Other=,Credential=a/b/c/d/e,,SignedHeaders=host,Signature=new,Credential=f/b/c/d/e");
  Arena arena;
  const auto credential = ParseAuthorization(request, arena);
  ASSERT_TRUE(credential) << credential.error().message;
  EXPECT_EQ(credential->signature, "new");
  EXPECT_EQ(credential->access_key_id, "f");
}

TEST(SigV4Test, TheFirstOfARepeatedHeaderOrParameterCounts) {
  net::HttpRequest request = Signed(kGood);
  request.headers.push_back({"Authorization", "AWS4-HMAC-SHA256"});
  request.headers.push_back({"X-Amz-Date", "nonsense"});
  EXPECT_EQ(ErrorOf(request), "accepted");
  net::HttpRequest presigned = Signed("", "");
  presigned.query =
      "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Algorithm=x&X-Amz-Credential=a/b/c/d/e&X-Amz-Date=20130609T100015Z&X-Amz-"
      "Date=x&X-Amz-SignedHeaders=host&X-Amz-Signature=first&X-Amz-Signature=second";
  Arena arena;
  const auto credential = ParseAuthorization(presigned, arena);
  ASSERT_TRUE(credential) << credential.error().message;
  EXPECT_EQ(credential->signature, "first");
}

TEST(SigV4Test, AnotherAlgorithmInAQueryIsNoSignature) {
  net::HttpRequest request = Signed("", "");
  request.query = "X-Amz-Algorithm=AWS4-ECDSA-P256-SHA256&X-Amz-Date=";
  EXPECT_EQ(ErrorOf(request), "MissingAuthenticationTokenException: Request is missing Authentication Token");
}

TEST(SigV4Test, TimesAreThoseOfTheCalendar) {
  EXPECT_EQ(ParseBasicTime("19700101T000000Z"), 0);
  EXPECT_EQ(ParseBasicTime("20150830T123600Z"), 1440938160);
  EXPECT_EQ(ParseBasicTime("20240229T235959Z"), 1709251199);
  for (const std::string_view text :
       {"", "20230229T000000Z", "20231301T000000Z", "20230001T000000Z", "20230100T000000Z", "20230101T240000Z",
        "20230101T006000Z", "20230101T000060Z", "20230101t000000Z", "20230101T000000z", "2023-101T000000Z",
        "20230101T000000Z ", "20230101T00000Z"})
    EXPECT_FALSE(ParseBasicTime(text)) << text;
  EXPECT_EQ(ParseHttpTime("Sun, 30 Aug 2015 12:36:00 GMT"), 1440938160);
  for (const std::string_view text :
       {"", "Sun, 30 Aug 2015 12:36:00 UTC", "Sun, 30 aug 2015 12:36:00 GMT", "Sun, 31 Feb 2015 12:36:00 GMT",
        "Sun, 3O Aug 2015 12:36:00 GMT", "Sun. 30 Aug 2015 12:36:00 GMT", "Sunday, 30-Aug-15 12:36:00 GMT"})
    EXPECT_FALSE(ParseHttpTime(text)) << text;
}

TEST(SigV4Test, FormOfDateAlgorithmAndCredential) {
  EXPECT_EQ(ErrorOf(Signed(kGood, "201")),
            "IncompleteSignatureException: Date must be in ISO-8601 'basic format'. Got '201'. See "
            "http://en.wikipedia.org/wiki/ISO_8601");
  EXPECT_EQ(
      ErrorOf(Signed("AWS4-HMAC-SHA25 Credential=a/b/c/d/e,SignedHeaders=h,Signature=s")),
      "IncompleteSignatureException: Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ");
  for (std::string credential : {"a/b/c/d", "a/b/c/d/e/f"}) {
    EXPECT_EQ(ErrorOf(Signed("AWS4-HMAC-SHA256 Credential=" + credential + ",SignedHeaders=h,Signature=s")),
              "IncompleteSignatureException: Credential must have exactly 5 slash-delimited elements, e.g. "
              "keyid/date/region/service/term, got '" +
                  credential + "'");
  }
}

TEST(SigV4Test, PresignedQuery) {
  net::HttpRequest request = Signed("", "");
  request.query =
      "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKID%2F20130609%2Feu-west-1%2Fdynamodb%2Faws4_request&X-Amz-"
      "Date=20130609T100015Z"
      "&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Security-Token=a%2Bb&X-Amz-Signature=f00";
  Arena arena;
  auto credential = ParseAuthorization(request, arena);
  ASSERT_TRUE(credential) << credential.error().message;
  EXPECT_TRUE(credential->presigned);
  EXPECT_EQ(credential->region, "eu-west-1");
  EXPECT_EQ(credential->session_token, "a+b");
  EXPECT_EQ(credential->signature, "f00");

  request.query = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=";
  EXPECT_EQ(ErrorOf(request),
            "IncompleteSignatureException: AWS query-string parameters must include 'X-Amz-Credential'. AWS "
            "query-string parameters must "
            "include 'X-Amz-Signature'. AWS query-string parameters must include 'X-Amz-SignedHeaders'. AWS "
            "query-string parameters must "
            "include 'X-Amz-Date'. Re-examine the query-string parameters.");
}

TEST(SigV4Test, ScopeFaultsAreListed) {
  Arena arena;
  const net::HttpRequest request = Signed("AWS4-HMAC-SHA256 Credential=a/b/c/d/e,SignedHeaders=h,Signature=s");
  auto credential = ParseAuthorization(request, arena);
  ASSERT_TRUE(credential);
  auto scope = CheckScope(*credential, kServices);
  ASSERT_FALSE(scope);
  EXPECT_EQ(scope.error().message,
            "Credential should be scoped to correct service: 'dynamodb'. Credential should be scoped with a valid "
            "terminator: 'aws4_request', "
            "not 'e'. Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: 'b' != "
            "'20130609', from "
            "'20130609T100015Z'.");
}

TEST(SigV4Test, MutatedHeadersNeverCrash) {
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string header(kGood);
    for (size_t i = 0, n = 1 + random() % 5; i < n && !header.empty(); ++i) {
      const size_t at = random() % header.size();
      if (random() % 2 == 0) {
        header[at] = "/=, ;\0%A"[random() % 8];
      } else {
        header.erase(at, 1 + random() % 20);
      }
    }
    ErrorOf(Signed(header));
    net::HttpRequest presigned = Signed("", "");
    presigned.query = header;
    ErrorOf(presigned);
  }
}

}  // namespace
}  // namespace armature::auth
