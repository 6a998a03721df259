#include "net/http_parser.h"

#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace armature::net {
namespace {

struct Parsed {
  HeadResult result;
  HttpRequest request;
  Framing framing;
};

Parsed Parse(std::string_view bytes, HeadLimits limits = {}) {
  Parsed parsed;
  parsed.result = ParseHead(bytes, limits, parsed.request, parsed.framing);
  return parsed;
}

int ErrorOf(std::string_view bytes) {
  const Parsed parsed = Parse(bytes);
  return parsed.result.state == ParseState::kError ? parsed.result.status : 0;
}

const std::vector<std::string> kGoodHeads = {
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: localhost:8000\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
    "DynamoDB_20120810.GetItem\r\nContent-Length: 2\r\nAuthorization: AWS4-HMAC-SHA256 Credential=a/b/c/d/e, "
    "SignedHeaders=host, "
    "Signature=0123456789abcdef0123456789abcdef\r\n\r\n",
    "POST /path?a=b&c=d HTTP/1.1\r\nhost:a\r\ntransfer-encoding: chunked\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHOST: a\r\nOrigin: http://x\r\nX-Empty:\r\nX-Tab: a\tb \t\r\n\r\n",
    "HEAD http://example.com/p?q HTTP/1.1\r\nHost: a\r\nConnection: foo , close\r\n\r\n",
    "\r\n\r\nGET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
    "PUT /\xc3\xa9 HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
};

TEST(ParseHead, ReadsRequestLineAndHeaders) {
  const Parsed p = Parse(
      "POST /a/b?c=d?e HTTP/1.1\r\nHost: x\r\nX-Blank: \t padded value \t\r\nx-empty:\r\nContent-Length: "
      "12\r\n\r\nrest");
  ASSERT_EQ(p.result.state, ParseState::kComplete);
  EXPECT_EQ(p.request.method, Method::kPost);
  EXPECT_EQ(p.request.method_name, "POST");
  EXPECT_EQ(p.request.target, "/a/b?c=d?e");
  EXPECT_EQ(p.request.path, "/a/b");
  EXPECT_EQ(p.request.query, "c=d?e");
  EXPECT_EQ(p.request.version_minor, 1);
  ASSERT_EQ(p.request.headers.size(), 4u);
  EXPECT_EQ(p.request.Value("x-blank"), "padded value");
  EXPECT_EQ(p.request.Value("X-Empty"), "");
  EXPECT_EQ(p.framing.content_length, 12u);
  EXPECT_TRUE(p.framing.keep_alive);
  EXPECT_FALSE(p.framing.is_chunked);
}

TEST(ParseHead, TargetsOfEveryForm) {
  const auto path_and_query = [](const std::string& target) {
    const std::string bytes = "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
    const Parsed p = Parse(bytes);
    return std::string(p.request.path) + "|" + std::string(p.request.query);
  };
  EXPECT_EQ(path_and_query("/"), "/|");
  EXPECT_EQ(path_and_query("/?"), "/|");
  EXPECT_EQ(path_and_query("*"), "*|");
  EXPECT_EQ(path_and_query("http://h:1/x?y=http://z"), "/x|y=http://z");
  EXPECT_EQ(path_and_query("http://h"), "/|");
  EXPECT_EQ(path_and_query("http://h?q"), "/|q");
  EXPECT_EQ(path_and_query("h:443"), "h:443|");
}

TEST(ParseHead, ConnectionAndVersionDecideKeepAlive) {
  const auto keep_alive = [](std::string_view version, std::string_view header) {
    const std::string bytes = "GET / " + std::string(version) + "\r\nHost: a\r\n" + std::string(header) + "\r\n";
    const Parsed p = Parse(bytes);
    EXPECT_EQ(p.result.state, ParseState::kComplete);
    return p.framing.keep_alive;
  };
  EXPECT_TRUE(keep_alive("HTTP/1.1", ""));
  EXPECT_FALSE(keep_alive("HTTP/1.1", "Connection: close\r\n"));
  EXPECT_FALSE(keep_alive("HTTP/1.1", "Connection: close\r\nConnection: keep-alive\r\n"));
  EXPECT_FALSE(keep_alive("HTTP/1.0", ""));
  EXPECT_TRUE(keep_alive("HTTP/1.0", "Connection: x, Keep-Alive\r\n"));
  EXPECT_TRUE(keep_alive("HTTP/1.2", ""));
}

TEST(ParseHead, EveryPrefixOfAGoodHeadNeedsMore) {
  for (const std::string& head : kGoodHeads) {
    for (size_t size = 0; size < head.size(); ++size) {
      // A copy of exactly that size, so that a sanitizer sees any read beyond it.
      const std::unique_ptr<char[]> exact(new char[size]);
      std::copy_n(head.data(), size, exact.get());
      ASSERT_EQ(Parse({exact.get(), size}).result.state, ParseState::kNeedMore) << head.substr(0, size);
    }
    const Parsed p = Parse(head + "GET");
    ASSERT_EQ(p.result.state, ParseState::kComplete) << head;
    EXPECT_EQ(p.framing.head_bytes, head.size());
  }
}

TEST(ParseHead, RefusesWhatCouldBeSmuggled) {
  const std::string line = "POST / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(ErrorOf(line + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "Content-Length: 5, 5\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "Content-Length: +5\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "Content-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "Content-Length: 0x5\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "Content-Length:\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "Content-Length: 99999999999999999999\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "Transfer-Encoding: gzip, chunked\r\n\r\n"), 501);
  EXPECT_EQ(ErrorOf(line + "Transfer-Encoding: xchunked\r\n\r\n"), 501);
  EXPECT_EQ(ErrorOf(line + "Transfer-Encoding : chunked\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + " folded: line\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "A: b\r\n\tfolded\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + ": no name\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "no colon\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "A(b): c\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + std::string("A: b\0c\r\n\r\n", 10)), 400);
  EXPECT_EQ(ErrorOf(line + "A: b\nB: c\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "A: b\rB: c\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "A: b\x7f\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(line + "Host: b\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf("POST / HTTP/1.1\r\n\r\n"), 400) << "no Host";
  EXPECT_EQ(ErrorOf("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}

TEST(ParseHead, RefusesBadRequestLines) {
  EXPECT_EQ(ErrorOf("GET /\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf("GET  / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf(" GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf("GET / HTTP/1.1 \r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf("GET / HTTP/1.1\nHost: a\n\n"), 400);
  EXPECT_EQ(ErrorOf("GET / http/1.1\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf("GET / HTTP/x.1\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf("G@T / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf("\x16\x03\x01\x02"), 400) << "a TLS hello";
  EXPECT_EQ(ErrorOf("\r\n\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(ErrorOf("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
  EXPECT_EQ(ErrorOf("GET / HTTP/3.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(ErrorOf("GET / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n"), 417);
}

TEST(ParseHead, LimitsHoldToTheByte) {
  const HeadLimits limits{100, 100};
  const auto line_of = [](size_t size) {
    std::string line = "GET / HTTP/1.1\r\n";
    line.insert(5, size - line.size(), 'x');
    return line;
  };
  const auto headers_of = [](size_t size) {
    std::string headers = "Host: a\r\nX: \r\n\r\n";
    headers.insert(12, size - headers.size(), 'x');
    return headers;
  };
  EXPECT_EQ(Parse(line_of(100) + headers_of(100), limits).result.state, ParseState::kComplete);
  EXPECT_EQ(Parse(line_of(101) + headers_of(50), limits).result.status, 400);
  EXPECT_EQ(Parse(line_of(50) + headers_of(101), limits).result.status, 400);
  EXPECT_EQ(Parse(std::string(101, 'A'), limits).result.status, 400);
  EXPECT_EQ(Parse(std::string(100, 'A'), limits).result.state, ParseState::kNeedMore);
}

struct Decoded {
  ParseState state;
  int status;
  std::string body;
  size_t consumed;
};

// Feeds `raw` in pieces, in place, the way a connection does.
Decoded DecodeIn(std::string_view raw, size_t piece, size_t max_body = 1 << 20, size_t max_trailer = 64) {
  ChunkedDecoder decoder;
  std::string memory(raw);
  size_t body = 0, read = 0;
  while (read < raw.size()) {
    const size_t size = std::min(piece, raw.size() - read);
    const auto step = decoder.Decode(memory.data() + body, memory.data() + read, size, max_body, max_trailer);
    body += step.produced;
    read += step.consumed;
    if (step.state != ParseState::kNeedMore) return {step.state, step.status, memory.substr(0, body), read};
    EXPECT_EQ(step.consumed, size);
  }
  return {ParseState::kNeedMore, 0, memory.substr(0, body), read};
}

TEST(ChunkedDecoder, UndoesChunksInPiecesOfAnySize) {
  const std::string raw =
      "4\r\nWiki\r\n06;ext=\"v\"\r\npedia \r\nD \r\nin\r\n\r\nchunks.\r\n0\r\nA-Trailer: x\r\nB: y\r\n\r\n";
  for (size_t piece = 1; piece <= raw.size() + 4; ++piece) {
    const Decoded decoded = DecodeIn(raw + "GET ", piece);
    ASSERT_EQ(decoded.state, ParseState::kComplete) << piece;
    EXPECT_EQ(decoded.body, "Wikipedia in\r\n\r\nchunks.");
    EXPECT_EQ(decoded.consumed, raw.size());
  }
}

TEST(ChunkedDecoder, RefusesBadChunking) {
  const auto status = [](std::string_view raw) {
    const Decoded whole = DecodeIn(raw, raw.size());
    EXPECT_EQ(DecodeIn(raw, 1).status, whole.status) << raw;
    return whole.status;
  };
  EXPECT_EQ(status("\r\n"), 400);
  EXPECT_EQ(status("x\r\n"), 400);
  EXPECT_EQ(status("-1\r\n"), 400);
  EXPECT_EQ(status("0x1\r\n"), 400);
  EXPECT_EQ(status("1\nA\r\n"), 400);
  EXPECT_EQ(status("1\r\nAB\r\n"), 400);
  EXPECT_EQ(status("1\r\nA\rX"), 400);
  EXPECT_EQ(status("1\rX"), 400);
  EXPECT_EQ(status(std::string("1;a\0b\r\n", 7)), 400);
  EXPECT_EQ(status("11111111111111111\r\n"), 400) << "more than 64 bits";
  EXPECT_EQ(status("0\r\n folded\r\n\r\n"), 400);
  EXPECT_EQ(status("0\r\n\rX"), 400);
  EXPECT_EQ(status("0\r\nA: b\rX"), 400);
  EXPECT_EQ(status("1;" + std::string(2000, 'x')), 400);
  EXPECT_EQ(status(std::string(2000, '0')), 400);
  EXPECT_EQ(status("0\r\nA: " + std::string(100, 'x')), 400) << "trailers are limited";
  EXPECT_EQ(status("100001\r\n"), 413);
  EXPECT_EQ(status("fffffffffffffff\r\n"), 413);
  EXPECT_EQ(DecodeIn("3\r\nabc\r\n3\r\n", 100, 5).status, 413) << "the sum counts";
  EXPECT_EQ(DecodeIn("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 100, 5).state, ParseState::kComplete);
}

// Random damage to good input: whatever comes out, prefixes and wholes must agree and nothing may be read
// out of bounds (the sanitizer builds watch).
TEST(ParserFuzz, MutatedHeadsNeverConfuseTheParser) {
  std::mt19937 random(20'120'810);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  static constexpr std::string_view kSpice("\r\n\r\n :\t\0,;chunked0", 18);
  for (int round = 0; round < 40'000; ++round) {
    std::string bytes = kGoodHeads[below(kGoodHeads.size())];
    for (size_t mutations = 1 + below(4); mutations > 0; --mutations) {
      const size_t at = below(bytes.size());
      switch (below(5)) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes[at] = kSpice[below(kSpice.size())]; break;
        case 2: bytes.erase(at, 1 + below(8)); break;
        case 3: bytes.insert(at, 1, kSpice[below(kSpice.size())]); break;
        case 4: bytes.insert(at, bytes.substr(below(bytes.size()), below(40))); break;
      }
      if (bytes.empty()) bytes = "G";
    }
    const std::unique_ptr<char[]> exact(new char[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), exact.get());
    const Parsed whole = Parse({exact.get(), bytes.size()});
    const size_t cut = below(bytes.size());
    const Parsed part = Parse(std::string_view(bytes).substr(0, cut));
    if (part.result.state == ParseState::kError) { ASSERT_EQ(whole.result.state, ParseState::kError) << bytes; }
    if (part.result.state == ParseState::kComplete) {
      ASSERT_EQ(whole.result.state, ParseState::kComplete) << bytes;
      ASSERT_EQ(whole.framing.head_bytes, part.framing.head_bytes);
    }
    if (whole.result.state == ParseState::kComplete) {
      ASSERT_LE(whole.framing.head_bytes, bytes.size());
      ASSERT_FALSE(whole.request.method_name.empty());
      for (const Header& header : whole.request.headers)
        ASSERT_EQ(header.value.find_first_of(std::string_view("\r\n\0", 3)), std::string_view::npos);
    }
  }
}

TEST(ParserFuzz, MutatedChunksDecodeTheSameInAnyPieces) {
  std::mt19937 random(7);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  for (int round = 0; round < 20'000; ++round) {
    std::string raw = "5\r\nhello\r\n1a;x=y\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nT: v\r\n\r\n";
    for (size_t mutations = below(3); mutations > 0; --mutations)
      raw[below(raw.size())] = "\r\n0123456789abcdef;: "[below(20)];
    const Decoded whole = DecodeIn(raw, raw.size());
    const Decoded pieces = DecodeIn(raw, 1 + below(9));
    ASSERT_EQ(whole.state, pieces.state) << raw;
    ASSERT_EQ(whole.body, pieces.body) << raw;
    ASSERT_EQ(whole.consumed, pieces.consumed) << raw;
  }
}

}  // namespace
}  // namespace armature::net
