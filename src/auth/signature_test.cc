#include "auth/signature.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "auth/percent_encoding.h"
#include "auth/request_signer.h"

namespace armature::auth {
namespace {

// The identity, time and scope of AWS's published examples.
constexpr std::string_view kSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
constexpr std::string_view kTime = "20150830T123600Z";
constexpr std::string_view kDay = "20150830";
constexpr int64_t kUnixSeconds = 1440938160;

std::string SignatureOf(std::string_view method, std::string_view path, std::string_view query,
                        std::vector<net::Header> headers, std::string_view signed_headers, std::string_view body) {
  headers.push_back({"Host", "example.amazonaws.com"});
  headers.push_back({"X-Amz-Date", kTime});
  return std::string(Sign({method, path, query, headers, signed_headers}, HexDigest(Sha256::Of(body)), kTime,
                          CredentialScope(kDay, "us-east-1", "service"),
                          SigningKey(kSecret, kDay, "us-east-1", "service"))
                         .text());
}

TEST(SignatureTest, TheKeyIsThatOfTheDocumentation) {
  EXPECT_EQ(HexDigest(SigningKey(kSecret, kDay, "us-east-1", "iam")).text(),
            "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
}

TEST(SignatureTest, TimeAndScopeAreWritten) {
  EXPECT_EQ(SignatureTime(kUnixSeconds), kTime);
  EXPECT_EQ(SignatureTime(0), "19700101T000000Z");
  EXPECT_EQ(CredentialScope(kDay, "eu-west-1", "kinesis"), "20150830/eu-west-1/kinesis/aws4_request");
  EXPECT_EQ(StringToSignHead(kTime, "scope"), "AWS4-HMAC-SHA256\n20150830T123600Z\nscope\n");
}

TEST(SignatureTest, WhatWasSignedBeforeDoesNotMatter) {
  const Sha256Digest key = SigningKey(kSecret, kDay, "us-east-1", "service");
  const HmacSha256 prepared(BytesOf(key));
  SigningScratch scratch;
  const auto check = [&](std::vector<net::Header> headers, std::string_view names, std::string_view body) {
    const SignedParts parts{"POST", "/", "", headers, names};
    const HexDigest hash(Sha256::Of(body));
    EXPECT_EQ(Sign(parts, hash, kTime, "scope", prepared, scratch).text(),
              Sign(parts, hash, kTime, "scope", key).text())
        << names << " " << body;
  };
  for (const size_t length : {0, 1, 20, 63, 64, 65, 200, 70'000, 3}) {
    const std::string value(length, 'v');
    for (const std::string_view body : {"a", "b"}) {
      check({{"host", "h"}, {"x", value}}, "host;x", body);
      check({{"host", "h"}, {"x", value}}, "host;x", body);        // the same again
      check({{"host", "i"}, {"x", value}}, "host;x", body);        // differs in the first block,
      check({{"host", "i"}, {"x", value + "w"}}, "host;x", body);  // and in the last
    }
  }
}

// The first is an example AWS publishes; the others were computed with botocore 1.29 for the same requests.
TEST(SignatureTest, SignaturesAreThoseOfTheSdk) {
  EXPECT_EQ(SignatureOf("GET", "/", "", {}, "host;x-amz-date", ""),
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  EXPECT_EQ(SignatureOf("GET", "/", "b=2&a=1&a=0", {}, "host;x-amz-date", ""),
            "dd8989ad10d82ea70aa7459f287d94a3f9b1395e5652d0d4bfc536b8fb4279f7");
  EXPECT_EQ(SignatureOf("GET", "/a//b/../c%20d/~x/./", "", {}, "host;x-amz-date", ""),
            "335e7e58e6d3bd1c55be023e7582672fc36d3df4f5d26bcf6bd3cc66c6f6c434");
  EXPECT_EQ(SignatureOf("POST", "/",
                        "X=%2Fa%20b&A=", {{"My-Header", "  a   b  "}, {"Content-Type", "application/x-amz-json-1.0"}},
                        "content-type;host;my-header;x-amz-date", R"({"a":1})"),
            "2b349be3b8ac0496a46cc11423ca9544943df5c34d1c35dd4d409b29cde97930");
  EXPECT_EQ(SignatureOf("PUT", "/%C3%A9(1)/*", "", {{"Zz", ""}, {"X-Amz-Target", "T.O"}},
                        "host;x-amz-date;x-amz-target;zz", "\xC3\xA9"),
            "904d43264a08818cd954ccdcfd271e6117cdcd88db7f4be9672b2461b17fd0aa");
}

TEST(SignatureTest, PathsLoseTheirDotsAndAreEncodedOnceMore) {
  EXPECT_EQ(CanonicalPath(""), "/");
  EXPECT_EQ(CanonicalPath("/"), "/");
  EXPECT_EQ(CanonicalPath("/.."), "/");
  EXPECT_EQ(CanonicalPath("/a/./b/../c/"), "/a/c/");
  EXPECT_EQ(CanonicalPath("//a///b"), "/a/b");
  EXPECT_EQ(CanonicalPath("/a%2Fb"), "/a%252Fb");
}

TEST(SignatureTest, QueriesAreSortedAndEncodedInOneWay) {
  EXPECT_EQ(CanonicalQuery(""), "");
  EXPECT_EQ(CanonicalQuery("b=1&a"), "a=&b=1");
  EXPECT_EQ(CanonicalQuery("a=b=c&a=%2f&&=x"), "=x&a=%2F&a=b%3Dc");
  EXPECT_EQ(CanonicalQuery("a=x+y&a=%"), "a=%25&a=x%20y");
}

TEST(SignatureTest, APresignedSignatureDoesNotSignItself) {
  EXPECT_EQ(CanonicalQuery("X-Amz-Signature=00ff&X-Amz-Date=d"), "X-Amz-Date=d");
}

TEST(SignatureTest, RepeatedHeadersAreOneAndOthersAreNotSigned) {
  const std::vector<net::Header> headers = {{"X-A", "1"}, {"Ignored", "i"}, {"x-a", " 2  3 "}, {"Host", "h"}};
  EXPECT_EQ(CanonicalHead({"GET", "/", "", headers, "host;x-a;x-missing"}),
            "GET\n/\n\nhost:h\nx-a:1,2 3\nx-missing:\n\nhost;x-a;x-missing\n");
}

TEST(SignatureTest, NamesOfHeadersBecomeCanonical) {
  Arena arena;
  EXPECT_EQ(CanonicalHeaderNames("host;x-amz-date", arena), "host;x-amz-date");
  EXPECT_EQ(arena.bytes_reserved(), 0u);
  EXPECT_EQ(CanonicalHeaderNames("X-Amz-Date;Host", arena), "host;x-amz-date");
  EXPECT_EQ(CanonicalHeaderNames(";b;;A;b;", arena), "a;b");
  EXPECT_EQ(CanonicalHeaderNames("", arena), "");
  EXPECT_EQ(CanonicalHeaderNames(";", arena), "");
}

// A request of 16 KB may have thousands of headers and name thousands more: what is signed stays the same, and in
// order.
TEST(SignatureTest, ManyHeadersAreSignedLikeFew) {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back(fmt::format("X-{:04}", i * 7 % 3000));
  std::vector<net::Header> headers;
  for (const std::string& name : names) headers.push_back({name, "1"});
  for (const std::string& name : names) headers.push_back({name, " 2  3"});
  std::string signed_headers;
  std::string expected = "GET\n/\n\n";
  for (int i = 0; i < 4000; ++i) {
    signed_headers += fmt::format("{}x-{:04}", i == 0 ? "" : ";", i);
    expected += fmt::format("x-{:04}:{}\n", i, i < 3000 ? "1,2 3" : "");
  }
  expected.append("\n").append(signed_headers).append("\n");
  EXPECT_EQ(CanonicalHead({"GET", "/", "", headers, signed_headers}), expected);
}

TEST(PercentEncodingTest, DecodingUndoesEncoding) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  std::string encoded;
  PercentEncode(all, encoded);
  EXPECT_EQ(PercentDecode(encoded), all);
  Arena arena;
  EXPECT_EQ(PercentDecode(std::string_view("%zz%4"), arena), "%zz%4");
}

TEST(RequestSignerTest, AddsWhatIsSignedAndTheSignature) {
  HttpClientRequest request;
  request.url = "https://user@kinesis.eu-west-1.amazonaws.com:443/a?b=c#d";
  request.headers = {{"X-Amz-Target", "Kinesis_20131202.PutRecords"}, {"Content-Type", "application/x-amz-json-1.1"}};
  request.body = "{}";
  SignRequest({"AKIDEXAMPLE", std::string(kSecret), "token=="}, "eu-west-1", "kinesis", kUnixSeconds, request);
  ASSERT_EQ(request.headers.size(), 6u);
  EXPECT_EQ(request.headers[2].name, "Host");
  EXPECT_EQ(request.headers[2].value, "kinesis.eu-west-1.amazonaws.com");
  EXPECT_EQ(request.headers[3].value, kTime);
  EXPECT_EQ(request.headers[4].name, "X-Amz-Security-Token");
  EXPECT_EQ(request.headers[4].value, "token==");
  EXPECT_EQ(request.headers[5].name, "Authorization");
  // Computed with botocore 1.29.
  EXPECT_EQ(request.headers[5].value,
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-1/kinesis/aws4_request, "
            "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, "
            "Signature=6b0b2a8de63e17ba84bc9140056cf2d8d6c12791d202f199ab14aa1bf275267b");
}

TEST(RequestSignerTest, TheHostIsWhatTheUrlNames) {
  const auto host_of = [](const char* url) {
    HttpClientRequest request;
    request.url = url;
    SignRequest({"a", "b", ""}, "r", "s", 0, request);
    return request.headers[0].value;
  };
  EXPECT_EQ(host_of("http://127.0.0.1:4567"), "127.0.0.1:4567");
  EXPECT_EQ(host_of("http://h:80/"), "h");
  EXPECT_EQ(host_of("http://h:443?x"), "h:443");
  EXPECT_EQ(host_of("http://[::1]:8000/a"), "[::1]:8000");
  EXPECT_EQ(host_of("h:8000/"), "h:8000");
}

}  // namespace
}  // namespace armature::auth
