// Requests to a DAX node and its answers, against a node that says what the test wants.
#include "cli/bench/dax_wire.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/bench/dax_answer_parser.h"
#include "dax/codec/cbor.h"
#include "dax/codec/frame.h"
#include "dax/codec/methods.h"
#include "dax/translate/parsed_request.h"

namespace armature::cli::bench {
namespace {

using State = AnswerParser::State;

// A node of one thread: reads messages as a real one does and answers what the function says, a byte at a time.
class ScriptedNode {
 public:
  // Empty: the connection is closed instead.
  using Handler = std::function<std::string(const dax::ParsedRequest&)>;

  explicit ScriptedNode(Handler handler) : handler_(std::move(handler)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 16) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      std::abort();
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { Accept(); });
  }
  ~ScriptedNode() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }

  Options options() const {
    Options options;
    options.dax = Endpoint{.host = "127.0.0.1", .port = port_};
    options.credentials = {"AKIDEXAMPLE", "secret", "us-east-1"};
    return options;
  }
  int connections() const { return connections_; }

 private:
  void Accept() {
    for (int fd; (fd = accept(listener_, nullptr, nullptr)) >= 0; close(fd)) {
      ++connections_;
      Serve(fd);
    }
  }

  void Serve(int fd) {
    std::string input;
    dax::FrameScanner scanner(1 << 20);
    for (char room[4096];;) {
      const dax::Frame frame = scanner.Scan(input);
      if (frame.state == dax::FrameState::kMalformed) return;
      if (frame.state == dax::FrameState::kNeedMore) {
        const ssize_t received = recv(fd, room, sizeof room, 0);
        if (received <= 0) return;
        input.append(room, static_cast<size_t>(received));
        continue;
      }
      const bool is_greeting = scanner.is_handshake();
      Arena arena;
      const auto request = dax::ReadRequest(std::string_view(input).substr(0, frame.length), arena);
      if (!is_greeting && !request) return;
      if (!is_greeting && request->method != dax::Method::kAuthorizeConnection) {
        const std::string answer = handler_(*request);
        if (answer.empty()) return;
        for (const char byte : answer)
          if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1) return;
      }
      scanner.Next();
      input.erase(0, frame.length);
    }
  }

  const Handler handler_;
  const int listener_;
  uint16_t port_ = 0;
  std::atomic<int> connections_{0};
  std::jthread thread_;
};

constexpr uint64_t kListId = 7;

std::string NumberAnswer(uint64_t number) {
  std::string answer = "\x80";
  dax::AppendCborUnsigned(answer, number);
  return answer;
}

std::string NamesAnswer(const std::vector<std::string>& names) {
  std::string answer = "\x80";
  dax::AppendCborArrayHead(answer, names.size());
  for (const std::string& name : names) dax::AppendCborText(answer, name);
  return answer;
}

std::string ErrorAnswer(std::string_view message) {
  std::string answer;
  dax::AppendCborArrayHead(answer, 2);
  dax::AppendCborInt(answer, 4);
  dax::AppendCborInt(answer, 37);
  dax::AppendCborText(answer, message);
  dax::AppendCborNull(answer);
  return answer;
}

// Of an item with the values of the bench's own.
std::string ItemAnswer(uint64_t list_id, std::string_view data, uint64_t version) {
  std::string blob, answer = "\x80";
  dax::AppendCborUnsigned(blob, list_id);
  dax::AppendCborText(blob, data);
  dax::AppendCborUnsigned(blob, version);
  dax::AppendCborMapHead(answer, 1);
  dax::AppendCborInt(answer, 0);
  dax::AppendCborBytes(answer, blob);
  return answer;
}

// Knows list 7, and list 9, which is the other way round.
std::string TellLists(const dax::ParsedRequest& request) {
  if (request.method == dax::Method::kDefineAttributeListId) return NumberAnswer(kListId);
  if (request.method == dax::Method::kDefineAttributeList && request.list_id == 9) return NamesAnswer({"v2", "data"});
  return ErrorAnswer("There is no such attribute list");
}

class DaxWireTest : public testing::Test {
 protected:
  static std::unique_ptr<DaxAnswerParser> ParserOf(DaxWire& wire, bool is_put = false) {
    auto parser = std::make_unique<DaxAnswerParser>(wire);
    parser->Expect("k", is_put);
    return parser;
  }
  static void Feed(AnswerParser& parser, std::string_view bytes) {
    while (!bytes.empty()) {
      const std::span<char> space = parser.Space();
      const size_t count = std::min(space.size(), bytes.size());
      std::copy_n(bytes.data(), count, space.data());
      parser.Received(count);
      bytes.remove_prefix(count);
    }
  }

  ScriptedNode node_{TellLists};
  std::unique_ptr<DaxWire> wire_ = std::move(DaxWire::Open(node_.options())).value();
};

constexpr std::string_view kItem = R"({"Item":{"pk":{"S":"k"},"data":{"S":"x"},"v":{"N":"5"}}})";

