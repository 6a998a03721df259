// Signatures that were computed by others: with Python's hmac and hashlib from the definition, and by botocore 1.29.
// They must be believed, and nothing that differs from them in a byte.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "auth/verify/memory_key_ring.h"
#include "auth/verify/signature_testing.h"
#include "auth/verify/signature_verifier.h"

namespace armature::auth {
namespace {

class SignatureVectorsTest : public ::testing::Test {
 protected:
  SignatureVectorsTest() {
    keys_.Put(MakeTestUserKey());
    keys_.Put(MakeTestSessionKey());
  }

  std::string Caller(const net::HttpRequest& request, std::string_view service) {
    const std::array<std::string_view, 1> services{service};
    Arena arena;
    const auto verified = verifier_.Verify(request, {.services = services}, arena);
    return verified ? std::string(verified->principal.identity->user_id) : verified.error().message;
  }

  MemoryKeyRing keys_;
  ManualClock clock_{kTestMillis};
  const SignatureVerifier verifier_{keys_, clock_};
};

struct Vector {
  std::string_view name, method, path, query;
  std::vector<net::Header> headers;
  std::string_view signed_headers, body, signature;
};

constexpr net::Header kHost{"Host", "example.amazonaws.com"};
constexpr net::Header kDate{"X-Amz-Date", kTestTime};

// For Region us-east-1 and the service "service", as AWS's own published examples have it (the first two are such).
const std::vector<Vector>& Vectors() {
  static const std::vector<Vector> vectors = {
      {"AGetOfTheRoot",
       "GET",
       "/",
       "",
       {kHost, kDate},
       "host;x-amz-date",
       "",
       "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
      {"ParametersInAnyOrder",
       "GET",
       "/",
       "Param2=value2&Param1=value1",
       {kHost, kDate},
       "host;x-amz-date",
       "",
       "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
      {"RepeatedParametersSortByTheirValues",
       "GET",
       "/",
       "a=b&a=A&A=z&a=%2f&a=",
       {kHost, kDate},
       "host;x-amz-date",
       "",
       "939b34ebd17e7dcf0b9d2bf025575cd74973e2711be7a4bb7ffc4fa73fdcf990"},
      {"ParametersWithoutAValue",
       "GET",
       "/",
       "flag&&other=&x",
       {kHost, kDate},
       "host;x-amz-date",
       "",
       "8c79afa3c314532e5639abbaf549070fcfa64a97369edcdc865007c74159b6c2"},
      {"APlusIsABlankInAQuery",
       "GET",
       "/",
       "a=x+y&b=x%20y&c=x%2By",
       {kHost, kDate},
       "host;x-amz-date",
       "",
       "bd21c042b229241941e948723f6942dfa102dec0819e367d201ebf6a47e53235"},
      {"UnreservedCharactersStay",
       "GET",
       "/",
       "-._~0Az=-._~0Az&%7E=%7e",
       {kHost, kDate},
       "host;x-amz-date",
       "",
       "c958c930b91b728241179b5dd6f5330ab0c760a8f61610f10af09004e6f3502e"},
      {"BytesThatAreNoText",
       "GET",
       "/",
       "a=%ff%FE&%c3%A9=%00",
       {kHost, kDate},
       "host;x-amz-date",
       "",
       "e74556af95c7d74177bcf201ba1e17980d851d04da54c60daa27bf670f08c04e"},
      {"PathsAreEncodedOnceMore",
       "GET",
       "/a%20b/c+d",
       "",
       {kHost, kDate},
       "host;x-amz-date",
       "",
       "303c64ee863c607d40b77dfe327fd6531c3da99584a2a713cd6c8f1c2c897732"},
      {"DotSegmentsGo",
       "GET",
       "/a/./b/../../c/",
       "",
       {kHost, kDate},
       "host;x-amz-date",
       "",
       "f259e95ed875e35e1a19c9ee43dff4a6a6eb2ad206b5cf28b21f8106e83e50b0"},
      {"RepeatedSlashesGo",
       "POST",
       "//a///b//",
       "",
       {kHost, kDate},
       "host;x-amz-date",
       "x",
       "6f7a89724a9b3caad7b7f9403141bdba8a87196068895657e0098344db16f134"},
      {"BlanksInValuesFold",
       "POST",
       "/",
       "",
       {kHost, kDate, {"My-Header1", "a   b  \t c"}, {"My-Header2", "\"a   b   c\""}},
       "host;my-header1;my-header2;x-amz-date",
       "",
       "4a7a1ba878c4d4656a496b4bd9c821e8034fc596ef2aadd9cd48f833f60bb7e3"},
      {"RepeatedHeadersJoinUnsorted",
       "POST",
       "/",
       "",
       {kHost, {"zoo", "z"}, kDate, {"Zoo", "a"}, {"ZOO", "m"}},
       "host;x-amz-date;zoo",
       "",
       "8239bb4fac2ebe0564fae291bb05a3bcf3776e1e9369d8529246b755eeaa7b57"},
      {"AHeaderThatIsMissingIsEmpty",
       "POST",
       "/",
       "",
       {kHost, kDate},
       "host;x-amz-date;x-not-there",
       "",
       "22d0c6462c5a287e8ddba033e2643814a0ba2c45670ac563ab578631eccb1b20"},
      {"AnEmptyHeader",
       "POST",
       "/",
       "",
       {kHost, kDate, {"X-Empty", ""}},
       "host;x-amz-date;x-empty",
       "",
       "8e6a6987979fc8eb0342ee9442d47c8465d042dbe3f6febe36f60dab7b3b30eb"},
      {"HeadersThatAreNotSignedDoNotCount",
       "POST",
       "/",
       "",
       {{"Via", "1.1 proxy"}, kHost, kDate, {"User-Agent", "a b"}},
       "host;x-amz-date",
       "",
       "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
      {"APortIsPartOfTheHost",
       "POST",
       "/",
       "",
       {{"host", "localhost:8000"}, kDate},
       "host;x-amz-date",
       "{}",
       "605375ae91ac0a750b6c3d3c9b3cdb2f3243af4f8bbfe8e136cb5de70c0df3fd"},
      {"ABody",
       "POST",
       "/",
       "",
       {kHost, kDate, {"Content-Type", "application/x-amz-json-1.0"}, {"X-Amz-Target", "DynamoDB_20120810.GetItem"}},
       "content-type;host;x-amz-date;x-amz-target",
       "{\"TableName\":\"T\",\"Key\":{\"pk\":{\"S\":\"\xc3\xa9"
       "\"}}}",
       "cb296878f28bbf98cd3884e28f65211195dc4673b2fa78017a825d5b48e8de62"},
      {"AFormIsABody",
       "POST",
       "/",
       "",
       {kHost, kDate, {"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}},
       "content-type;host;x-amz-date",
       "Action=GetCallerIdentity&Version=2011-06-15",
       "d8aef9ef9f7b80305f829ce1b9c069c49c4fe4c4d2755d2c3b4fce2542ee0986"},
  };
  return vectors;
}

std::string AuthorizationOf(const Vector& vector, std::string_view signature) {
  return fmt::format(
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders={}, Signature={}",
      vector.signed_headers, signature);
}

net::HttpRequest RequestOf(const Vector& vector, std::string_view authorization) {
  net::HttpRequest request;
  request.method_name = vector.method;
  request.path = vector.path;
  request.query = vector.query;
  request.headers = vector.headers;
  request.headers.push_back({"Authorization", authorization});
  request.body = vector.body;
  return request;
}

TEST_F(SignatureVectorsTest, SignaturesComputedFromTheDefinitionAreBelieved) {
  for (const Vector& vector : Vectors()) {
    const std::string authorization = AuthorizationOf(vector, vector.signature);
    EXPECT_EQ(Caller(RequestOf(vector, authorization), "service"), "AIDAEXAMPLE") << vector.name;
  }
}

TEST_F(SignatureVectorsTest, AByteOfTheSignatureMakesItAnother) {
  for (const Vector& vector : Vectors()) {
    for (size_t i = 0; i < vector.signature.size(); ++i) {
      std::string signature(vector.signature);
      signature[i] = signature[i] == '0' ? '1' : '0';
      const std::string authorization = AuthorizationOf(vector, signature);
      EXPECT_EQ(Caller(RequestOf(vector, authorization), "service").substr(0, 21), "The request signature") << i;
    }
  }
}

TEST_F(SignatureVectorsTest, ABodyWithItsHashInAHeader) {
  const std::string hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
  const Vector vector{"",
                      "POST",
                      "/",
                      "",
                      {kHost, kDate, {"X-Amz-Content-Sha256", hash}},
                      "host;x-amz-content-sha256;x-amz-date",
                      "{}",
                      "5b44b333e6121a5f356e62b8b10ab906f5b61303a9ec54e6527a5e698a33360d"};
  const std::string authorization = AuthorizationOf(vector, vector.signature);
  EXPECT_EQ(Caller(RequestOf(vector, authorization), "service"), "AIDAEXAMPLE");
}

// --- botocore

constexpr std::string_view kGetItem = R"({"TableName":"Music","Key":{"Artist":{"S":"No One You Know"}}})";

net::HttpRequest DynamoDbRequest(std::string_view authorization) {
  net::HttpRequest request;
  request.method_name = "POST";
  request.path = "/";
  request.headers = {{"Content-Type", "application/x-amz-json-1.0"},
                     {"X-Amz-Target", "DynamoDB_20120810.GetItem"},
                     {"Host", "localhost:8000"},
                     {"User-Agent", "Boto3/1.26"},
                     kDate,
                     {"Authorization", authorization},
                     {"Content-Length", "62"}};
  request.body = kGetItem;
  return request;
}

TEST_F(SignatureVectorsTest, BotocoresHeaderFormIsBelieved) {
  const net::HttpRequest request = DynamoDbRequest(
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-1/dynamodb/aws4_request, "
      "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
      "Signature=483ca2aa7751f4c1c0ebcc30acf845afb48569de87a0c4cace14da9c18242141");
  EXPECT_EQ(Caller(request, "dynamodb"), "AIDAEXAMPLE");
}

TEST_F(SignatureVectorsTest, BotocoresHeaderFormWithASessionTokenIsBelieved) {
  net::HttpRequest request = DynamoDbRequest(
      "AWS4-HMAC-SHA256 Credential=ASIATEMPEXAMPLE/20150830/eu-west-1/dynamodb/aws4_request, "
      "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, "
      "Signature=5ca4880a9d9f582255da5bc5e55f321ce75779211df3423dfddc41bb90e91a70");
  request.headers.push_back({"X-Amz-Security-Token", kTestToken});
  EXPECT_EQ(Caller(request, "dynamodb"), "AROAEXAMPLE:tuesday");
}

TEST_F(SignatureVectorsTest, BotocoresFormsForIamAreBelieved) {
  net::HttpRequest request;
  request.method_name = "POST";
  request.path = "/";
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"},
                     {"Host", "localhost:8000"},
                     kDate,
                     {"Authorization",
                      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
                      "SignedHeaders=content-type;host;x-amz-date, "
                      "Signature=3b10c3656837528a5ac640a0d05484a87a06f6bb88b3ec00c7647aa89a976035"}};
  request.body = "Action=GetUser&Version=2010-05-08";
  EXPECT_EQ(Caller(request, "iam"), "AIDAEXAMPLE");
}

TEST_F(SignatureVectorsTest, BotocoresPathsForLambdaAreBelieved) {
  net::HttpRequest request;
  request.method_name = "GET";
  request.path = "/2015-03-31/event-source-mappings/a%20b/";
  request.query = "MaxItems=1&EventSourceArn=arn%3Aaws%3Adynamodb";
  request.headers = {{"Host", "localhost:8000"},
                     kDate,
                     {"Authorization",
                      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/lambda/aws4_request, "
                      "SignedHeaders=host;x-amz-date, "
                      "Signature=05a9f01da882c384deacc309e4cc6dc3dc79431a7a2843ff05a5a15260ef9f4d"}};
  EXPECT_EQ(Caller(request, "lambda"), "AIDAEXAMPLE");
}

net::HttpRequest PresignedRequest(std::string_view method, std::string_view query) {
  net::HttpRequest request;
  request.method_name = method;
  request.path = "/";
  request.query = query;
  request.headers = {{"Host", "localhost:8000"}};
  return request;
}

// What Kubernetes and others send as a token.
TEST_F(SignatureVectorsTest, BotocoresPresignedFormWithAHeaderIsBelieved) {
  net::HttpRequest request = PresignedRequest(
      "GET",
      "Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
      "AKIDEXAMPLE%2F20150830%2Fus-east-2%2Fsts%2Faws4_request&X-Amz-Date=20150830T123600Z&X-Amz-Expires=60&X-Amz-"
      "SignedHeaders=host%3Bx-k8s-aws-id&X-Amz-Signature="
      "169ae5056650c0507aaafb0d2c33724a9bcd20e82adff1eaf80e53e76cc62b2d");
  request.headers.push_back({"x-k8s-aws-id", "my cluster"});
  EXPECT_EQ(Caller(request, "sts"), "AIDAEXAMPLE");
  request.headers.back().value = "another cluster";
  EXPECT_EQ(Caller(request, "sts").substr(0, 21), "The request signature");
}

TEST_F(SignatureVectorsTest, BotocoresPresignedFormWithASessionTokenIsBelieved) {
  EXPECT_EQ(Caller(PresignedRequest(
                       "GET",
                       "Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
                       "ASIATEMPEXAMPLE%2F20150830%2Fus-east-2%2Fsts%2Faws4_request&X-Amz-Date=20150830T123600Z&X-Amz-"
                       "Expires=604800&X-Amz-SignedHeaders=host&X-Amz-Security-Token=FwoGZXIvYXdzEXAMPLE%2F%2Ftoken%"
                       "2Bwith%2F%3D%3D&X-Amz-Signature="
                       "619b4c7ce64e4fc4c7f7e4f78fa29047a7dced8bf1b044f3a5022646c553ef65"),
                   "sts"),
            "AROAEXAMPLE:tuesday");
}

TEST_F(SignatureVectorsTest, BotocoresPresignedPostIsBelieved) {
  net::HttpRequest request = PresignedRequest(
      "POST",
      "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20150830%2Fus-east-1%2Fdynamodb%2Faws4_request&"
      "X-"
      "Amz-Date=20150830T123600Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host%3Bx-amz-target&X-Amz-Signature="
      "f82d48a2fbac405eb175117f8e686c1717c34da32a0747e3de1c38c1aa876fd5");
  request.headers.push_back({"X-Amz-Target", "DynamoDB_20120810.ListTables"});
  EXPECT_EQ(Caller(request, "dynamodb"), "AIDAEXAMPLE");
  request.body = "{}";
  EXPECT_EQ(Caller(request, "dynamodb").substr(0, 21), "The request signature") << "a body is signed, if there is one";
}

}  // namespace
}  // namespace armature::auth
