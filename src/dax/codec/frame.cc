#include "dax/codec/frame.h"

#include <algorithm>

#include "dax/codec/cbor.h"
#include "dax/codec/methods.h"

namespace armature::dax {

namespace {

// The handshake's first value, a text.
constexpr std::string_view kHandshakeMagic = "\x67J7yne5G";
constexpr uint64_t kService = 1;

constexpr std::string_view kNoHandshake = "the connection does not begin as one of a DAX client";
constexpr std::string_view kNoService = "the service of the request is not known";
constexpr std::string_view kNoMethod = "the method of the request is not known";
constexpr std::string_view kNoCbor = "the request is malformed";
constexpr std::string_view kTooDeep = "the request is nested too deep";
constexpr std::string_view kTooLong = "the request is too long";

}  // namespace

bool FrameScanner::Fail(std::string_view reason) {
  reason_ = reason;
  return false;
}

Frame FrameScanner::Malformed(std::string_view reason) {
  reason_ = reason;
  return {FrameState::kMalformed, 0, reason};
}

void FrameScanner::Next() {
  position_ = 0;
  open_.clear();
  left_ = kValuesBeforeArguments;
  taken_ = 0;
  is_handshake_ = false;
}

Frame FrameScanner::Scan(std::string_view input) {
  if (!reason_.empty()) return Malformed(reason_);
  if (is_handshake_ && position_ == 0) {
    if (!TakeMagic(input)) return Malformed(reason_);
    if (position_ == 0) return {};
  }
  while (CloseFinished(), !open_.empty() || left_ > 0) {
    if (position_ >= input.size()) return {};
    CborHead head;
    switch (ReadCborHead(input.substr(position_), head)) {
      case CborHeadRead::kTorn: return {};
      case CborHeadRead::kMalformed: return Malformed(kNoCbor);
      case CborHeadRead::kWhole: break;
    }
    if (!Skip(head.size) || !TakeHead(head)) return Malformed(reason_);
  }
  if (position_ > input.size()) return {};
  return {FrameState::kWhole, position_, {}};
}

// What is no DAX client is seen at its first byte that is not one's.
bool FrameScanner::TakeMagic(std::string_view input) {
  const size_t there = std::min(input.size(), kHandshakeMagic.size());
  if (input.substr(0, there) != kHandshakeMagic.substr(0, there)) return Fail(kNoHandshake);
  if (there < kHandshakeMagic.size()) return true;
  ++taken_;
  --left_;
  return Skip(kHandshakeMagic.size());
}

bool FrameScanner::Skip(uint64_t bytes) {
  if (bytes > most_bytes_ - position_) return Fail(kTooLong);
  position_ += bytes;
  return true;
}

void FrameScanner::CloseFinished() {
  while (!open_.empty() && open_.back().kind == Kind::kCounted && open_.back().left == 0) open_.pop_back();
}

bool FrameScanner::TakeHead(const CborHead& head) {
  if (head.is_break()) return TakeBreak();
  if (!open_.empty() && open_.back().kind == Kind::kPiecesUntilBreak) return TakePiece(head);
  if (open_.size() > static_cast<size_t>(kMostCborDepth)) return Fail(kTooDeep);
  if (open_.empty() && !TakeTopValue(head)) return false;
  CountValue();
  switch (head.major) {
    case kCborBytes:
    case kCborText: return TakeString(head);
    case kCborArray:
    case kCborMap: return TakeContainer(head);
    case kCborTag: open_.push_back({.left = 1}); return true;
    case kCborOther: return IsKnownOther(head) || Fail(kNoCbor);
    default: return true;
  }
}

bool FrameScanner::TakeBreak() {
  if (open_.empty() || open_.back().kind == Kind::kCounted || open_.back().is_odd) return Fail(kNoCbor);
  open_.pop_back();
  return true;
}

bool FrameScanner::TakePiece(const CborHead& head) {
  if (head.major != open_.back().major || head.is_indefinite()) return Fail(kNoCbor);
  return Skip(head.value);
}

// The values of a request that tell how many there are.
bool FrameScanner::TakeTopValue(const CborHead& head) {
  const int index = taken_++;
  if (is_handshake_ || index > 1) return true;
  if (index == 0) return (head.major == kCborUnsigned && head.value == kService) || Fail(kNoService);
  if (head.major > kCborNegative) return Fail(kNoCbor);
  const auto bits = static_cast<int64_t>(std::min<uint64_t>(head.value, INT64_MAX));
  const int arguments = ArgumentCount(head.major == kCborUnsigned ? bits : -1 - bits);
  is_unknown_method_ = arguments < 0;
  if (is_unknown_method_) return Fail(kNoMethod);
  left_ += static_cast<uint64_t>(arguments);
  return true;
}

// Whatever this value is: one less is to come where it stands.
void FrameScanner::CountValue() {
  if (open_.empty()) {
    --left_;
    return;
  }
  Open& around = open_.back();
  if (around.kind == Kind::kCounted) --around.left;
  else around.is_odd = around.kind == Kind::kPairsUntilBreak && !around.is_odd;
}

bool FrameScanner::TakeString(const CborHead& head) {
  if (!head.is_indefinite()) return Skip(head.value);
  open_.push_back({.kind = Kind::kPiecesUntilBreak, .major = head.major});
  return true;
}

bool FrameScanner::TakeContainer(const CborHead& head) {
  const bool is_map = head.major == kCborMap;
  if (head.is_indefinite()) {
    open_.push_back({.kind = is_map ? Kind::kPairsUntilBreak : Kind::kValuesUntilBreak});
    return true;
  }
  const uint64_t values_each = is_map ? 2 : 1;
  // Each value has a byte at least.
  if (head.value > (most_bytes_ - position_) / values_each) return Fail(kTooLong);
  open_.push_back({.left = head.value * values_each});
  return true;
}

}  // namespace armature::dax
