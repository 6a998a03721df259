#include "dax/codec/primitives/magnitude.h"

#include <bit>
#include <cassert>
#include <iterator>

#include <fmt/format.h>

namespace armature::dax {

namespace {

using Wide = model::Number::Mantissa;  // 128 bits

constexpr size_t kLimbBytes = sizeof(uint64_t);

}  // namespace

Magnitude::Magnitude(model::Number::Mantissa value) {
  Push(static_cast<uint64_t>(value));
  Push(static_cast<uint64_t>(value >> 64));
  Trim();
}

Magnitude::Magnitude(std::string_view big_endian) {
  assert(big_endian.size() <= kMostBytes);
  while (!big_endian.empty()) {
    const size_t size = std::min(kLimbBytes, big_endian.size());
    uint64_t limb = 0;
    for (const char byte : big_endian.substr(big_endian.size() - size)) limb = limb << 8 | static_cast<uint8_t>(byte);
    Push(limb);
    big_endian.remove_suffix(size);
  }
  Trim();
}

void Magnitude::Push(uint64_t limb) {
  assert(count_ < limbs_.size());
  limbs_[count_++] = limb;
}

void Magnitude::Trim() {
  while (count_ > 0 && limbs_[count_ - 1] == 0) --count_;
}

void Magnitude::Multiply(uint64_t factor) {
  uint64_t carry = 0;
  for (size_t i = 0; i < count_; ++i) {
    const Wide product = static_cast<Wide>(limbs_[i]) * factor + carry;
    limbs_[i] = static_cast<uint64_t>(product);
    carry = static_cast<uint64_t>(product >> 64);
  }
  if (carry != 0) Push(carry);
  Trim();
}

void Magnitude::Increment() {
  for (size_t i = 0; i < count_; ++i)
    if (++limbs_[i] != 0) return;
  Push(1);
}

void Magnitude::Decrement() {
  assert(count_ > 0);
  for (size_t i = 0; i < count_; ++i)
    if (limbs_[i]-- != 0) break;
  Trim();
}

uint64_t Magnitude::Divide(uint64_t divisor) {
  uint64_t rest = 0;
  for (size_t i = count_; i-- > 0;) {
    const Wide dividend = static_cast<Wide>(rest) << 64 | limbs_[i];
    limbs_[i] = static_cast<uint64_t>(dividend / divisor);
    rest = static_cast<uint64_t>(dividend % divisor);
  }
  Trim();
  return rest;
}

size_t Magnitude::ByteCount() const {
  if (count_ == 0) return 0;
  const auto bits = static_cast<size_t>(std::bit_width(limbs_[count_ - 1]));
  return (count_ - 1) * kLimbBytes + (bits + 7) / 8;
}

void Magnitude::AppendBigEndian(std::string& out) const {
  for (size_t i = ByteCount(); i-- > 0;)
    out.push_back(static_cast<char>(limbs_[i / kLimbBytes] >> (8 * (i % kLimbBytes))));
}

void Magnitude::AppendDecimal(std::string& out) const {
  // Nineteen digits at a time, from the last; a limb has a little more than those.
  std::array<uint64_t, kMostBytes / 8 + 3> chunks{};
  size_t count = 0;
  for (Magnitude rest = *this; rest.count_ > 0;) chunks[count++] = rest.Divide(kTen19);
  if (count == 0) return out.push_back('0');
  fmt::format_to(std::back_inserter(out), "{}", chunks[--count]);
  while (count > 0) fmt::format_to(std::back_inserter(out), "{:019}", chunks[--count]);
}

}  // namespace armature::dax
