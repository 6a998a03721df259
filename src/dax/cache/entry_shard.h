// EntryShard: one part of an EntryStore: entries by key, in the order of their last use, within a bound of its own.
//
// An entry is an allocation of the shard's pool: what it hangs on, then its key and its value, perhaps in several
// pieces. All the memory there is are the pool, which may hold fifteen sixteenths of the bound, and the buckets, which
// have the rest: a bucket is four bytes, and there are at most as many entries as buckets, one for each 64 bytes of the
// bound. What was used longest ago goes as soon as there is no room. Not thread-safe. Used by EntryStore.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dax/cache/memory/buckets.h"
#include "dax/cache/memory/run_pool.h"

namespace armature::dax {

// What a store or one part of it holds now, and what it let go of since it was made.
struct EntryFigures {
  uint64_t entries = 0;
  uint64_t kept_bytes = 0;    // keys and values
  uint64_t memory_bytes = 0;  // taken from the system for them
  uint64_t evictions = 0;     // for want of room
  uint64_t evicted_bytes = 0;
  uint64_t expirations = 0;  // found to be over
};

class EntryShard {
 public:
  using Index = RunPool::Index;
  static constexpr Index kNone = RunPool::kNone;
  static constexpr size_t kMostValueBytes = (size_t{1} << 22) - 1;

  EntryShard(size_t max_bytes, size_t max_entry_bytes);

  // An entry that is not over yet, which is the one used last from now on. kNone: there is none.
  Index Find(uint32_t hash, std::string_view key, int64_t now_millis);
  // REQUIRES: the entry was just found.
  size_t ValueBytes(Index entry) const { return ValueBytesOf(At(entry)); }
  // Calls sink(piece) for one piece of the value after the other.
  template <class Sink>
  void ReadValue(Index entry, Sink&& sink) const;

  // Whatever was there under the key is gone in any case; what is too large, or finds no memory, is not kept.
  void Put(uint32_t hash, std::string_view key, std::string_view value, int64_t expires_at_millis);
  void Erase(uint32_t hash, std::string_view key);
  void Clear();

  EntryFigures figures() const;

 private:
  // At the beginning of an allocation. Behind it: the key's length, the key, the value.
  struct Entry {
    Index chain;  // the next in its bucket
    Index newer;
    Index older;
    uint32_t hash;
    // Of 64 bits: until when (42 of them, milliseconds up to the year 2109; 0: for ever), and the value's length.
    uint32_t low, high;
  };
  static_assert(sizeof(Entry) == RunPool::kLeastFirstPiece, "an entry's head is never divided");
  static constexpr int kValueBits = 22;

  // Where in an allocation one is.
  struct Place {
    Index run;
    size_t offset;  // in the piece
  };

  Entry& At(Index entry) const { return *reinterpret_cast<Entry*>(pool_.Piece(entry).data()); }
  static uint64_t Bits(const Entry& entry) { return uint64_t{entry.high} << 32 | entry.low; }
  static size_t ValueBytesOf(const Entry& entry) { return Bits(entry) & kMostValueBytes; }
  static int64_t ExpiryOf(const Entry& entry) { return static_cast<int64_t>(Bits(entry) >> kValueBits); }

  Place KeyPlace(Index entry, size_t& key_bytes) const;
  // Calls step(piece) for the next `bytes`, while it says true; false: it did not. The place is behind them then.
  template <class Step>
  bool Walk(Place& place, size_t bytes, Step&& step) const;
  bool HasKey(Index entry, std::string_view key) const;
  size_t KeptBytes(Index entry) const;

  // The link that leads to the entry; to kNone if there is none.
  Index& LinkTo(uint32_t hash, std::string_view key);
  void Remove(Index& link);
  void EvictOldest();
  Index Allocate(size_t bytes);
  Place Write(Place place, std::string_view bytes);  // the place behind them
  void MakeNewest(Index entry);
  void LeaveOrder(Index entry);
  void AddBucket();

  const size_t max_entries_;
  const size_t max_entry_bytes_;
  RunPool pool_;
  Buckets buckets_;
  Index newest_ = kNone;
  Index oldest_ = kNone;
  EntryFigures figures_;
};

template <class Step>
bool EntryShard::Walk(Place& place, size_t bytes, Step&& step) const {
  while (bytes > 0) {
    const std::span<char> piece = pool_.Piece(place.run);
    if (place.offset == piece.size()) {
      place = {.run = pool_.Next(place.run), .offset = 0};
      continue;
    }
    const size_t taken = std::min(bytes, piece.size() - place.offset);
    if (!step(std::span<char>(piece.data() + place.offset, taken))) return false;
    place.offset += taken;
    bytes -= taken;
  }
  return true;
}

template <class Sink>
void EntryShard::ReadValue(Index entry, Sink&& sink) const {
  size_t key_bytes = 0;
  Place place = KeyPlace(entry, key_bytes);
  Walk(place, key_bytes, [](std::span<char>) { return true; });
  Walk(place, ValueBytes(entry), [&](std::span<char> piece) {
    sink(std::string_view(piece.data(), piece.size()));
    return true;
  });
}

}  // namespace armature::dax
