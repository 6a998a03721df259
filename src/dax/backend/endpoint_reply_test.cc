// What an endpoint's reply is taken for.
#include "dax/backend/endpoint_reply.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wire/envelope/crc32.h"

namespace armature::dax {
namespace {

net::HttpReply MakeReply(int status, std::string_view body, std::vector<net::Header> headers = {}) {
  net::HttpReply reply;
  reply.status = status;
  reply.bytes.Append(body);
  reply.body = reply.bytes.view();
  reply.headers = std::move(headers);
  return reply;
}

TEST(EndpointReply, AnErrorKeepsAllThatDynamoDbSaid) {
  constexpr std::string_view kBody =
      R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"no","CancellationReasons":[]})";
  const BackendError error = ReadError(MakeReply(400, kBody, {{"x-amzn-RequestId", "ABC"}}));
  EXPECT_EQ(error.name, "TransactionCanceledException");
  EXPECT_EQ(error.message, "no");
  EXPECT_EQ(error.http_status, 400);
  EXPECT_EQ(error.request_id, "ABC");
  EXPECT_EQ(error.json, kBody);
  EXPECT_FALSE(error.is_outcome_unknown);
}

TEST(EndpointReply, NamesComeBehindAnyPrefixOrInAHeader) {
  for (const char* type : {"NameOfIt", "com.amazon.coral.validate#NameOfIt", "a#b#NameOfIt", "aws#NameOfIt:http://x/"})
    EXPECT_EQ(ReadError(MakeReply(400, fmt::format(R"({{"__type":"{}"}})", type))).name, "NameOfIt") << type;
  EXPECT_EQ(ReadError(MakeReply(400, "{}", {{"X-Amzn-Errortype", "NameOfIt:"}})).name, "NameOfIt");
  EXPECT_EQ(ReadError(MakeReply(400, R"({"message":"small"})")).message, "small");
}

TEST(EndpointReply, WhatIsNoErrorOfDynamoDbIsNamedAfterItsStatus) {
  EXPECT_EQ(ReadError(MakeReply(503, "<html>")).name, "ServiceUnavailable");
  EXPECT_EQ(ReadError(MakeReply(500, "")).name, "InternalServerError");
  EXPECT_EQ(ReadError(MakeReply(502, "[]")).name, "InternalServerError");
  EXPECT_EQ(ReadError(MakeReply(413, "")).name, "RequestEntityTooLarge");
  const BackendError error = ReadError(MakeReply(404, R"({"__type":7,"message":null})"));
  EXPECT_EQ(error.name, "InternalFailure");
  EXPECT_EQ(error.message, "The endpoint answered with HTTP status 404");
}

TEST(EndpointReply, AReplyIsWholeIfItsSumFits) {
  const std::string sum = std::to_string(wire::Crc32("{}"));
  EXPECT_TRUE(IsWhole(MakeReply(200, "{}")));
  EXPECT_TRUE(IsWhole(MakeReply(200, "{}", {{"X-Amz-Crc32", sum}})));
  for (const char* wrong : {"1", "x", "-1", "99999999999"})
    EXPECT_FALSE(IsWhole(MakeReply(200, "{}", {{"x-amz-crc32", wrong}}))) << wrong;
  EXPECT_TRUE(IsWhole(MakeReply(503, "sorry")));
  EXPECT_FALSE(IsWhole(MakeReply(503, "sorry", {{"x-amz-crc32", sum}})));
  for (const char* body : {"", "<html></html>", "{\"a\":", "[]"}) EXPECT_FALSE(IsWhole(MakeReply(200, body))) << body;
}

TEST(EndpointReply, RefusedKeysAreTold) {
  EXPECT_TRUE(IsRefusedKey(ReadError(MakeReply(400, R"({"__type":"x#ExpiredTokenException"})"))));
  EXPECT_TRUE(IsRefusedKey(ReadError(MakeReply(400, R"({"__type":"x#UnrecognizedClientException"})"))));
  EXPECT_FALSE(IsRefusedKey(ReadError(MakeReply(400, R"({"__type":"x#AccessDeniedException"})"))));
}

}  // namespace
}  // namespace armature::dax
