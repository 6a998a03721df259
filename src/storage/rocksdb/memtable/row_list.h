// RowList: rows in the order of their keys, as a skip list that is linked both ways.
//
// One writer at a time, any number of readers beside it, without locks: a row is complete before it is linked, and is
// never unlinked. A reader that goes back past a row being linked may not see it; such a row is newer than the
// snapshot of any reader. Whatever was inserted before a reader began it finds, in both directions.
//
// A row is an entry as RocksDB's memtables have them (their header calls the format frozen): the length of the internal
// key as a varint, the internal key (the user's key, then sequence number and kind in eight bytes), and bytes that
// are not looked at. The order is that of RocksDB's bytewise comparator: by the user's key, then newest first.
//
// A key that is written again and again (a counter, the number of a partition's newest commit) is not searched for each
// time: the writer remembers where the newest rows of keys are, and puts the next one in front.
//
// Knows no header of RocksDB: linked_memtable.cc joins the two. Memory is a RowBlocks, which lives longer.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include <xxhash.h>

#include "storage/rocksdb/memtable/row_blocks.h"

namespace armature::storage {

// A row's place in the order: the user's key, and the sequence number and kind packed behind it.
struct RowKey {
  const char* bytes = nullptr;
  size_t size = 0;
  uint64_t packed = 0;

  static RowKey OfInternal(const char* bytes, size_t size) {
    return {bytes, size - sizeof(uint64_t), Load(bytes + size - sizeof(uint64_t))};
  }
  static RowKey OfEntry(const char* entry) {
    auto byte = static_cast<uint8_t>(*entry++);
    uint32_t size = byte & 0x7F;
    for (int shift = 7; byte & 0x80; shift += 7) {
      byte = static_cast<uint8_t>(*entry++);
      size |= static_cast<uint32_t>(byte & 0x7F) << shift;
    }
    return OfInternal(entry, size);
  }

  bool HasKeyOf(const RowKey& other) const { return size == other.size && std::memcmp(bytes, other.bytes, size) == 0; }
  bool IsBefore(const RowKey& other) const {
    size_t left = std::min(size, other.size);
    const char* x = bytes;
    const char* y = other.bytes;
    // Most keys differ in their second word, which a call of memcmp would not reach before this has returned.
    for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t), x += sizeof(uint64_t), y += sizeof(uint64_t)) {
      const uint64_t p = Load(x), q = Load(y);
      if (p != q) return __builtin_bswap64(p) < __builtin_bswap64(q);
    }
    if (const int order = std::memcmp(x, y, left); order != 0) return order < 0;
    if (size != other.size) return size < other.size;
    return packed > other.packed;
  }

 private:
  static uint64_t Load(const char* from) {
    uint64_t word;
    std::memcpy(&word, from, sizeof(word));
    return word;
  }
  static_assert(std::endian::native == std::endian::little, "words are swapped, and `packed` is stored as it is");
};

class RowList {
 public:
  // In front of a row lie its links of the higher levels, behind it the entry. A search in a large list is all cache
  // misses, so rows lie in cache lines such that one miss brings the links of the lower levels and the part of the key
  // in which most keys differ.
  class Row {
   public:
    char* entry() { return reinterpret_cast<char*>(this + 1); }
    const char* entry() const { return reinterpret_cast<const char*>(this + 1); }
    RowKey key() const { return RowKey::OfEntry(entry()); }

   private:
    friend class RowList;
    std::atomic<Row*>& next(int level) { return *(&next_ - level); }
    const std::atomic<Row*>& next(int level) const { return *(&next_ - level); }

    std::atomic<Row*> next_;      // of level 0
    std::atomic<Row*> previous_;  // of level 0; the head of the list is a row too
  };

  explicit RowList(RowBlocks& blocks) : blocks_(blocks) {
    head_ = NewRow(kMaxHeight, 0);
    for (int level = 0; level < kMaxHeight; ++level) head_->next(level).store(nullptr, std::memory_order_relaxed);
    last_.store(head_, std::memory_order_relaxed);
  }
  RowList(const RowList&) = delete;
  RowList& operator=(const RowList&) = delete;

  // --- the writer

  // Room for an entry of `bytes`. Nobody sees the row before it is inserted.
  Row* Allocate(size_t bytes) {
    const int height = RandomHeight();
    Row* const row = NewRow(height, bytes);
    // Kept where Insert will put the first link.
    row->next_.store(reinterpret_cast<Row*>(static_cast<uintptr_t>(height)), std::memory_order_relaxed);
    return row;
  }

  // REQUIRES: `row` is of Allocate, its entry is complete, and no row of the same key and sequence number is here.
  void Insert(Row* row) {
    const int height = static_cast<int>(reinterpret_cast<uintptr_t>(row->next_.load(std::memory_order_relaxed)));
    const RowKey key = row->key();
    std::array<Row*, kMaxHeight> before;
    Row*& newest = NewestOf(key);
    before[0] = height == 1 ? BeforeNewest(newest, key) : nullptr;
    newest = row;
    if (before[0] == nullptr) {
      const int known = height_.load(std::memory_order_relaxed);
      Descend(key, known, [&before](int level, Row* left) { before[static_cast<size_t>(level)] = left; });
      for (int level = known; level < height; ++level) before[static_cast<size_t>(level)] = head_;
      if (height > known) height_.store(height, std::memory_order_relaxed);
    }

    Row* const after = before[0]->next_.load(std::memory_order_relaxed);
    row->previous_.store(before[0], std::memory_order_relaxed);
    for (int level = 0; level < height; ++level) {
      Row* const left = before[static_cast<size_t>(level)];
      row->next(level).store(left->next(level).load(std::memory_order_relaxed), std::memory_order_relaxed);
      left->next(level).store(row, std::memory_order_release);
    }
    (after != nullptr ? after->previous_ : last_).store(row, std::memory_order_release);
  }

