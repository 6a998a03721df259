#include "cli/bench/http/response_parser.h"

#include <cstring>
#include <string>

#include <gtest/gtest.h>

namespace armature::cli::bench {
namespace {

using State = ResponseParser::State;

void Feed(ResponseParser& parser, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::span<char> space = parser.Space();
    const size_t size = std::min(space.size(), bytes.size());
    std::memcpy(space.data(), bytes.data(), size);
    parser.Received(size);
    bytes.remove_prefix(size);
  }
}

constexpr std::string_view kPlain =
    "HTTP/1.1 200 OK\r\nServer: Server\r\ncontent-LENGTH: 7\r\nx-amz-crc32: 1\r\n\r\n{\"a\":1}";
constexpr std::string_view kChunked =
    "HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    "3\r\n{\"a\r\n4;x=y\r\n\":1}\r\n0\r\nTrailer: t\r\n\r\n";

TEST(ResponseParserTest, ContentLength) {
  ResponseParser parser;
  Feed(parser, kPlain);
  ASSERT_EQ(parser.Parse(), State::kDone);
  EXPECT_EQ(parser.status(), 200);
  EXPECT_EQ(parser.body(), "{\"a\":1}");
  EXPECT_FALSE(parser.closes());
}

TEST(ResponseParserTest, Chunked) {
  ResponseParser parser;
  Feed(parser, kChunked);
  ASSERT_EQ(parser.Parse(), State::kDone);
  EXPECT_EQ(parser.status(), 400);
  EXPECT_EQ(parser.body(), "{\"a\":1}");
  EXPECT_TRUE(parser.closes());
}

TEST(ResponseParserTest, EverySplitGivesTheSameAnswer) {
  for (const std::string_view whole : {kPlain, kChunked}) {
    for (size_t split = 1; split < whole.size(); ++split) {
      ResponseParser parser;
      Feed(parser, whole.substr(0, split));
      ASSERT_EQ(parser.Parse(), State::kNeedMore) << split;
      Feed(parser, whole.substr(split));
      ASSERT_EQ(parser.Parse(), State::kDone) << split;
      EXPECT_EQ(parser.body(), "{\"a\":1}");
    }
  }
}

TEST(ResponseParserTest, ByteByByte) {
  for (const std::string_view whole : {kPlain, kChunked}) {
    ResponseParser parser;
    for (size_t i = 0; i + 1 < whole.size(); ++i) {
      Feed(parser, whole.substr(i, 1));
      ASSERT_EQ(parser.Parse(), State::kNeedMore) << i;
    }
    Feed(parser, whole.substr(whole.size() - 1));
    EXPECT_EQ(parser.Parse(), State::kDone);
  }
}

TEST(ResponseParserTest, SeveralResponsesInOneRead) {
  ResponseParser parser;
  Feed(parser, std::string(kPlain) + std::string(kChunked) + std::string(kPlain));
  for (const int status : {200, 400, 200}) {
    ASSERT_EQ(parser.Parse(), State::kDone);
    EXPECT_EQ(parser.status(), status);
    EXPECT_EQ(parser.body(), "{\"a\":1}");
    parser.Consume();
  }
  EXPECT_EQ(parser.Parse(), State::kNeedMore);
}

TEST(ResponseParserTest, BodyLargerThanTheBuffer) {
  const std::string body(300'000, 'x');
  ResponseParser parser;
  Feed(parser, kPlain);
  ASSERT_EQ(parser.Parse(), State::kDone);
  parser.Consume();
  Feed(parser, "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + body);
  ASSERT_EQ(parser.Parse(), State::kDone);
  EXPECT_EQ(parser.body(), body);
}

TEST(ResponseParserTest, EmptyBody) {
  ResponseParser parser;
  Feed(parser, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_EQ(parser.Parse(), State::kDone);
  EXPECT_EQ(parser.body(), "");
}

TEST(ResponseParserTest, BrokenFramingIsBad) {
  for (const std::string_view bytes :
       {std::string_view("SSH-2.0-x\r\n\r\n"), std::string_view("HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n"),
        std::string_view("HTTP/1.1 200 OK\r\n\r\n"), std::string_view("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"),
        std::string_view("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"),
        std::string_view("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        std::string_view("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n")}) {
    ResponseParser parser;
    Feed(parser, bytes);
    EXPECT_EQ(parser.Parse(), State::kBad) << bytes;
  }
}

}  // namespace
}  // namespace armature::cli::bench
