#include "dax/backend/endpoint_url.h"

#include <gtest/gtest.h>

namespace armature::dax {
namespace {

EndpointUrl Parsed(std::string_view text) {
  const auto url = ParseEndpointUrl(text);
  EXPECT_TRUE(url) << text;
  return url ? *url : EndpointUrl{};
}

TEST(EndpointUrl, TheSchemeSaysThePortUnlessThereIsOne) {
  const EndpointUrl plain = Parsed("http://db.test");
  EXPECT_FALSE(plain.is_secure);
  EXPECT_EQ(plain.host, "db.test");
  EXPECT_EQ(plain.port, 80);
  EXPECT_EQ(plain.path, "/");
  EXPECT_EQ(plain.authority, "db.test");
  const EndpointUrl secure = Parsed("https://dynamodb.eu-west-1.amazonaws.com/");
  EXPECT_TRUE(secure.is_secure);
  EXPECT_EQ(secure.port, 443);
  EXPECT_EQ(secure.authority, "dynamodb.eu-west-1.amazonaws.com");
  const EndpointUrl other = Parsed("https://127.0.0.1:8443/behind/a/proxy");
  EXPECT_EQ(other.port, 8443);
  EXPECT_EQ(other.path, "/behind/a/proxy");
  EXPECT_EQ(other.authority, "127.0.0.1:8443");
  EXPECT_EQ(Parsed("http://h:80").authority, "h");
}

TEST(EndpointUrl, AnAddressOfIPv6StandsInBrackets) {
  const EndpointUrl url = Parsed("http://[::1]:8000");
  EXPECT_EQ(url.host, "::1");
  EXPECT_EQ(url.port, 8000);
  EXPECT_EQ(url.authority, "[::1]:8000");
  EXPECT_EQ(Parsed("https://[fe80::1]").authority, "[fe80::1]");
}

TEST(EndpointUrl, WhatIsNoEndpointIsRefused) {
  for (const char* text : {"", "localhost:8000", "ftp://x", "http://", "http:///x", "http://:80", "http://h:",
                           "http://h:0", "http://h:x", "http://h:65536", "http://[::1", "http://[]:1", "http://[::1]x",
                           "http://u@h", "http://h/?q", "http://h#f", "http://h h", "http://h\r\nX: y"})
    EXPECT_FALSE(ParseEndpointUrl(text)) << text;
}

}  // namespace
}  // namespace armature::dax
