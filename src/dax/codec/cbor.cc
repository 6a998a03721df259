#include "dax/codec/cbor.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/bytes.h"

namespace armature::dax {

namespace {

enum Major : uint8_t {
  kUnsigned = 0,
  kNegative = 1,
  kBytes = 2,
  kText = 3,
  kArray = 4,
  kMap = 5,
  kTag = 6,
  kOther = 7
};

constexpr uint8_t kIndefinite = 31;
constexpr uint8_t kFalse = 20;
constexpr uint8_t kTrue = 21;
constexpr uint8_t kNull = 22;
constexpr uint8_t kUndefined = 23;
constexpr uint8_t kFloat16 = 25;
constexpr uint8_t kFloat64 = 27;

double FromHalf(uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const int fraction = half & 0x3ff;
  const double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                           : exponent == 31 ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                             : std::numeric_limits<double>::quiet_NaN())
                                            : std::ldexp(fraction + 1024, exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

void AppendHead(std::string& out, Major major, uint64_t value) {
  const auto first = static_cast<uint8_t>(major << 5);
  if (value < 24) return AppendByte(out, static_cast<uint8_t>(first | value));
  if (value <= 0xff) {
    AppendByte(out, first | 24);
    return AppendByte(out, static_cast<uint8_t>(value));
  }
  if (value <= 0xffff) {
    AppendByte(out, first | 25);
    return AppendBigEndian(out, static_cast<uint16_t>(value));
  }
  if (value <= 0xffffffff) {
    AppendByte(out, first | 26);
    return AppendBigEndian(out, static_cast<uint32_t>(value));
  }
  AppendByte(out, first | 27);
  AppendBigEndian(out, value);
}

}  // namespace

CborKind CborReader::Peek() const {
  if (!ok_ || next_ == end_) return CborKind::kNothing;
  const auto byte = static_cast<uint8_t>(*next_);
  const uint8_t info = byte & 0x1f;
  switch (byte >> 5) {
    case kUnsigned: return CborKind::kUnsigned;
    case kNegative: return CborKind::kNegative;
    case kBytes: return CborKind::kBytes;
    case kText: return CborKind::kText;
    case kArray: return CborKind::kArray;
    case kMap: return CborKind::kMap;
    case kTag: return CborKind::kTag;
    default: break;
  }
  if (info == kFalse) return CborKind::kFalse;
  if (info == kTrue) return CborKind::kTrue;
  if (info == kNull || info == kUndefined) return CborKind::kNull;
  if (info >= kFloat16 && info <= kFloat64) return CborKind::kFloat;
  return info == kIndefinite ? CborKind::kBreak : CborKind::kNothing;
}

bool CborReader::TakeHead(Head& head) {
  if (!ok_ || next_ == end_) return Fail(), false;
  const auto byte = static_cast<uint8_t>(*next_++);
  head.major = byte >> 5;
  head.info = byte & 0x1f;
  head.value = head.info;
  if (head.info < 24) return true;
  if (head.info == kIndefinite) {
    const bool can_be = (head.major >= kBytes && head.major <= kMap) || head.major == kOther;
    return can_be || (Fail(), false);
  }
  if (head.info > 27) return Fail(), false;
  const size_t size = size_t{1} << (head.info - 24);
  if (static_cast<size_t>(end_ - next_) < size) return Fail(), false;
  head.value = 0;
  for (size_t i = 0; i < size; ++i) head.value = head.value << 8 | static_cast<uint8_t>(*next_++);
  return true;
}

bool CborReader::TakeHeadOf(uint8_t major, Head& head) {
  return TakeHead(head) && (head.major == major || (Fail(), false));
}

uint64_t CborReader::Unsigned() {
  Head head;
  return TakeHeadOf(kUnsigned, head) ? head.value : 0;
}

uint64_t CborReader::NegativeBits() {
  Head head;
  return TakeHeadOf(kNegative, head) ? head.value : 0;
}

int64_t CborReader::Int() {
  Head head;
  if (!TakeHead(head)) return 0;
  if (head.major > kNegative || head.value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return Fail(), 0;
  const auto value = static_cast<int64_t>(head.value);
  return head.major == kUnsigned ? value : -1 - value;
}

bool CborReader::Bool() {
  Head head;
  if (!TakeHead(head)) return false;
  if (head.major == kUnsigned && head.value <= 1) return head.value == 1;
  if (head.major == kOther && (head.info == kFalse || head.info == kTrue)) return head.info == kTrue;
  return Fail(), false;
}

double CborReader::Float() {
  Head head;
  if (!TakeHeadOf(kOther, head)) return 0;
  if (head.info == kFloat16) return FromHalf(static_cast<uint16_t>(head.value));
  if (head.info == kFloat16 + 1) return std::bit_cast<float>(static_cast<uint32_t>(head.value));
  if (head.info == kFloat64) return std::bit_cast<double>(head.value);
  return Fail(), 0;
}

std::string_view CborReader::Take(uint64_t count) {
  if (!ok_ || count > static_cast<uint64_t>(end_ - next_)) return Fail(), std::string_view();
  const std::string_view taken(next_, static_cast<size_t>(count));
  next_ += count;
  return taken;
}

std::string_view CborReader::String(uint8_t major, Arena& arena) {
  Head head;
  if (!TakeHeadOf(major, head)) return {};
  if (head.info != kIndefinite) return Take(head.value);
  std::string joined;
  while (ok_ && Peek() != CborKind::kBreak) {
    Head piece;
    if (!TakeHeadOf(major, piece)) return {};
    if (piece.info == kIndefinite) return Fail(), std::string_view();
    joined.append(Take(piece.value));
  }
  if (!TakeHead(head)) return {};  // the break
  return arena.Copy(joined);
}

std::string_view CborReader::Bytes(Arena& arena) { return String(kBytes, arena); }
std::string_view CborReader::Text(Arena& arena) { return String(kText, arena); }
std::string_view CborReader::BytesOrText(Arena& arena) {
  return String(Peek() == CborKind::kText ? kText : kBytes, arena);
}

bool CborReader::TakeNull() {
  if (Peek() != CborKind::kNull) return false;
  ++next_;
  return true;
}

uint64_t CborReader::Tag() {
  Head head;
  return TakeHeadOf(kTag, head) ? head.value : 0;
}

CborReader::Items CborReader::Container(uint8_t major) {
  Head head;
  if (!TakeHeadOf(major, head)) return {};
  if (head.info == kIndefinite) return {0, true};
  // Each element has a byte at least: a count beyond that is a lie that nobody should reserve memory for.
  if (head.value > static_cast<uint64_t>(end_ - next_)) return Fail(), Items{};
  return {head.value, false};
}

CborReader::Items CborReader::Array() { return Container(kArray); }
CborReader::Items CborReader::Map() { return Container(kMap); }

bool CborReader::Next(Items& items) {
  if (!ok_) return false;
  if (!items.is_indefinite) return items.left > 0 && items.left-- > 0;
  if (Peek() != CborKind::kBreak) return !at_end() || (Fail(), false);
  ++next_;
  return false;
}

void CborReader::SkipValue(int depth) {
  Head head;
  if (depth > kMostCborDepth) return Fail();
  if (!TakeHead(head)) return;
  switch (head.major) {
    case kUnsigned:
    case kNegative: return;
    case kBytes:
    case kText:
      if (head.info != kIndefinite) return void(Take(head.value));
      while (ok_ && Peek() != CborKind::kBreak) {
        Head piece;
        if (!TakeHeadOf(head.major, piece)) return;
        if (piece.info == kIndefinite) return Fail();
        Take(piece.value);
      }
      return void(TakeHead(head));
    case kTag: return SkipValue(depth + 1);
    case kArray:
    case kMap: {
      const int each = head.major == kMap ? 2 : 1;
      Items items{head.value, head.info == kIndefinite};
      if (!items.is_indefinite && items.left > static_cast<uint64_t>(end_ - next_)) return Fail();
      while (Next(items))
        for (int i = 0; i < each && ok_; ++i) SkipValue(depth + 1);
      return;
    }
    default:
      if (head.info == kIndefinite || (head.info < kFalse) || head.info == 24) Fail();
  }
}

void CborReader::Skip() { SkipValue(0); }

std::string_view CborReader::Raw() {
  const char* const begin = next_;
  Skip();
  return ok_ ? std::string_view(begin, static_cast<size_t>(next_ - begin)) : std::string_view();
}

void AppendCborUnsigned(std::string& out, uint64_t value) { AppendHead(out, kUnsigned, value); }

void AppendCborInt(std::string& out, int64_t value) {
  if (value >= 0) AppendHead(out, kUnsigned, static_cast<uint64_t>(value));
  else AppendHead(out, kNegative, static_cast<uint64_t>(-1 - value));
}

void AppendCborBytesHead(std::string& out, size_t length) { AppendHead(out, kBytes, length); }
void AppendCborArrayHead(std::string& out, size_t count) { AppendHead(out, kArray, count); }
void AppendCborMapHead(std::string& out, size_t count) { AppendHead(out, kMap, count); }
void AppendCborTag(std::string& out, uint64_t tag) { AppendHead(out, kTag, tag); }

void AppendCborBytes(std::string& out, std::string_view bytes) {
  AppendHead(out, kBytes, bytes.size());
  out.append(bytes);
}

void AppendCborText(std::string& out, std::string_view text) {
  AppendHead(out, kText, text.size());
  out.append(text);
}

void AppendCborDouble(std::string& out, double value) {
  out.push_back('\xfb');
  AppendBigEndian(out, std::bit_cast<uint64_t>(value));
}

}  // namespace armature::dax
