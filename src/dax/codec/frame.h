// FrameScanner: where the messages of a connection end.
//
// Nothing frames DAX's messages: one is as many CBOR values as its method has, and the first of a connection is a
// handshake. The scanner walks their heads and remembers where it was, so that a message that comes in a thousand
// pieces costs no more than one that comes at once. It keeps no bytes: its user does, and shows them again with what
// has come since. Depth and size are bounded. One connection's; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dax/codec/primitives/cbor_head.h"

namespace armature::dax {

enum class FrameState : uint8_t { kNeedMore, kWhole, kMalformed };

struct Frame {
  FrameState state = FrameState::kNeedMore;
  size_t length = 0;        // kWhole: of the message
  std::string_view reason;  // kMalformed: a constant
};

class FrameScanner {
 public:
  explicit FrameScanner(size_t most_bytes) : most_bytes_(most_bytes) {}

  // `input` begins with the message, and with what was shown before of it. Malformed stays malformed: where the next
  // message begins nobody can tell.
  Frame Scan(std::string_view input);
  // The whole message was taken off the input.
  void Next();

  // Whether the message is the connection's first.
  bool is_handshake() const { return is_handshake_; }
  // Whether it is malformed because of a method that nobody knows.
  bool is_unknown_method() const { return is_unknown_method_; }

 private:
  enum class Kind : uint8_t { kCounted, kValuesUntilBreak, kPairsUntilBreak, kPiecesUntilBreak };
  // An array, map, tag or string in pieces that has not ended.
  struct Open {
    uint64_t left = 0;  // kCounted: values still to come
    Kind kind = Kind::kCounted;
    uint8_t major = 0;    // kPiecesUntilBreak: of the string
    bool is_odd = false;  // kPairsUntilBreak: a name waits for its value
  };

  // False: malformed, and reason_ is set.
  bool TakeMagic(std::string_view input);
  bool TakeHead(const CborHead& head);
  bool TakeBreak();
  bool TakePiece(const CborHead& head);
  bool TakeTopValue(const CborHead& head);
  bool TakeString(const CborHead& head);
  bool TakeContainer(const CborHead& head);
  bool Skip(uint64_t bytes);
  void CountValue();
  void CloseFinished();
  bool Fail(std::string_view reason);
  Frame Malformed(std::string_view reason);

  const size_t most_bytes_;
  size_t position_ = 0;  // of the next head; behind the input while a string's bytes are awaited
  std::vector<Open> open_;
  uint64_t left_ = kHandshakeValues;  // values of the message itself that are still to come
  int taken_ = 0;                     // how many of them have begun
  bool is_handshake_ = true;
  bool is_unknown_method_ = false;
  std::string_view reason_;

  static constexpr uint64_t kHandshakeValues = 5;
  static constexpr uint64_t kValuesBeforeArguments = 2;  // the service and the method
};

}  // namespace armature::dax
