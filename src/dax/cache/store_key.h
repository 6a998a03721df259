// StoreKey: the key of an entry in the store that the two caches share: a byte for the kind, the table, and the rest.
//
// A table has another number after it was made anew, so what was kept of the old one is never found again. Short keys
// need no memory. Plain data. Used in this folder.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace armature::dax {

enum class EntryKind : uint8_t { kItem = 1, kQuery = 2, kScan = 3 };

class StoreKey {
 public:
  StoreKey(EntryKind kind, uint32_t table, std::string_view rest) { Make(kind, table, nullptr, rest); }
  StoreKey(EntryKind kind, uint32_t table, uint64_t generation, std::string_view rest) {
    Make(kind, table, &generation, rest);
  }
  StoreKey(const StoreKey&) = delete;
  StoreKey& operator=(const StoreKey&) = delete;

  std::string_view view() const { return long_.empty() ? std::string_view(short_.data(), size_) : long_; }

 private:
  static constexpr size_t kShort = 160;
  static constexpr size_t kMostPrefix = 1 + 5 + 10;

  void Make(EntryKind kind, uint32_t table, const uint64_t* generation, std::string_view rest) {
    size_ = 0;
    short_[size_++] = static_cast<char>(kind);
    Add(table);
    if (generation != nullptr) Add(*generation);
    if (size_ + rest.size() <= kShort) {
      if (!rest.empty()) std::memcpy(short_.data() + size_, rest.data(), rest.size());
      size_ += rest.size();
      return;
    }
    long_.reserve(size_ + rest.size());
    long_.append(short_.data(), size_).append(rest);
  }
  void Add(uint64_t number) {
    for (; number >= 0x80; number >>= 7) short_[size_++] = static_cast<char>(number | 0x80);
    short_[size_++] = static_cast<char>(number);
  }

  static_assert(kMostPrefix <= kShort);
  std::array<char, kShort> short_;
  size_t size_;
  std::string long_;  // instead, if it is not empty
};

}  // namespace armature::dax
