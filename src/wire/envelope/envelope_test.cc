#include "wire/envelope/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/envelope/compression.h"
#include "wire/envelope/crc32.h"

namespace armature::wire {
namespace {

using ::testing::HasSubstr;

const std::string kId(52, 'A');

net::HttpRequest Request(net::Method method, std::string_view path = "/", std::vector<net::Header> headers = {},
                         std::string_view body = {}) {
  net::HttpRequest request;
  request.method = method;
  request.path = path;
  request.headers = std::move(headers);
  request.body = body;
  return request;
}

std::string Headers(const net::HttpResponse& response) { return std::string(response.rendered_headers()); }

TEST(EnvelopeTest, AnotherMethodPathOrTypeIsNoOperation) {
  const std::vector<net::Header> json = {{"Content-Type", "application/x-amz-json-1.0"}};
  for (const auto& request : {Request(net::Method::kPut, "/", json, "{}"), Request(net::Method::kGet),
                              Request(net::Method::kOptions), Request(net::Method::kPost, "/x", json, "{}"),
                              Request(net::Method::kPost, "/", {{"Content-Type", "text/plain"}}, "{}"),
                              Request(net::Method::kPost, "/", {}, "{}")})
    EXPECT_EQ(AwsJsonType(request), "");
}

TEST(EnvelopeTest, TheContentTypeIsEchoedWithoutParameters) {
  for (auto [sent, echoed] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"application/x-amz-json-1.0", "application/x-amz-json-1.0"},
           {"application/x-amz-json-1.0 ; charset=utf-8", "application/x-amz-json-1.0"},
           {"application/json;charset=utf-8", "application/json"}})
    EXPECT_EQ(AwsJsonType(Request(net::Method::kPost, "/", {{"content-type", sent}}, "{}")), echoed);
  EXPECT_EQ(AwsJsonType(Request(net::Method::kPost)), "application/json") << "no body: any type goes on";
}

TEST(EnvelopeTest, IdAndChecksumOfAShortBody) {
  net::HttpResponse response;
  response.body = "healthy: dynamodb.us-east-1.amazonaws.com ";
  Finish(Request(net::Method::kGet), kId, response);
  EXPECT_EQ(Headers(response), "x-amzn-RequestId: " + kId + "\r\nx-amz-crc32: 3128867991\r\n");
}

TEST(EnvelopeTest, Targets) {
  const auto route = [](std::string_view target) {
    const OperationSchema* schema = RouteTarget(Request(net::Method::kPost, "/", {{"x-amz-target", target}}));
    return schema == nullptr ? std::string_view("none") : schema->name;
  };
  EXPECT_EQ(route("DynamoDB_20120810.GetItem"), "GetItem");
  EXPECT_EQ(route("DynamoDBStreams_20120810.GetRecords"), "GetRecords");
  EXPECT_EQ(route("DynamoDBStreams_20120810.GetItem"), "none");
  EXPECT_EQ(route("Armature_20261116.SplitPartition"), "SplitPartition");
  EXPECT_EQ(route("DynamoDB_20120810.SplitPartition"), "none");
  EXPECT_EQ(route("DynamoDB_20111205.GetItem"), "none");
  EXPECT_EQ(route("DynamoDB_20120810.getItem"), "none");
  EXPECT_EQ(route("DynamoDB_20120810.GetItem.x"), "none");
  EXPECT_EQ(route("GetItem"), "none");
  EXPECT_EQ(RouteTarget(Request(net::Method::kPost)), nullptr);
}

