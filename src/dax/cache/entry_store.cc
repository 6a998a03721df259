#include "dax/cache/entry_store.h"

#include <algorithm>
#include <bit>

#include <xxhash.h>

namespace armature::dax {
namespace {

constexpr size_t kMostShards = 64;
// As many parts as leave each so much: room for some answers of a megabyte.
constexpr size_t kFairShardBytes = size_t{16} << 20;

size_t ShardsFor(const EntryStoreOptions& options) {
  // A part can hold only so much.
  const size_t least = std::bit_ceil((options.max_bytes + RunPool::kMostBytes - 1) / RunPool::kMostBytes);
  const size_t wanted =
      options.shards != 0
          ? std::bit_ceil(options.shards)
          : std::min(kMostShards, std::bit_floor(std::max<size_t>(1, options.max_bytes / kFairShardBytes)));
  return std::max(least, wanted);
}

}  // namespace

EntryStore::EntryStore(const EntryStoreOptions& options) : seed_(options.seed) {
  const size_t shards = ShardsFor(options);
  shards_.reserve(shards);
  for (size_t i = 0; i < shards; ++i)
    shards_.push_back(std::make_unique<Shard>(options.max_bytes / shards, options.max_entry_bytes));
}

uint64_t EntryStore::HashOf(std::string_view key) const { return XXH3_64bits_withSeed(key.data(), key.size(), seed_); }

bool EntryStore::Find(std::string_view key, int64_t now_millis, std::string& append_to) {
  return FindPieces(
      key, now_millis, [&](size_t bytes) { append_to.reserve(append_to.size() + bytes); },
      [&](std::string_view piece) { append_to.append(piece); });
}

void EntryStore::Put(std::string_view key, std::string_view value, int64_t expires_at_millis) {
  const uint64_t hash = HashOf(key);
  Shard& shard = ShardFor(hash);
  MutexLock lock(shard.mutex);
  shard.entries.Put(InShard(hash), key, value, expires_at_millis);
}

void EntryStore::Erase(std::string_view key) {
  const uint64_t hash = HashOf(key);
  Shard& shard = ShardFor(hash);
  MutexLock lock(shard.mutex);
  shard.entries.Erase(InShard(hash), key);
}

void EntryStore::Clear() {
  for (const auto& shard : shards_) {
    MutexLock lock(shard->mutex);
    shard->entries.Clear();
  }
}

EntryFigures EntryStore::figures() const {
  EntryFigures all;
  for (const auto& shard : shards_) {
    MutexLock lock(shard->mutex);
    const EntryFigures figures = shard->entries.figures();
    all.entries += figures.entries;
    all.kept_bytes += figures.kept_bytes;
    all.memory_bytes += figures.memory_bytes;
    all.evictions += figures.evictions;
    all.evicted_bytes += figures.evicted_bytes;
    all.expirations += figures.expirations;
  }
  return all;
}

}  // namespace armature::dax
