#include "dax/cache/entry_shard.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

namespace armature::dax {
namespace {

constexpr size_t kBytesPerBucket = 64;  // of the bound
constexpr size_t kMostVarintBytes = 10;
// While less than this part of the pool is free, room for an entry is made by letting older ones go rather than by
// dividing it: pieces cost space and time.
constexpr size_t kSlackPart = 32;
// An entry that would push out a quarter of all others is not worth them.
constexpr size_t kMostPart = 4;
constexpr int64_t kLastExpiry = (int64_t{1} << 42) - 1;

size_t BucketsFor(size_t max_bytes) {
  const size_t buckets = max_bytes / kBytesPerBucket;
  return std::max(Buckets::kFirst, buckets - buckets % Buckets::kFirst);
}

size_t PoolBytesFor(size_t max_bytes) {
  const size_t buckets = BucketsFor(max_bytes) * sizeof(uint32_t);
  return max_bytes > buckets ? max_bytes - buckets : 0;
}

}  // namespace

EntryShard::EntryShard(size_t max_bytes, size_t max_entry_bytes)
    : max_entries_(BucketsFor(max_bytes)),
      max_entry_bytes_(std::min(max_entry_bytes, PoolBytesFor(max_bytes) / kMostPart)),
      pool_(PoolBytesFor(max_bytes)),
      buckets_(max_entries_) {}

// --- reading

EntryShard::Place EntryShard::KeyPlace(Index entry, size_t& key_bytes) const {
  Place place{.run = entry, .offset = sizeof(Entry)};
  key_bytes = 0;
  int shift = 0;
  for (bool is_last = false; !is_last; shift += 7) {
    Walk(place, 1, [&](std::span<char> byte) {
      const auto value = static_cast<uint8_t>(byte.front());
      key_bytes |= size_t{value & 0x7fu} << shift;
      is_last = value < 0x80;
      return true;
    });
  }
  return place;
}

bool EntryShard::HasKey(Index entry, std::string_view key) const {
  size_t key_bytes = 0;
  Place place = KeyPlace(entry, key_bytes);
  if (key_bytes != key.size()) return false;
  return Walk(place, key_bytes, [&](std::span<char> piece) {
    if (std::memcmp(piece.data(), key.data(), piece.size()) != 0) return false;
    key.remove_prefix(piece.size());
    return true;
  });
}

size_t EntryShard::KeptBytes(Index entry) const {
  size_t key_bytes = 0;
  KeyPlace(entry, key_bytes);
  return key_bytes + ValueBytes(entry);
}

EntryShard::Index& EntryShard::LinkTo(uint32_t hash, std::string_view key) {
  Index* link = &buckets_.For(hash);
  while (*link != kNone) {
    Entry& entry = At(*link);
    if (entry.hash == hash && HasKey(*link, key)) break;
    link = &entry.chain;
  }
  return *link;
}

EntryShard::Index EntryShard::Find(uint32_t hash, std::string_view key, int64_t now_millis) {
  if (figures_.entries == 0) return kNone;
  Index& link = LinkTo(hash, key);
  const Index found = link;
  if (found == kNone) return kNone;
  const int64_t expiry = ExpiryOf(At(found));
  if (expiry != 0 && now_millis >= expiry) {
    Remove(link);
    ++figures_.expirations;
    return kNone;
  }
  if (found != newest_) {
    LeaveOrder(found);
    MakeNewest(found);
  }
  return found;
}

// --- the order of use

void EntryShard::LeaveOrder(Index index) {
  const Entry& entry = At(index);
  (entry.newer != kNone ? At(entry.newer).older : newest_) = entry.older;
  (entry.older != kNone ? At(entry.older).newer : oldest_) = entry.newer;
}

void EntryShard::MakeNewest(Index index) {
  Entry& entry = At(index);
  entry.newer = kNone;
  entry.older = newest_;
  (newest_ != kNone ? At(newest_).newer : oldest_) = index;
  newest_ = index;
}

// --- writing

EntryShard::Place EntryShard::Write(Place place, std::string_view bytes) {
  Walk(place, bytes.size(), [&](std::span<char> piece) {
    std::memcpy(piece.data(), bytes.data(), piece.size());
    bytes.remove_prefix(piece.size());
    return true;
  });
  return place;
}

EntryShard::Index EntryShard::Allocate(size_t bytes) {
  const size_t slack = pool_.most_bytes() / kSlackPart;
  for (;;) {
    if (const Index run = pool_.AllocateWhole(bytes); run != kNone) return run;
    if (oldest_ == kNone || pool_.free_bytes() >= slack) break;
    EvictOldest();
  }
  RunPool::Gathering gathering{.missing = bytes};
  while (!pool_.Gather(gathering)) {
    if (oldest_ == kNone) {
      pool_.Free(gathering.first);
      return kNone;
    }
    EvictOldest();
  }
  return gathering.first;
}

void EntryShard::Put(uint32_t hash, std::string_view key, std::string_view value, int64_t expires_at_millis) {
  Erase(hash, key);
  if (value.size() > kMostValueBytes || key.size() > max_entry_bytes_) return;
  std::array<char, kMostVarintBytes> length{};
  size_t length_bytes = 0;
  for (size_t left = key.size();; left >>= 7) {
    length[length_bytes++] = static_cast<char>(left < 0x80 ? left : left | 0x80);
    if (left < 0x80) break;
  }
  const size_t bytes = sizeof(Entry) + length_bytes + key.size() + value.size();
  if (bytes > max_entry_bytes_) return;
  if (buckets_.count() == 0) AddBucket();
  if (buckets_.count() == 0) return;
  if (figures_.entries == max_entries_) EvictOldest();
  const Index index = Allocate(bytes);
  if (index == kNone) return;

  const uint64_t expiry = expires_at_millis > kLastExpiry ? 0 : static_cast<uint64_t>(expires_at_millis);
  const uint64_t bits = expiry << kValueBits | value.size();
  Index& bucket = buckets_.For(hash);
  At(index) = {.chain = bucket,
               .newer = kNone,
               .older = kNone,
               .hash = hash,
               .low = static_cast<uint32_t>(bits),
               .high = static_cast<uint32_t>(bits >> 32)};
  bucket = index;
  Place place{.run = index, .offset = sizeof(Entry)};
  place = Write(place, {length.data(), length_bytes});
  place = Write(place, key);
  Write(place, value);
  MakeNewest(index);
  figures_.kept_bytes += key.size() + value.size();
  if (++figures_.entries > buckets_.count()) AddBucket();
}

void EntryShard::AddBucket() {
  uint32_t* const divided = buckets_.Grow();
  if (divided == nullptr) return;
  Index next = *divided;
  *divided = kNone;
  while (next != kNone) {
    const Index index = next;
    Entry& entry = At(index);
    next = entry.chain;
    Index& bucket = buckets_.For(entry.hash);
    entry.chain = bucket;
    bucket = index;
  }
}

// --- letting go

void EntryShard::Remove(Index& link) {
  const Index index = link;
  link = At(index).chain;
  LeaveOrder(index);
  --figures_.entries;
  figures_.kept_bytes -= KeptBytes(index);
  pool_.Free(index);
}

void EntryShard::EvictOldest() {
  ++figures_.evictions;
  figures_.evicted_bytes += KeptBytes(oldest_);
  Index* link = &buckets_.For(At(oldest_).hash);
  while (*link != oldest_) link = &At(*link).chain;
  Remove(*link);
}

void EntryShard::Erase(uint32_t hash, std::string_view key) {
  if (figures_.entries == 0) return;
  if (Index& link = LinkTo(hash, key); link != kNone) Remove(link);
}

void EntryShard::Clear() {
  pool_.Reset();
  buckets_.Reset();
  newest_ = kNone;
  oldest_ = kNone;
  figures_.entries = 0;
  figures_.kept_bytes = 0;
}

EntryFigures EntryShard::figures() const {
  EntryFigures figures = figures_;
  figures.memory_bytes = pool_.held_bytes() + buckets_.held_bytes();
  return figures;
}

}  // namespace armature::dax
