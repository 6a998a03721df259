#include "dax/codec/frame.h"

#include <gtest/gtest.h>

#include "dax/codec/cbor.h"
#include "dax/codec/codec_testing.h"
#include "dax/codec/methods.h"
#include "dax/codec/value_codec.h"

namespace armature::dax {
namespace {

constexpr size_t kMost = 1 << 20;

const std::string& Handshake() {
  static const std::string bytes = Bytes(
      "67 4a37796e653547 00 50 d965671ba552b43a440aa4f11cf0edf5 a1 69 557365724167656e74 72 "
      "4461784a53436c69656e742d312e322e3130 00");
  return bytes;
}

// The requests of the protocol's examples.
const char* const kRequests[] = {
    "01 1a1b2bcf02",
    "01 3a2c43e27e 45 4d75736963",
    "01 3a495927bb 82 65 5072696365 64 59656172",
    "01 1a27f9bd71 1903e9",
    "01 1a0fb0cc6a 45 4d75736963 4a 6441636d6548656c6c6f bf ff",
    "01 1a0fb0cc6a 45 4d75736963 4a 6441636d6548656c6c6f bf 03 01 02 f5 00 51 82018282126459656172821264536f6e67 ff",
    "01 3a7d8e7e56 45 4d75736963 4a 6441636d6548656c6c6f 4f 1903e9 fb3ff8000000000000 1907cf bf 07 02 04 4e "
    "8301820c82126641727469737480 ff",
    "01 1a54f89c0f 45 4d75736963 4a 6441636d6548656c6c6f bf 07 04 08 56 83018183148212645461677382110081d90cf9816178 "
    "ff",
    "01 1a3c696221 45 4d75736963 4a 6441636d6548656c6c6f bf 07 02 ff",
    "01 3a3781c2ae 46 536572696573 52 8301830082126673656e736f728211008105 bf 09 45 053ee3fff0 ff",
    "01 3a6fc8309b 46 536572696573 bf 0f 03 ff",
    "01 3a29985cdb a2 63 496473 83 f4 f6 82 41 08 41 07 65 4d75736963 83 f5 4b 820181821265506c617973 81 4a "
    "6441636d6548656c6c6f bf 03 01 ff",
    "01 1a06ed585f a1 63 496473 84 41 08 45 1903ed6177 41 07 f6 bf ff",
    "01 1a6f3d49db 83 43 496473 43 496473 43 496473 83 41 09 42 1863 41 08 83 f6 f6 47 82018182126179 bf 03 01 ff",
    "01 3a4524c569 84 02 09 07 0c 84 43 496473 43 496473 43 496473 43 496473 84 41 09 41 08 41 0a 41 0b 84 45 "
    "1903ed6171 f6 f6 "
    "f6 f6 84 01 01 01 01 84 f6 f6 f6 4a 8301820c821262696480 84 f6 4f 83018183138212617982110081616e f6 f6 bf 13 63 "
    "746f6b ff",
};

// All messages that `bytes` have, shown as they come in pieces of `piece` bytes; behind them the reason it went wrong.
std::vector<std::string> Messages(std::string_view bytes, size_t piece, size_t most = kMost) {
  FrameScanner scanner(most);
  std::vector<std::string> messages;
  size_t there = 0;
  while (true) {
    const Frame frame = scanner.Scan(bytes.substr(0, there));
    switch (frame.state) {
      case FrameState::kMalformed: messages.push_back("! " + std::string(frame.reason)); return messages;
      case FrameState::kWhole:
        messages.emplace_back(bytes.substr(0, frame.length));
        bytes.remove_prefix(frame.length);
        there -= frame.length;
        scanner.Next();
        break;
      case FrameState::kNeedMore:
        if (there == bytes.size()) return messages;
        there = std::min(there + piece, bytes.size());
    }
  }
}

TEST(Frames, AConnectionAsClientsHaveIt) {
  std::string bytes = Handshake();
  std::vector<std::string> expected = {Handshake()};
  for (const char* digits : kRequests) {
    expected.push_back(Bytes(digits));
    bytes += expected.back();
  }
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{100}, bytes.size()})
    EXPECT_EQ(Messages(bytes, piece), expected) << piece;
}

TEST(Frames, HandshakesOfOtherClients) {
  for (const char* digits : {"67 4a37796e653547 00 f6 a0 00", "67 4a37796e653547 00 62 6162 bf 6161 01 ff 1800"})
    EXPECT_EQ(Messages(Bytes(digits), 1), std::vector<std::string>{Bytes(digits)});
}

TEST(Frames, WhatIsNoClientIsSeenAtOnce) {
  const std::vector<std::string> expected = {"! the connection does not begin as one of a DAX client"};
  EXPECT_EQ(Messages("GET / HTTP/1.1\r\n", 1), expected);
  EXPECT_EQ(Messages("G", 1), expected);
  EXPECT_EQ(Messages(Bytes("67 4a37796e653548"), 1), expected);
  EXPECT_EQ(Messages(Bytes("01 1a1b2bcf02"), 1), expected);
}

