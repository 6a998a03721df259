#include "auth/site_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::auth {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

net::HttpRequest Request(std::vector<net::Header> headers) {
  net::HttpRequest request;
  request.method = net::Method::kPost;
  request.path = "/";
  request.headers = std::move(headers);
  return request;
}

bool TakesHost(const SitePolicy& policy, std::string_view host) {
  return static_cast<bool>(policy.Check(Request({{"X", "y"}, {"host", host}})));
}

bool TakesOrigin(const SitePolicy& policy, std::string_view origin) {
  return static_cast<bool>(policy.Check(Request({{"Host", "localhost:8000"}, {"Origin", origin}})));
}

std::string GrantFor(const SitePolicy& policy, std::vector<net::Header> headers) {
  net::HttpResponse response;
  policy.Grant(Request(std::move(headers)), response);
  return std::string(response.rendered_headers());
}

TEST(SitePolicy, LoopbackIsAlwaysAHost) {
  for (const std::string_view bound : {"127.0.0.1", "::1", "localhost", "0.0.0.0", "10.0.0.7"})
    for (const std::string_view host :
         {"127.0.0.1", "127.0.0.1:8000", "127.8.9.10:1", "[::1]", "[::1]:8000", "localhost", "LocalHost:8000",
          "[0:0:0:0:0:0:0:1]:8000", "[::ffff:127.0.0.1]:8000", "localhost:"})
      EXPECT_TRUE(TakesHost(SitePolicy(bound, {}, {}), host)) << bound << " " << host;
}

TEST(SitePolicy, ANameThatDnsMayTurnToUsIsNoHost) {
  for (const std::string_view bound : {"127.0.0.1", "::1", "0.0.0.0", "::", "10.0.0.7", "myhost", ""})
    for (const std::string_view host :
         {"evil.example", "evil.example:8000", "127.0.0.1.evil.example:8000", "localhost.evil.example",
          "localhost@evil", "evil.example:80:80", "127.0.0.1:8000x", "[::1", "[::1]x", "[evil.example]:8000",
          "127.1.evil", "", ":8000", "2130706433.evil", "lo\xffhost"})
      EXPECT_FALSE(TakesHost(SitePolicy(bound, {}, {}), host)) << bound << " " << host;
}

TEST(SitePolicy, TheAddressListenedOnIsAHost) {
  const SitePolicy one("10.0.0.7", {}, {});
  EXPECT_TRUE(TakesHost(one, "10.0.0.7:8000"));
  EXPECT_FALSE(TakesHost(one, "10.0.0.8:8000"));
  EXPECT_FALSE(TakesHost(SitePolicy("127.0.0.1", {}, {}), "10.0.0.7:8000"));
  EXPECT_TRUE(TakesHost(SitePolicy("fe80::1", {}, {}), "[FE80::1]:8000"));
  EXPECT_TRUE(TakesHost(SitePolicy("myhost", {}, {}), "MyHost:8000"));
}

TEST(SitePolicy, AServerOnAllAddressesTakesAnyAddressButNoName) {
  for (const std::string_view bound : {"0.0.0.0", "::", ""}) {
    const SitePolicy all(bound, {}, {});
    EXPECT_TRUE(TakesHost(all, "192.168.1.20:8000"));
    EXPECT_TRUE(TakesHost(all, "[2001:db8::1]:8000"));
    EXPECT_FALSE(TakesHost(all, "armature:8000"));
  }
}

TEST(SitePolicy, AGivenNameIsAHostWhateverThePort) {
  const SitePolicy policy("0.0.0.0", {"armature", "db.example.org"}, {});
  EXPECT_TRUE(TakesHost(policy, "armature"));
  EXPECT_TRUE(TakesHost(policy, "Armature:8000"));
  EXPECT_TRUE(TakesHost(policy, "db.example.org:1"));
  EXPECT_FALSE(TakesHost(policy, "example.org"));
  EXPECT_FALSE(TakesHost(policy, "x.armature"));
  EXPECT_TRUE(TakesHost(SitePolicy("127.0.0.1", {"*"}, {}), "anything.example"));
}

TEST(SitePolicy, WithoutAHostThereIsNoBrowser) { EXPECT_TRUE(SitePolicy("127.0.0.1", {}, {}).Check(Request({}))); }

