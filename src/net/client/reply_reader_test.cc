#include "net/client/reply_reader.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::net {
namespace {

using testing::HasSubstr;

constexpr ReplyLimits kLimits{.max_status_line_bytes = 100, .max_header_bytes = 200, .max_body_bytes = 1000};

struct Outcome {
  ParseState state = ParseState::kNeedMore;
  std::string error;
  bool can_reuse = false;
  HttpReply reply;
};

// Brings the bytes `step` at a time, then the end if told so.
Outcome ReadAll(std::string_view bytes, size_t step, bool ends = false, bool is_to_head = false) {
  ReplyReader reader(kLimits, is_to_head);
  Buffer in;
  in.Grow(64 * 1024);
  Outcome out;
  while (out.state == ParseState::kNeedMore && !bytes.empty()) {
    in.Append(bytes.substr(0, step));
    bytes.remove_prefix(std::min(step, bytes.size()));
    out.state = reader.Read(in);
  }
  if (out.state == ParseState::kNeedMore && ends) out.state = reader.ReadEnd(in);
  out.error = reader.error();
  if (out.state != ParseState::kComplete) return out;
  out.can_reuse = reader.CanReuse(in);
  out.reply = reader.Take(in);
  return out;
}

// However they come.
Outcome Read(std::string_view bytes, bool ends = false, bool is_to_head = false) {
  Outcome whole = ReadAll(bytes, bytes.size() + 1, ends, is_to_head);
  for (const size_t step : {1, 2, 7}) {
    const Outcome pieces = ReadAll(bytes, step, ends, is_to_head);
    EXPECT_EQ(pieces.state, whole.state) << bytes;
    EXPECT_EQ(pieces.error, whole.error) << bytes;
    EXPECT_EQ(pieces.reply.body, whole.reply.body) << bytes;
  }
  return whole;
}

TEST(ReplyReader, AReplyWithALength) {
  const Outcome out = Read("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\nX-Note:  two words \r\n\r\nhello");
  ASSERT_EQ(out.state, ParseState::kComplete);
  EXPECT_EQ(out.reply.status, 404);
  EXPECT_EQ(out.reply.reason, "Not Found");
  EXPECT_EQ(out.reply.Value("x-NOTE"), "two words");
  EXPECT_EQ(out.reply.Value("absent"), "");
  EXPECT_EQ(out.reply.headers.size(), 2u);
  EXPECT_EQ(out.reply.body, "hello");
  EXPECT_TRUE(out.can_reuse);
}

TEST(ReplyReader, TheReasonMayBeMissing) {
  for (const char* line : {"HTTP/1.1 200", "HTTP/1.1 200 "}) {
    const Outcome out = Read(std::string(line) + "\r\nContent-Length: 0\r\n\r\n");
    ASSERT_EQ(out.state, ParseState::kComplete) << line;
    EXPECT_EQ(out.reply.status, 200);
    EXPECT_EQ(out.reply.reason, "");
  }
}

TEST(ReplyReader, ChunksAreUndone) {
  const Outcome out =
      Read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n");
  ASSERT_EQ(out.state, ParseState::kComplete) << out.error;
  EXPECT_EQ(out.reply.body, "abcde");
  EXPECT_TRUE(out.can_reuse);
}

TEST(ReplyReader, WithoutALengthTheEndOfTheConnectionIsTheEnd) {
  const std::string reply = "HTTP/1.1 200 OK\r\n\r\nall that comes";
  EXPECT_EQ(Read(reply).state, ParseState::kNeedMore);
  const Outcome out = Read(reply, true);
  ASSERT_EQ(out.state, ParseState::kComplete);
  EXPECT_EQ(out.reply.body, "all that comes");
  EXPECT_FALSE(out.can_reuse);
}

TEST(ReplyReader, SomeRepliesHaveNoBodyWhateverTheySay) {
  const std::string head = "\r\nContent-Length: 50\r\n\r\n";
  EXPECT_TRUE(Read("HTTP/1.1 204 No Content" + head).can_reuse);
  EXPECT_TRUE(Read("HTTP/1.1 304 Not Modified" + head).can_reuse);
  const Outcome to_head = Read("HTTP/1.1 200 OK" + head, false, true);
  ASSERT_EQ(to_head.state, ParseState::kComplete);
  EXPECT_EQ(to_head.reply.body, "");
  EXPECT_EQ(to_head.reply.Value("Content-Length"), "50");
}

TEST(ReplyReader, InterimRepliesArePassedOver) {
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
  const Outcome out = Read(interim + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
  ASSERT_EQ(out.state, ParseState::kComplete);
  EXPECT_EQ(out.reply.status, 200);
  EXPECT_EQ(out.reply.Value("Link"), "");
  EXPECT_EQ(out.reply.body, "x");
  std::string endless;
  for (int i = 0; i < 20; ++i) endless += "HTTP/1.1 102 Processing\r\n\r\n";
  EXPECT_THAT(Read(endless).error, HasSubstr("interim"));
}

TEST(ReplyReader, WhetherAnotherReplyCanFollow) {
  const std::string length = "Content-Length: 1\r\n";
  EXPECT_FALSE(Read("HTTP/1.1 200 OK\r\n" + length + "Connection: close\r\n\r\nx").can_reuse);
  EXPECT_FALSE(Read("HTTP/1.1 200 OK\r\n" + length + "Connection: x, Close\r\n\r\nx").can_reuse);
  EXPECT_FALSE(Read("HTTP/1.0 200 OK\r\n" + length + "\r\nx").can_reuse);
  EXPECT_TRUE(Read("HTTP/1.0 200 OK\r\n" + length + "Connection: keep-alive\r\n\r\nx").can_reuse);
  EXPECT_FALSE(ReadAll("HTTP/1.1 200 OK\r\n" + length + "\r\nxy", 1000).can_reuse) << "a byte too many";
}

TEST(ReplyReader, WhatIsNotHttpIsRefused) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const std::string& bytes :
       std::vector<std::string>{"garbage\r\n\r\n",
                                "HTTP/2.0 200 OK\r\n\r\n",
                                "HTTP/1.1 20 OK\r\n\r\n",
                                "HTTP/1.1 2000 OK\r\n\r\n",
                                "HTTP/1.1 099 Low\r\n\r\n",
                                "HTTP/1.1 600 High\r\n\r\n",
                                "HTTP/1.1 200 OK\n\n",
                                "\r\nHTTP/1.1 200 OK\r\n\r\n",
                                "HTTP/1.1 200 " + std::string(200, 'x') + "\r\n\r\n",
                                ok + "A: " + std::string(300, 'x') + "\r\n\r\n",
                                ok + "A: b\r\n folded\r\n\r\n",
                                ok + "A : b\r\n\r\n",
                                ok + std::string("A: \0\r\n\r\n", 8),
                                ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
                                ok + "Content-Length: -1\r\n\r\n",
                                ok + "Content-Length: 1, 1\r\n\r\n",
                                ok + "Content-Length:\r\n\r\n",
                                ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                                ok + "Transfer-Encoding: gzip, chunked\r\n\r\n",
                                ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                                "HTTP/1.1 101 Switching\r\n\r\n",
                                ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                                ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"}) {
    const Outcome out = Read(bytes);
    EXPECT_EQ(out.state, ParseState::kError) << bytes;
    EXPECT_NE(out.error, "") << bytes;
  }
}

TEST(ReplyReader, WhatIsTooLongIsRefusedAsSoonAsThatIsKnown) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const std::string& bytes :
       {ok + "Content-Length: 1001\r\n\r\n", ok + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n",
        ok + "\r\n" + std::string(1001, 'x')})
    EXPECT_THAT(Read(bytes).error, HasSubstr("too long")) << bytes.substr(0, 60);
  EXPECT_EQ(Read(ok + "Content-Length: 1000\r\n\r\n" + std::string(1000, 'x')).state, ParseState::kComplete);
}

TEST(ReplyReader, WhatEndsEarlyIsRefused) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const std::string& bytes :
       {std::string("HTTP/1.1 20"), ok, ok + "A: b\r\n", ok + "Content-Length: 5\r\n\r\nabc",
        ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nabc", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"}) {
    EXPECT_EQ(Read(bytes).state, ParseState::kNeedMore) << bytes;
    EXPECT_THAT(Read(bytes, true).error, HasSubstr("ends early")) << bytes;
  }
}

TEST(ReplyReader, AReplyKeepsItsViewsWhenItIsMoved) {
  Outcome out = Read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA: b\r\n\r\nhello");
  const HttpReply moved = std::move(out.reply);
  EXPECT_EQ(moved.body, "hello");
  EXPECT_EQ(moved.Value("a"), "b");
}

}  // namespace
}  // namespace armature::net