TEST_F(DaxWireTest, RequestsAreThoseThatANodeReads) {
  const auto parser = ParserOf(*wire_);
  std::string put;
  wire_->AppendRequest("PutItem", R"({"TableName":"T","Item":{"pk":{"S":"k1"},"data":{"S":"x"},"v":{"N":"5"}}})", 0,
                       *parser, put);
  Arena arena;
  const auto request = dax::ReadRequest(put, arena);
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->method, dax::Method::kPutItem);
  EXPECT_EQ(request->table, "T");
  ASSERT_EQ(request->items.size(), 1u);
  EXPECT_EQ(request->items[0].key, "k1");
  EXPECT_EQ(request->items[0].blob, "\x07\x61x\x05");
  std::string get;
  wire_->AppendRequest("GetItem", R"({"TableName":"T","Key":{"pk":{"S":"k2"}}})", 0, *parser, get);
  const auto read = dax::ReadRequest(get, arena);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->method, dax::Method::kGetItem);
  EXPECT_EQ(read->items[0].key, "k2");
}

TEST_F(DaxWireTest, AnAnswerComesInPiecesOfOneByte) {
  const auto parser = ParserOf(*wire_);
  const std::string answer = ItemAnswer(kListId, "x", 5);
  for (size_t i = 0; i < answer.size(); ++i) {
    ASSERT_EQ(parser->Parse(), State::kNeedMore) << i;
    Feed(*parser, answer.substr(i, 1));
  }
  ASSERT_EQ(parser->Parse(), State::kDone);
  EXPECT_EQ(parser->status(), 200);
  EXPECT_EQ(parser->body(), kItem);
  EXPECT_FALSE(parser->closes());
  EXPECT_EQ(node_.connections(), 1) << "it was asked for the list's number, and nothing about pieces of answers";
}

TEST_F(DaxWireTest, AnswersComeTogetherAndLong) {
  const auto parser = ParserOf(*wire_);
  const std::string data(100'000, 'y');
  Feed(*parser, ItemAnswer(kListId, data, 5) + ItemAnswer(kListId, "x", 5) + "\x80\xa0");
  ASSERT_EQ(parser->Parse(), State::kDone);
  EXPECT_NE(parser->body().find(data), std::string_view::npos);
  parser->Consume();
  ASSERT_EQ(parser->Parse(), State::kDone);
  EXPECT_EQ(parser->body(), kItem);
  parser->Consume();
  ASSERT_EQ(parser->Parse(), State::kDone);
  EXPECT_EQ(parser->body(), "{}") << "there is no such item";
  parser->Consume();
  EXPECT_EQ(parser->Parse(), State::kNeedMore);
}

TEST_F(DaxWireTest, AnErrorIsAnAnswerToo) {
  const auto parser = ParserOf(*wire_);
  const std::string answer = ErrorAnswer("no such table");
  Feed(*parser, answer.substr(0, answer.size() - 1));
  EXPECT_EQ(parser->Parse(), State::kNeedMore);
  Feed(*parser, answer.substr(answer.size() - 1));
  ASSERT_EQ(parser->Parse(), State::kDone);
  EXPECT_EQ(parser->status(), 400);
  EXPECT_EQ(parser->body(), "no such table");
  parser->Consume();
  Feed(*parser, ItemAnswer(kListId, "x", 5));
  ASSERT_EQ(parser->Parse(), State::kDone);
  EXPECT_EQ(parser->body(), kItem);
}

TEST_F(DaxWireTest, APutHasNothingToShow) {
  const auto parser = ParserOf(*wire_, /*is_put=*/true);
  for (const std::string_view answer : {"\x80\xa0", "\x80\xf6"}) {
    Feed(*parser, answer);
    ASSERT_EQ(parser->Parse(), State::kDone);
    EXPECT_EQ(parser->status(), 200);
    EXPECT_EQ(parser->body(), "{}");
    parser->Consume();
  }
}

TEST_F(DaxWireTest, AListThatIsMetForTheFirstTimeIsAskedForOnce) {
  const auto parser = ParserOf(*wire_);
  for (int i = 0; i < 3; ++i) {
    std::string blob("\x09\x05\x61x", 4), answer = "\x80\xa1";
    dax::AppendCborInt(answer, 0);
    dax::AppendCborBytes(answer, blob);
    Feed(*parser, answer);
    ASSERT_EQ(parser->Parse(), State::kDone);
    EXPECT_EQ(parser->body(), R"({"Item":{"pk":{"S":"k"},"v2":{"N":"5"},"data":{"S":"x"}}})");
    parser->Consume();
  }
  EXPECT_EQ(node_.connections(), 2);
}

TEST_F(DaxWireTest, AListThatNobodyKnowsMakesAnAnswerBad) {
  const auto parser = ParserOf(*wire_);
  Feed(*parser, ItemAnswer(12, "x", 5));
  EXPECT_EQ(parser->Parse(), State::kBad);
}

TEST_F(DaxWireTest, AnItemOfAnotherLengthThanItsListIsBad) {
  for (const std::string_view blob : {std::string_view("\x07\x61x", 3), std::string_view("\x07\x61x\x05\x06", 5)}) {
    const auto parser = ParserOf(*wire_);
    std::string answer = "\x80\xa1";
    dax::AppendCborInt(answer, 0);
    dax::AppendCborBytes(answer, blob);
    Feed(*parser, answer);
    EXPECT_EQ(parser->Parse(), State::kBad);
  }
}

TEST(DaxWireOpenTest, ANodeThatRefusesOrClosesIsToldOf) {
  ScriptedNode refusing([](const dax::ParsedRequest&) { return ErrorAnswer("who are you"); });
  const auto refused = DaxWire::Open(refusing.options());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("who are you"), std::string::npos);
  ScriptedNode closing([](const dax::ParsedRequest&) { return std::string(); });
  const auto closed = DaxWire::Open(closing.options());
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().message(), "the DAX node gave no answer");
}

}  // namespace
}  // namespace armature::cli::bench