TEST(EnvelopeTest, ErrorsAreRendered) {
  net::HttpResponse response;
  SetError(model::ValidationException("a \"quoted\"\nname"), response);
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body,
            R"({"__type":"com.amazon.coral.validate#ValidationException","message":"a \"quoted\"\nname"})");
  SetError(model::SerializationException(), response);
  EXPECT_EQ(response.body, R"({"__type":"com.amazon.coral.service#SerializationException"})");
  SetError(model::SerializationException("why"), response);
  EXPECT_EQ(response.body, R"({"__type":"com.amazon.coral.service#SerializationException","Message":"why"})");
  auto failed = model::ConditionalCheckFailedException();
  failed.extra_json_members = R"("Item":{})";
  SetError(failed, response);
  EXPECT_EQ(response.body, R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":)"
                           R"("The conditional request failed","Item":{}})");
  SetError(model::InternalServerError(), response);
  EXPECT_EQ(response.status, 500);
  model::ApiError nameless;
  nameless.http_status = 413;
  SetError(nameless, response);
  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(response.body, "");
}

TEST(EnvelopeTest, AnEmptyBodyHasAChecksumToo) {
  net::HttpResponse response;
  Finish(Request(net::Method::kPost), kId, response);
  EXPECT_THAT(Headers(response), HasSubstr("x-amz-crc32: 0\r\n"));
}

TEST(EnvelopeTest, LongRepliesAreCompressedWhenTheClientWantsIt) {
  const auto finish = [](std::vector<net::Header> headers, size_t size) {
    net::HttpResponse response;
    response.body = std::string(size, 'x');
    Finish(Request(net::Method::kPost, "/", std::move(headers)), kId, response);
    EXPECT_THAT(Headers(response), HasSubstr("x-amz-crc32: " + std::to_string(PortableCrc32(response.body)) + "\r\n"));
    return response;
  };
  EXPECT_EQ(finish({{"Accept-Encoding", "gzip"}}, 4096).body.size(), 4096u);
  EXPECT_EQ(finish({}, 5000).body.size(), 5000u);
  EXPECT_EQ(finish({{"Accept-Encoding", "identity"}, {"Accept-Encoding", "gzip"}}, 5000).body.size(), 5000u);
  EXPECT_EQ(finish({{"Accept-Encoding", "x-gzip, br"}}, 5000).body.size(), 5000u);
  for (auto [accept, coding] :
       std::initializer_list<std::pair<std::string_view, Coding>>{{"gzip", Coding::kGzip},
                                                                  {"deflate;q=0.5, gzip", Coding::kDeflate},
                                                                  {"gzip;q=0, deflate", Coding::kDeflate},
                                                                  {"br, *", Coding::kGzip}}) {
    const net::HttpResponse response = finish({{"accept-encoding", accept}}, 4097);
    EXPECT_THAT(Headers(response), HasSubstr("Content-Encoding: " + std::string(CodingName(coding)) + "\r\n"));
    std::string inflated;
    ASSERT_TRUE(Inflate(coding, response.body, 5000, 0, inflated).ok());
    EXPECT_EQ(inflated, std::string(4097, 'x'));
  }
}

std::string Compressed(Coding coding, std::string_view bytes) {
  std::string out;
  EXPECT_TRUE(Deflate(coding, bytes, out).ok());
  return out;
}

TEST(EnvelopeTest, CompressedRequests) {
  const auto body_of = [](std::string_view encoding, std::string_view bytes) -> std::string {
    std::string buffer;
    auto body = RequestBody(Request(net::Method::kPost, "/", {{"Content-Encoding", encoding}}, bytes), buffer);
    return body ? std::string(*body) : std::to_string(body.error().http_status) + body.error().name;
  };
  const std::string gzip = Compressed(Coding::kGzip, R"({"a":1})");
  EXPECT_EQ(body_of("gzip", gzip), R"({"a":1})");
  EXPECT_EQ(body_of("GZIP", gzip + Compressed(Coding::kGzip, " ")), R"({"a":1} )");
  EXPECT_EQ(body_of("deflate", Compressed(Coding::kDeflate, "{}")), "{}");
  EXPECT_EQ(body_of("identity", "{}"), "{}");
  EXPECT_EQ(body_of("br", "{}"), "400SerializationException");
  EXPECT_EQ(body_of("gzip", ""), "400SerializationException");
  EXPECT_EQ(body_of("gzip", "{}"), "400SerializationException");
  EXPECT_EQ(body_of("gzip", gzip.substr(0, gzip.size() - 3)), "400SerializationException");
  EXPECT_EQ(body_of("gzip", gzip + "x"), "400SerializationException");
  EXPECT_EQ(body_of("deflate", Compressed(Coding::kDeflate, "{}") + "x"), "400SerializationException");
  const std::string large(kMaxBodyBytes, ' ');
  EXPECT_EQ(body_of("gzip", Compressed(Coding::kGzip, large)).size(), kMaxBodyBytes);
  EXPECT_EQ(body_of("gzip", Compressed(Coding::kGzip, large + " ")), "413");

  // For what says that it is too long no room is made; what lies is inflated to the limit and no further.
  std::string buffer;
  std::string bomb = Compressed(Coding::kGzip, std::string(64 << 20, ' '));
  EXPECT_EQ(Inflate(Coding::kGzip, bomb, kMaxBodyBytes, 0, buffer).code(), StatusCode::kNoSpace);
  EXPECT_LE(buffer.capacity(), 16u * 1024);
  bomb.replace(bomb.size() - 4, 4, std::string("\x01\0\0\0", 4));
  EXPECT_EQ(Inflate(Coding::kGzip, bomb, kMaxBodyBytes, 0, buffer).code(), StatusCode::kNoSpace);
  EXPECT_LE(buffer.capacity(), 2 * kMaxBodyBytes);

  const std::string plain = "{}";
  auto untouched = RequestBody(Request(net::Method::kPost, "/", {}, plain), buffer);
  ASSERT_TRUE(untouched);
  EXPECT_EQ(untouched->data(), plain.data());
}

TEST(Crc32Test, AgreesWithZlibAtEveryLength) {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    EXPECT_EQ(Crc32(bytes), PortableCrc32(bytes)) << i;
    bytes += static_cast<char>(i * 131 + (i >> 3));
  }
  const std::string large(1'000'003, 'q');
  EXPECT_EQ(Crc32(large), PortableCrc32(large));
  EXPECT_EQ(Crc32("123456789"), 0xCBF43926u);
}

}  // namespace
}  // namespace armature::wire