  // --- readers: null stands for both ends

  const Row* First() const { return head_->next_.load(std::memory_order_acquire); }
  const Row* Last() const { return Shown(last_.load(std::memory_order_acquire)); }
  static const Row* Next(const Row* row) { return row->next_.load(std::memory_order_acquire); }
  const Row* Previous(const Row* row) const { return Shown(row->previous_.load(std::memory_order_acquire)); }

  // The first row that is not before `key`.
  const Row* AtOrAfter(const RowKey& key) const {
    const Row* row = Descend(key, height_.load(std::memory_order_relaxed), [](int, Row*) {});
    // The next one may have been linked since the descent, and then is before `key` or newer than any reader.
    do row = Next(row);
    while (row != nullptr && row->key().IsBefore(key));
    return row;
  }
  // The last row that is not behind `key`.
  const Row* AtOrBefore(const RowKey& key) const {
    const Row* row = AtOrAfter(key);
    if (row == nullptr) row = Last();
    while (row != nullptr && key.IsBefore(row->key())) row = Previous(row);
    return row;
  }
  bool Contains(const RowKey& key) const {
    const Row* const row = AtOrAfter(key);
    return row != nullptr && !key.IsBefore(row->key());
  }

 private:
  static constexpr int kMaxHeight = 12;
  static constexpr uint32_t kBranching = 4;                              // one row in four is also on the next level
  static constexpr size_t kPlaceInLine = 3 * sizeof(std::atomic<Row*>);  // behind the links of three levels

  // Of the places where newest rows are remembered: few for a small list, and in a large one half a megabyte.
  static constexpr size_t kFewestPlaces = 64;
  static constexpr size_t kMostPlaces = size_t{64} << 10;

  static size_t BytesInFront(int height) { return sizeof(std::atomic<Row*>) * static_cast<size_t>(height - 1); }

  Row* NewRow(int height, size_t entry_bytes) {
    char* const memory = blocks_.Allocate(BytesInFront(height), sizeof(Row) + entry_bytes, kPlaceInLine);
    for (int level = 1; level < height; ++level) new (memory - BytesInFront(level + 1)) std::atomic<Row*>;
    return new (memory) Row;
  }

  int RandomHeight() {
    // xorshift: heights need no better, and the writer is one thread.
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return std::min(kMaxHeight, 1 + std::countr_zero(random_ | (uint64_t{1} << 63)) / std::countr_zero(kBranching));
  }

  // Where the newest row of the key is remembered, or that of another key which shares the place.
  Row*& NewestOf(const RowKey& key) {
    if (++rows_ > newest_.size() && newest_.size() < kMostPlaces) AddPlaces();
    return newest_[XXH3_64bits(key.bytes, key.size) & (newest_.size() - 1)];
  }

  // Forgets what is remembered, which the list does not need.
  void AddPlaces() {
    const size_t count = std::max(kFewestPlaces, newest_.size() * 4);
    char* const memory = blocks_.Allocate(0, count * sizeof(Row*), 0);
    newest_ = {new (memory) Row* [count] {}, count};
  }

  // The row behind which a newer one than `newest` belongs, if that is of the same key and the newest of it; else null.
  // Both rows are needed anyway, to link the new one between them.
  Row* BeforeNewest(const Row* newest, const RowKey& key) const {
    if (newest == nullptr) return nullptr;
    const RowKey remembered = newest->key();
    if (!remembered.HasKeyOf(key) || remembered.packed > key.packed) return nullptr;
    Row* const before = newest->previous_.load(std::memory_order_relaxed);
    return before == head_ || before->key().IsBefore(key) ? before : nullptr;
  }

  // Walks down to where `key` belongs. Tells `visit` the last row before it on each level, from the highest.
  template <class Visit>
  Row* Descend(const RowKey& key, int height, Visit visit) const {
    Row* row = head_;
    const Row* bound = nullptr;  // known not to be before `key`; often the next one on the level below too
    for (int level = height - 1;; --level) {
      for (Row* next = row->next(level).load(std::memory_order_acquire); next != bound;) {
        // Whichever way it goes on from here.
        if (level > 0) __builtin_prefetch(row->next(level - 1).load(std::memory_order_relaxed));
        Row* const later = next->next(level).load(std::memory_order_acquire);
        __builtin_prefetch(later);
        if (!next->key().IsBefore(key)) {
          bound = next;
          break;
        }
        row = next;
        next = later;
      }
      visit(level, row);
      if (level == 0) return row;
    }
  }

  const Row* Shown(const Row* row) const { return row == head_ ? nullptr : row; }

  RowBlocks& blocks_;
  std::span<Row*> newest_;  // the writer's; by hash of the key
  size_t rows_ = 0;         // likewise
  Row* head_ = nullptr;
  std::atomic<Row*> last_{nullptr};  // the head while there is none
  std::atomic<int> height_{1};
  uint64_t random_ = 0x9E3779B97F4A7C15;
};

}  // namespace armature::storage
