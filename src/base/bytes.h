// Reading and writing bytes: varints, big-endian integers, bounds-checked cursors.
//
// Pure functions. Every on-disk format of the house is built from these; a reader that runs out of
// bytes turns bad and stays bad, so that corrupt input can be checked once, at the end.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace armature {

inline void AppendByte(std::string& out, uint8_t byte) { out.push_back(static_cast<char>(byte)); }

inline void AppendVarint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

inline uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t UnZigZag(uint64_t value) { return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1); }

template <class Integer>
void AppendBigEndian(std::string& out, Integer value) {
  char bytes[sizeof(Integer)];
  for (size_t i = 0; i < sizeof(Integer); ++i) bytes[i] = static_cast<char>(value >> (8 * (sizeof(Integer) - 1 - i)));
  out.append(bytes, sizeof(Integer));
}

template <class Integer>
Integer ReadBigEndian(const char* bytes) {
  Integer value = 0;
  for (size_t i = 0; i < sizeof(Integer); ++i)
    value = static_cast<Integer>((value << 8) | static_cast<uint8_t>(bytes[i]));
  return value;
}

inline void AppendLengthPrefixed(std::string& out, std::string_view bytes) {
  AppendVarint(out, bytes.size());
  out.append(bytes);
}

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  bool at_end() const { return next_ == end_; }
  size_t remaining() const { return static_cast<size_t>(end_ - next_); }

  uint8_t Byte() {
    if (next_ == end_) return Fail();
    return static_cast<uint8_t>(*next_++);
  }

  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (next_ == end_) return Fail();
      const auto byte = static_cast<uint8_t>(*next_++);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return Fail();
  }

  std::string_view Bytes(size_t count) {
    if (count > remaining()) {
      Fail();
      return {};
    }
    std::string_view bytes(next_, count);
    next_ += count;
    return bytes;
  }

  std::string_view LengthPrefixed() { return Bytes(Varint()); }

  template <class Integer>
  Integer BigEndian() {
    auto bytes = Bytes(sizeof(Integer));
    return ok_ ? ReadBigEndian<Integer>(bytes.data()) : Integer{};
  }

 private:
  uint8_t Fail() {
    ok_ = false;
    next_ = end_;
    return 0;
  }

  const char* next_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace armature
