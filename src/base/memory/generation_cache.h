// GenerationCache: values by a text, bounded in entries and bytes, for texts of which the same few come for ever.
//
// Two generations: when the young one is full the old one is dropped and the young becomes the old; a hit in the old
// one moves the entry up. So a hit costs one look-up and no list is kept in order. What is found stays where it is
// until it is dropped, which only Find and Keep do. One thread at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace armature {

// `Key` is a std::string, or a std::string_view into the value kept with it.
template <class Key, class Value>
class GenerationCache {
 public:
  // Both are of each generation.
  GenerationCache(size_t max_entries, size_t max_bytes) : max_entries_(max_entries), max_bytes_(max_bytes) {}
  GenerationCache(const GenerationCache&) = delete;
  GenerationCache& operator=(const GenerationCache&) = delete;

  // Null if there is none. Valid until the next Find or Keep.
  const Value* Find(std::string_view text) {
    if (const auto it = young_.find(text); it != young_.end()) return &it->second.value;
    const auto it = old_.find(text);
    if (it == old_.end()) return nullptr;
    auto node = old_.extract(it);
    MakeRoom(node.mapped().bytes);
    return &young_.insert(std::move(node)).position->second.value;
  }

  // REQUIRES: Find has just found nothing for that key. Valid likewise.
  const Value& Keep(Key key, Value value, size_t bytes) {
    MakeRoom(bytes);
    return young_.emplace(std::move(key), Entry{std::move(value), bytes}).first->second.value;
  }

  size_t entries() const { return young_.size() + old_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Entry {
    Value value;
    size_t bytes = 0;
  };
  using Map = std::unordered_map<Key, Entry, Hash, std::equal_to<>>;

  void MakeRoom(size_t bytes) {
    if (young_.size() >= max_entries_ || young_bytes_ + bytes > max_bytes_) {
      old_ = std::move(young_);
      young_.clear();
      young_bytes_ = 0;
    }
    young_bytes_ += bytes;
  }

  const size_t max_entries_;
  const size_t max_bytes_;
  Map young_;
  Map old_;
  size_t young_bytes_ = 0;
};

}  // namespace armature
