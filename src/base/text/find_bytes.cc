#include "base/text/find_bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace armature {

namespace {

// Failed attempts may cost this much for every byte passed before the search changes its ways.
constexpr size_t kPatience = 4;
constexpr size_t kHeadStart = 512;

uint8_t At(std::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }

size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  size_t i = 0;
  for (; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t))
    if (std::memcmp(a.data() + i, b.data() + i, sizeof(uint64_t)) != 0) break;
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

struct Suffix {
  size_t begin = 0;
  size_t period = 1;
};

// The greatest suffix in the order of bytes, or in the reverse one, and its period.
Suffix GreatestSuffix(std::string_view text, bool is_reverse, size_t& work) {
  size_t begin = 0, candidate = 1, matched = 0, period = 1;
  while (candidate + matched < text.size()) {
    ++work;
    const uint8_t a = At(text, candidate + matched), b = At(text, begin + matched);
    if (a == b) {
      if (++matched == period) {
        candidate += period;
        matched = 0;
      }
    } else if (is_reverse ? a > b : a < b) {
      candidate += matched + 1;
      matched = 0;
      period = candidate - begin;
    } else {
      begin = candidate++;
      matched = 0;
      period = 1;
    }
  }
  return {begin, period};
}

// Crochemore and Perrin, "Two-way string-matching" (1991): the pattern is cut where its local period is the global one.
// The right half is compared first, forwards; where it fails, the pattern moves by as much as was compared.
bool TwoWay(std::string_view text, std::string_view wanted, size_t& work) {
  const Suffix forwards = GreatestSuffix(wanted, false, work), backwards = GreatestSuffix(wanted, true, work);
  const Suffix cut = forwards.begin > backwards.begin ? forwards : backwards;
  const size_t size = wanted.size();
  work += cut.begin;
  const bool is_periodic =
      cut.begin + cut.period <= size && wanted.substr(0, cut.begin) == wanted.substr(cut.period, cut.begin);
  const size_t period = is_periodic ? cut.period : std::max(cut.begin, size - cut.begin) + 1;
  size_t known = 0;  // of the front, when the pattern is periodic: matches for sure
  for (size_t at = 0; at + size <= text.size();) {
    size_t i = std::max(cut.begin, known);
    while (i < size && wanted[i] == text[at + i]) ++i;
    work += i - std::max(cut.begin, known) + 1;
    if (i < size) {
      at += i - cut.begin + 1;
      known = 0;
      continue;
    }
    size_t left = cut.begin;
    while (left > known && wanted[left - 1] == text[at + left - 1]) --left;
    work += cut.begin - left + 1;
    if (left <= known) return true;
    at += period;
    known = is_periodic ? size - period : 0;
  }
  return false;
}

}  // namespace

bool ContainsBytes(std::string_view text, std::string_view wanted, size_t& work) {
  if (wanted.empty()) return true;
  if (wanted.size() > text.size()) return false;
  const size_t last = text.size() - wanted.size();
  size_t compared = 0;
  for (size_t at = 0; at <= last; ++at) {
    const void* found = std::memchr(text.data() + at, wanted[0], last - at + 1);
    if (!found) {
      work += last + 1 + compared;
      return false;
    }
    at = static_cast<size_t>(static_cast<const char*>(found) - text.data());
    const size_t common = CommonPrefix(text.substr(at + 1), wanted.substr(1)) + 1;
    compared += common;
    if (common >= wanted.size()) {
      work += at + compared;
      return true;
    }
    if (compared > at * kPatience + kHeadStart) {
      work += at + compared;
      return TwoWay(text.substr(at + 1), wanted, work);
    }
  }
  work += last + 1 + compared;
  return false;
}

}  // namespace armature
