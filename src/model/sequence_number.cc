#include "model/sequence_number.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace armature::model {

namespace {
constexpr size_t kPositionDigits = 20;
constexpr size_t kPartitionDigits = 17;
constexpr size_t kDigits = 1 + kPositionDigits + kPartitionDigits;
}  // namespace

void AppendSequenceNumber(uint64_t position, uint64_t partition, std::string& out) {
  char digits[kDigits];
  digits[0] = '1';
  size_t i = kDigits - 1;
  for (; i > kPositionDigits; --i, partition /= 10) digits[i] = static_cast<char>('0' + partition % 10);
  for (; i > 0; --i, position /= 10) digits[i] = static_cast<char>('0' + position % 10);
  out.append(digits, kDigits);
}

std::string SequenceNumber(uint64_t position, uint64_t partition) {
  std::string text;
  AppendSequenceNumber(position, partition, text);
  return text;
}

std::optional<uint64_t> ParseSequenceNumber(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
    return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  if (text.size() < kDigits) return 0;
  constexpr uint64_t kLast = std::numeric_limits<uint64_t>::max();
  if (text.size() > kDigits || text.front() != '1') return kLast;
  uint64_t position = 0;
  for (const char digit : text.substr(1, kPositionDigits)) {
    const auto value = static_cast<uint64_t>(digit - '0');
    if (position > (kLast - value) / 10) return kLast;
    position = position * 10 + value;
  }
  return position;
}

}  // namespace armature::model