TEST(Frames, WhatNoMessageCanBeginWith) {
  EXPECT_EQ(Messages(Handshake() + Bytes("02"), 1).back(), "! the service of the request is not known");
  EXPECT_EQ(Messages(Handshake() + Bytes("01 1a12345678"), 1).back(), "! the method of the request is not known");
  EXPECT_EQ(Messages(Handshake() + Bytes("01 1bffffffffffffffff"), 1).back(),
            "! the method of the request is not known");
  EXPECT_EQ(Messages(Handshake() + Bytes("01 6161"), 1).back(), "! the request is malformed");
  FrameScanner scanner(kMost);
  scanner.Scan(Handshake());
  EXPECT_TRUE(scanner.is_handshake());
  scanner.Next();
  EXPECT_FALSE(scanner.is_handshake());
  EXPECT_EQ(scanner.Scan(Bytes("01 00")).state, FrameState::kMalformed);
  EXPECT_TRUE(scanner.is_unknown_method());
  EXPECT_EQ(scanner.Scan(Bytes("01 1a1b2bcf02")).state, FrameState::kMalformed) << "and stays so";
}

TEST(Frames, MalformedValues) {
  const std::string get = Bytes("01 1a0fb0cc6a 4161 4162");
  for (const char* digits :
       {"ff", "1c", "82 ff", "bf 01 ff", "9f bf 01 ff ff", "5f 6161", "5f 5f", "7f 01", "c4 ff", "e0", "f8 20"})
    EXPECT_EQ(Messages(Handshake() + get + Bytes(digits), 1).back(), "! the request is malformed") << digits;
}

TEST(Frames, DepthAndLengthAreBounded) {
  const std::string begin = Handshake() + Bytes("01 1a0fb0cc6a 4161 4162");
  for (const char* head : {"81", "9f", "c4", "a100", "bf00"}) {
    std::string deep = begin;
    for (int i = 0; i < 200; ++i) deep += Bytes(head);
    EXPECT_EQ(Messages(deep, 1).back(), "! the request is nested too deep") << head;
  }
  for (const char* digits : {"5a00100000", "5bffffffffffffffff", "9bffffffffffffffff", "bbffffffffffffffff",
                             "9a00100000", "ba00080000", "7f 7a00100000"})
    EXPECT_EQ(Messages(begin + Bytes(digits), 1).back(), "! the request is too long") << digits;
  // To the byte.
  const std::string request = Bytes("01 3a2c43e27e 45 4d75736963");
  EXPECT_EQ(Messages(Handshake() + request, 1, Handshake().size()).size(), 2u);
  EXPECT_EQ(Messages(Handshake() + Bytes("01 3a2c43e27e 5837") + std::string(55, 'x'), 1, 60).back(),
            "! the request is too long");
}

TEST(Frames, AnswersOnceMoreUntilTheMessageIsTaken) {
  FrameScanner scanner(kMost);
  const std::string twice = Handshake() + Bytes("01");
  for (int i = 0; i < 2; ++i) {
    const Frame frame = scanner.Scan(twice);
    EXPECT_EQ(frame.state, FrameState::kWhole);
    EXPECT_EQ(frame.length, Handshake().size());
  }
}

TEST(Frames, ManyValuesInPiecesAreWalkedOnce) {
  // With a scanner that began anew for each piece these would be a hundred thousand million steps.
  std::string bytes = Handshake() + Bytes("01 1a0fb0cc6a 4161 4162 9f");
  bytes += std::string(1 << 24, '\x01') + Bytes("ff");
  FrameScanner scanner(size_t{32} << 20);
  ASSERT_EQ(scanner.Scan(bytes).state, FrameState::kWhole);
  scanner.Next();
  const std::string_view request = std::string_view(bytes).substr(Handshake().size());
  for (size_t there = 0; there < request.size(); there += 1024)
    ASSERT_EQ(scanner.Scan(request.substr(0, there)).state, FrameState::kNeedMore);
  EXPECT_EQ(scanner.Scan(request).length, request.size());
}

// Any bytes at all: pieces and the whole give the same, and what is whole is what a reader of CBOR takes.
TEST(Frames, RandomBytesInPieces) {
  std::mt19937 random(5);
  Arena arena;
  RandomValues values(6, arena);
  for (int round = 0; round < 5'000; ++round) {
    std::string request = Bytes("01 1a0fb0cc6a");
    for (int i = 0; i < 3; ++i) AppendValue(request, values.Value());
    const std::string sound = Handshake() + request;
    ASSERT_EQ(Messages(sound, 1), (std::vector<std::string>{Handshake(), request}));
    std::string bytes = sound + sound;
    for (size_t i = random() % 4; i > 0; --i) bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto whole = Messages(bytes, bytes.size());
    ASSERT_EQ(Messages(bytes, 1), whole);
    ASSERT_EQ(Messages(bytes, 1 + random() % 9), whole);
    for (const std::string& message : whole) {
      if (message.starts_with('!')) continue;
      CborReader reader(message);
      while (reader.ok() && !reader.at_end()) reader.Skip();
      ASSERT_TRUE(reader.ok());
    }
  }
}

TEST(Methods, HaveTheirArguments) {
  EXPECT_EQ(ArgumentCount(static_cast<int64_t>(Method::kTransactWriteItems)), 9);
  EXPECT_EQ(ArgumentCount(static_cast<int64_t>(Method::kEndpoints)), 0);
  EXPECT_LT(ArgumentCount(0), 0);
  EXPECT_LT(ArgumentCount(static_cast<int64_t>(Method::kEndpoints) + (int64_t{1} << 32)), 0);
}

}  // namespace
}  // namespace armature::dax