TEST(SitePolicy, RefusalIsAnAccessDeniedThatSaysWhatHelps) {
  const SitePolicy policy("127.0.0.1", {}, {});
  const auto by_host = policy.Check(Request({{"Host", "evil.example"}}));
  ASSERT_FALSE(by_host);
  EXPECT_EQ(by_host.error().http_status, 403);
  EXPECT_EQ(by_host.error().name, "AccessDeniedException");
  EXPECT_THAT(by_host.error().message, HasSubstr("'evil.example'"));
  EXPECT_THAT(by_host.error().message, HasSubstr("--allowed-host"));
  const auto by_origin = policy.Check(Request({{"Host", "localhost"}, {"Origin", "https://evil.example"}}));
  ASSERT_FALSE(by_origin);
  EXPECT_EQ(by_origin.error().http_status, 403);
  EXPECT_THAT(by_origin.error().message, HasSubstr("--cors-origin"));
  const auto hostile = policy.Check(Request({{"Host", "\xff\xfe\""}}));
  ASSERT_FALSE(hostile);
  EXPECT_THAT(hostile.error().message, Not(HasSubstr("\xff")));
}

TEST(SitePolicy, APageIsRefusedUnlessItsOriginWasGiven) {
  const SitePolicy none("127.0.0.1", {}, {});
  for (const std::string_view origin : {"https://evil.example", "null", "http://localhost:8000", "", "*"})
    EXPECT_FALSE(TakesOrigin(none, origin)) << origin;
  const SitePolicy one("127.0.0.1", {}, {"http://localhost:3000", "https://app.example"});
  EXPECT_TRUE(TakesOrigin(one, "http://localhost:3000"));
  EXPECT_TRUE(TakesOrigin(one, "https://APP.example"));
  for (const std::string_view origin : {"http://localhost:3001", "http://localhost", "https://localhost:3000", "null",
                                        "https://app.example.evil.example", "https://app.example:8443"})
    EXPECT_FALSE(TakesOrigin(one, origin)) << origin;
  EXPECT_FALSE(one.Check(Request({{"Origin", "https://app.example"}, {"origin", "https://evil.example"}})))
      << "a second Origin is not hidden behind the first";
  EXPECT_TRUE(TakesOrigin(SitePolicy("127.0.0.1", {}, {"*"}), "null"));
}

TEST(SitePolicy, AGrantNamesTheOriginAndWhatMayBeRead) {
  const SitePolicy policy("127.0.0.1", {}, {"http://localhost:3000"});
  EXPECT_EQ(GrantFor(policy, {}), "");
  const std::string grant = GrantFor(policy, {{"Origin", "http://localhost:3000"}});
  EXPECT_THAT(grant, HasSubstr("Access-Control-Allow-Origin: http://localhost:3000\r\n"));
  EXPECT_THAT(grant, HasSubstr("Vary: Origin\r\n"));
  EXPECT_THAT(grant, HasSubstr("x-amzn-RequestId,"));
  EXPECT_THAT(grant, HasSubstr("x-amz-crc32"));
  EXPECT_THAT(grant, Not(HasSubstr("Private-Network")));
  EXPECT_THAT(
      GrantFor(policy, {{"Origin", "http://localhost:3000"}, {"Access-Control-Request-Private-Network", "true"}}),
      HasSubstr("Access-Control-Allow-Private-Network: true\r\n"));
  EXPECT_THAT(GrantFor(SitePolicy("127.0.0.1", {}, {"*"}), {{"Origin", "null"}}),
              HasSubstr("Access-Control-Allow-Origin: *\r\n"));
}

TEST(SitePolicy, OwnersTextsAreChecked) {
  for (const std::string_view host : {"armature", "db.example.org", "my_db", "10.0.0.7", "fe80::1", "*"})
    EXPECT_TRUE(SitePolicy::CheckHost(host).ok()) << host;
  for (const std::string_view host : {"", "armature:8000", "http://armature", "a b", "[::1]", "*.example.org"})
    EXPECT_FALSE(SitePolicy::CheckHost(host).ok()) << host;
  for (const std::string_view origin :
       {"http://localhost:3000", "https://app.example", "http://[::1]:3000", "chrome-extension://abcdef", "*"})
    EXPECT_TRUE(SitePolicy::CheckOrigin(origin).ok()) << origin;
  for (const std::string_view origin :
       {"", "localhost:3000", "http://localhost:3000/", "http://a/b", "null", "http://", "://a", "http://a b"})
    EXPECT_FALSE(SitePolicy::CheckOrigin(origin).ok()) << origin;
}

}  // namespace
}  // namespace armature::auth
