// CowMap: an ordered map by text, of which a copy costs little and is left alone by changes to the original.
//
// Sorted entries in chunks that copies share: a copy takes a pointer per chunk, a change copies the one chunk it falls
// into, a look-up is two binary searches. For state of which every version is kept as long as somebody reads it. Many
// threads may read one map; one thread changes a map that nobody else reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace armature::iam {

template <class Value>
class CowMap {
 public:
  using Entry = std::pair<std::string, Value>;

  // Null if there is none.
  const Value* Find(std::string_view key) const {
    const auto chunk = ChunkOf(key);
    if (chunk == chunks_.end()) return nullptr;
    const auto entry = LowerBound(**chunk, key);
    return entry != (*chunk)->end() && entry->first == key ? &entry->second : nullptr;
  }

  // Puts in the place of what was there.
  void Set(std::string_view key, Value value) {
    const auto chunk = MutableChunkOf(key);
    if (chunk == chunks_.end()) {
      chunks_.push_back(std::make_shared<const Chunk>(Chunk{Entry(key, std::move(value))}));
      ++size_;
      return;
    }
    Chunk changed = **chunk;
    const auto entry = LowerBound(changed, key);
    const bool is_new = entry == changed.end() || entry->first != key;
    if (is_new) changed.insert(entry, Entry(key, std::move(value)));
    else entry->second = std::move(value);
    Replace(chunk, std::move(changed));
    size_ += is_new;
  }

  void Erase(std::string_view key) {
    if (!Find(key)) return;
    const auto chunk = MutableChunkOf(key);
    Chunk changed = **chunk;
    changed.erase(LowerBound(changed, key));
    if (changed.empty()) chunks_.erase(chunk);
    else *chunk = std::make_shared<const Chunk>(std::move(changed));
    --size_;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Calls visit(key, value) for each entry whose key is not below `from`, in the order of keys, until it returns false.
  template <class Visit>
  void VisitFrom(std::string_view from, Visit&& visit) const {
    auto chunk = ChunkOf(from);
    if (chunk == chunks_.end()) return;
    auto entry = LowerBound(**chunk, from);
    while (true) {
      for (; entry != (*chunk)->end(); ++entry)
        if (!visit(entry->first, entry->second)) return;
      if (++chunk == chunks_.end()) return;
      entry = (*chunk)->begin();
    }
  }
  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (const auto& chunk : chunks_)
      for (const auto& [key, value] : *chunk) visit(key, value);
  }

 private:
  using Chunk = std::vector<Entry>;
  using Chunks = std::vector<std::shared_ptr<const Chunk>>;
  static constexpr size_t kMostEntries = 64;

  template <class C>
  static auto LowerBound(C& chunk, std::string_view key) {
    return std::lower_bound(chunk.begin(), chunk.end(), key,
                            [](const Entry& entry, std::string_view k) { return entry.first < k; });
  }
  // The last chunk that begins at or below the key, else the first.
  template <class C>
  static auto FindChunk(C& chunks, std::string_view key) {
    const auto behind = std::upper_bound(chunks.begin(), chunks.end(), key, [](std::string_view k, const auto& chunk) {
      return k < chunk->front().first;
    });
    return behind == chunks.begin() ? behind : behind - 1;
  }
  typename Chunks::const_iterator ChunkOf(std::string_view key) const { return FindChunk(chunks_, key); }
  typename Chunks::iterator MutableChunkOf(std::string_view key) { return FindChunk(chunks_, key); }

  void Replace(typename Chunks::iterator at, Chunk changed) {
    if (changed.size() <= kMostEntries) {
      *at = std::make_shared<const Chunk>(std::move(changed));
      return;
    }
    const auto middle = changed.begin() + static_cast<ptrdiff_t>(changed.size() / 2);
    auto high = std::make_shared<const Chunk>(std::make_move_iterator(middle), std::make_move_iterator(changed.end()));
    changed.erase(middle, changed.end());
    auto low = std::make_shared<const Chunk>(std::move(changed));
    at = chunks_.insert(at, std::move(low));  // the old one is behind it
    *(at + 1) = std::move(high);
  }

  Chunks chunks_;  // none is empty
  size_t size_ = 0;
};

}  // namespace armature::iam
