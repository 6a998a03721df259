// CBOR (RFC 8949) as DAX uses it: a reader of untrusted bytes and a writer of what its clients can read.
//
// The reader is a cursor over bytes that are all there: every take says what it wants, and one that meets something
// else, or the end, turns it bad; a bad reader stays bad and gives nothing, so that a message is checked once, at its
// end. Nothing is copied: texts are views, but for those sent in pieces, which the arena joins. Depth is bounded. The
// writer appends shortest heads and never one of eight bytes for a length, which crashes Amazon's JavaScript clients.
// Pure, no threads. Used by all of dax/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/memory/arena.h"
#include "dax/codec/primitives/cbor_head.h"

namespace armature::dax {

enum class CborKind : uint8_t {
  kUnsigned,
  kNegative,
  kBytes,
  kText,
  kArray,
  kMap,
  kTag,
  kFalse,
  kTrue,
  kNull,   // and undefined
  kFloat,  // of 16, 32 or 64 bits
  kBreak,
  kNothing,  // the end, or what is no CBOR
};

// How deep arrays, maps and tags may lie in each other: DynamoDB's documents 32 deep, what is around them, and room.
inline constexpr int kMostCborDepth = 96;

class CborReader {
 public:
  explicit CborReader(std::string_view bytes)
      : begin_(bytes.data()), next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  bool at_end() const { return next_ == end_; }
  // Of the next value, in the bytes that were given.
  size_t position() const { return static_cast<size_t>(next_ - begin_); }
  // What has not been read.
  std::string_view rest() const { return {next_, static_cast<size_t>(end_ - next_)}; }
  // For its user: what was read cannot be what it was meant to be.
  void Fail() {
    ok_ = false;
    next_ = end_;
  }

  // What comes next, which stays where it is.
  CborKind Peek() const;

  int64_t Int();  // an integer of either sign that fits
  uint64_t Unsigned();
  // The 64 bits n of a negative integer, whose value is -1 - n.
  uint64_t NegativeBits();
  bool Bool();  // false, true; also 0 and 1, as some parameters are sent
  double Float();
  std::string_view Bytes(Arena& arena);
  std::string_view Text(Arena& arena);  // UTF-8, or the reader turns bad
  // Either of the two.
  std::string_view BytesOrText(Arena& arena);
  // False, and nothing is taken, if something else comes.
  bool TakeNull();
  uint64_t Tag();

  // An array or map that is being read: `while (reader.Next(items)) …` reads one element (of a map: key and value).
  struct Items {
    uint64_t left = 0;
    bool is_indefinite = false;
  };
  Items Array();
  Items Map();
  // Whether another one comes; takes the break behind the last.
  bool Next(Items& items);

  // One whole value, with all that is in it.
  void Skip();
  // The bytes of one whole value.
  std::string_view Raw();

 private:
  bool TakeHead(CborHead& head);
  bool TakeHeadOf(uint8_t major, CborHead& head);
  std::string_view Take(uint64_t count);
  std::string_view String(uint8_t major, Arena& arena);
  Items Container(uint8_t major);
  void SkipValue(int depth);

  const char* begin_;
  const char* next_;
  const char* end_;
  bool ok_ = true;
};

// --- writing

void AppendCborUnsigned(std::string& out, uint64_t value);
void AppendCborInt(std::string& out, int64_t value);
void AppendCborBytes(std::string& out, std::string_view bytes);
void AppendCborText(std::string& out, std::string_view text);
// Their heads; what is in them follows. REQUIRES: lengths below 2^32.
void AppendCborBytesHead(std::string& out, size_t length);
void AppendCborArrayHead(std::string& out, size_t count);
void AppendCborMapHead(std::string& out, size_t count);
void AppendCborTag(std::string& out, uint64_t tag);
void AppendCborDouble(std::string& out, double value);
inline void AppendCborBool(std::string& out, bool value) { out.push_back(value ? '\xf5' : '\xf4'); }
inline void AppendCborNull(std::string& out) { out.push_back('\xf6'); }
inline void AppendCborIndefiniteMap(std::string& out) { out.push_back('\xbf'); }
inline void AppendCborBreak(std::string& out) { out.push_back('\xff'); }

}  // namespace armature::dax
