#include "dax/codec/cbor.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/bytes.h"
#include "dax/codec/primitives/cbor_head.h"
#include "dax/codec/primitives/utf8.h"

namespace armature::dax {

namespace {

double FromHalf(uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const int fraction = half & 0x3ff;
  const double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                           : exponent == 31 ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                             : std::numeric_limits<double>::quiet_NaN())
                                            : std::ldexp(fraction + 1024, exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

void AppendHead(std::string& out, CborMajor major, uint64_t value) {
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
    case kCborUnsigned: return CborKind::kUnsigned;
    case kCborNegative: return CborKind::kNegative;
    case kCborBytes: return CborKind::kBytes;
    case kCborText: return CborKind::kText;
    case kCborArray: return CborKind::kArray;
    case kCborMap: return CborKind::kMap;
    case kCborTag: return CborKind::kTag;
    default: break;
  }
  if (info == kCborFalse) return CborKind::kFalse;
  if (info == kCborTrue) return CborKind::kTrue;
  if (info == kCborNull || info == kCborUndefined) return CborKind::kNull;
  if (info >= kCborFloat16 && info <= kCborFloat64) return CborKind::kFloat;
  return info == kCborIndefinite ? CborKind::kBreak : CborKind::kNothing;
}

bool CborReader::TakeHead(CborHead& head) {
  if (!ok_ || ReadCborHead(rest(), head) != CborHeadRead::kWhole) return Fail(), false;
  next_ += head.size;
  return true;
}

bool CborReader::TakeHeadOf(uint8_t major, CborHead& head) {
  return TakeHead(head) && (head.major == major || (Fail(), false));
}

uint64_t CborReader::Unsigned() {
  CborHead head;
  return TakeHeadOf(kCborUnsigned, head) ? head.value : 0;
}

uint64_t CborReader::NegativeBits() {
  CborHead head;
  return TakeHeadOf(kCborNegative, head) ? head.value : 0;
}

int64_t CborReader::Int() {
  CborHead head;
  if (!TakeHead(head)) return 0;
  if (head.major > kCborNegative || head.value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return Fail(), 0;
  const auto value = static_cast<int64_t>(head.value);
  return head.major == kCborUnsigned ? value : -1 - value;
}

bool CborReader::Bool() {
  CborHead head;
  if (!TakeHead(head)) return false;
  if (head.major == kCborUnsigned && head.value <= 1) return head.value == 1;
  if (head.major == kCborOther && (head.info == kCborFalse || head.info == kCborTrue)) return head.info == kCborTrue;
  return Fail(), false;
}

double CborReader::Float() {
  CborHead head;
  if (!TakeHeadOf(kCborOther, head)) return 0;
  if (head.info == kCborFloat16) return FromHalf(static_cast<uint16_t>(head.value));
  if (head.info == kCborFloat16 + 1) return std::bit_cast<float>(static_cast<uint32_t>(head.value));
  if (head.info == kCborFloat64) return std::bit_cast<double>(head.value);
  return Fail(), 0;
}

std::string_view CborReader::Take(uint64_t count) {
  if (!ok_ || count > static_cast<uint64_t>(end_ - next_)) return Fail(), std::string_view();
  const std::string_view taken(next_, static_cast<size_t>(count));
  next_ += count;
  return taken;
}

std::string_view CborReader::String(uint8_t major, Arena& arena) {
  CborHead head;
  if (!TakeHeadOf(major, head)) return {};
  if (!head.is_indefinite()) return Take(head.value);
  std::string joined;
  while (ok_ && Peek() != CborKind::kBreak) {
    CborHead piece;
    if (!TakeHeadOf(major, piece)) return {};
    if (piece.is_indefinite()) return Fail(), std::string_view();
    joined.append(Take(piece.value));
  }
  if (!TakeHead(head)) return {};  // the break
  return arena.Copy(joined);
}

std::string_view CborReader::Bytes(Arena& arena) { return String(kCborBytes, arena); }
std::string_view CborReader::Text(Arena& arena) {
  const std::string_view text = String(kCborText, arena);
  if (!IsWellFormedUtf8(text)) return Fail(), std::string_view();
  return text;
}
std::string_view CborReader::BytesOrText(Arena& arena) {
  return Peek() == CborKind::kText ? Text(arena) : Bytes(arena);
}

bool CborReader::TakeNull() {
  if (Peek() != CborKind::kNull) return false;
  ++next_;
  return true;
}

uint64_t CborReader::Tag() {
  CborHead head;
  return TakeHeadOf(kCborTag, head) ? head.value : 0;
}

CborReader::Items CborReader::Container(uint8_t major) {
  CborHead head;
  if (!TakeHeadOf(major, head)) return {};
  if (head.is_indefinite()) return {0, true};
  // Each element has a byte at least: a count beyond that is a lie that nobody should reserve memory for.
  const auto most = static_cast<uint64_t>(end_ - next_) / (major == kCborMap ? 2 : 1);
  if (head.value > most) return Fail(), Items{};
  return {head.value, false};
}

CborReader::Items CborReader::Array() { return Container(kCborArray); }
CborReader::Items CborReader::Map() { return Container(kCborMap); }

bool CborReader::Next(Items& items) {
  if (!ok_) return false;
  if (!items.is_indefinite) return items.left > 0 && items.left-- > 0;
  if (Peek() != CborKind::kBreak) return !at_end() || (Fail(), false);
  ++next_;
  return false;
}

void CborReader::SkipValue(int depth) {
  CborHead head;
  if (depth > kMostCborDepth) return Fail();
  if (!TakeHead(head)) return;
  switch (head.major) {
    case kCborUnsigned:
    case kCborNegative: return;
    case kCborBytes:
    case kCborText:
      if (!head.is_indefinite()) return void(Take(head.value));
      while (ok_ && Peek() != CborKind::kBreak) {
        CborHead piece;
        if (!TakeHeadOf(head.major, piece)) return;
        if (piece.is_indefinite()) return Fail();
        Take(piece.value);
      }
      return void(TakeHead(head));
    case kCborTag: return SkipValue(depth + 1);
    case kCborArray:
    case kCborMap: {
      const int each = head.major == kCborMap ? 2 : 1;
      Items items{head.value, head.is_indefinite()};
      if (!items.is_indefinite && items.left > static_cast<uint64_t>(end_ - next_)) return Fail();
      while (Next(items))
        for (int i = 0; i < each && ok_; ++i) SkipValue(depth + 1);
      return;
    }
    default:
      if (!IsKnownOther(head)) Fail();
  }
}

void CborReader::Skip() { SkipValue(0); }

std::string_view CborReader::Raw() {
  const char* const begin = next_;
  Skip();
  return ok_ ? std::string_view(begin, static_cast<size_t>(next_ - begin)) : std::string_view();
}

void AppendCborUnsigned(std::string& out, uint64_t value) { AppendHead(out, kCborUnsigned, value); }

void AppendCborInt(std::string& out, int64_t value) {
  if (value >= 0) AppendHead(out, kCborUnsigned, static_cast<uint64_t>(value));
  else AppendHead(out, kCborNegative, static_cast<uint64_t>(-1 - value));
}

void AppendCborBytesHead(std::string& out, size_t length) { AppendHead(out, kCborBytes, length); }
void AppendCborArrayHead(std::string& out, size_t count) { AppendHead(out, kCborArray, count); }
void AppendCborMapHead(std::string& out, size_t count) { AppendHead(out, kCborMap, count); }
void AppendCborTag(std::string& out, uint64_t tag) { AppendHead(out, kCborTag, tag); }

void AppendCborBytes(std::string& out, std::string_view bytes) {
  AppendHead(out, kCborBytes, bytes.size());
  out.append(bytes);
}

void AppendCborText(std::string& out, std::string_view text) {
  AppendHead(out, kCborText, text.size());
  out.append(text);
}

void AppendCborDouble(std::string& out, double value) {
  out.push_back('\xfb');
  AppendBigEndian(out, std::bit_cast<uint64_t>(value));
}

}  // namespace armature::dax
