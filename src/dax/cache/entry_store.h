// EntryStore: byte strings by byte strings, within a bound of memory; what was used longest ago goes first.
//
// The bound is for all it takes from the system, keys and what is needed to find them included, at any mix and history
// of sizes; only the store's own few kilobytes come on top. Up to 64 parts, each with a lock, an order of use and a
// bound of its own (entry_shard.h); the hash of a key, by a seed that nobody knows, says which part is its own. So
// "longest ago" is exact among the entries of a part. An entry may end at a moment, and is not given from then on.
// Thread-safe. One for a node: its item cache and its query cache share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "dax/cache/entry_shard.h"

namespace armature::dax {

struct EntryStoreOptions {
  size_t max_bytes = size_t{256} << 20;
  size_t shards = 0;  // rounded up to a power of two; 0: as many as suit the bound
  uint64_t seed = 0;  // random, or keys could be made for one chain
  // Larger ones are not kept: keys and values together, and at most a quarter of a part's bound in any case.
  size_t max_entry_bytes = size_t{4} << 20;
};

class EntryStore {
 public:
  explicit EntryStore(const EntryStoreOptions& options);
  EntryStore(const EntryStore&) = delete;
  EntryStore& operator=(const EntryStore&) = delete;

  // Appends the value and says whether there is one. It is the one used last then.
  bool Find(std::string_view key, int64_t now_millis, std::string& append_to);
  // Calls begin(bytes), then sink(piece) for each piece of the value; both under a lock, so they ought to be quick.
  template <class Begin, class Sink>
  bool FindPieces(std::string_view key, int64_t now_millis, Begin&& begin, Sink&& sink);

  // `expires_at_millis`: it is not given from then on; 0: never. What is too large is not kept, and what was there
  // under the key is gone all the same.
  void Put(std::string_view key, std::string_view value, int64_t expires_at_millis);
  void Erase(std::string_view key);
  // Everything, and the memory goes back.
  void Clear();

  EntryFigures figures() const;
  size_t shards() const { return shards_.size(); }

 private:
  struct alignas(64) Shard {
    Shard(size_t max_bytes, size_t max_entry_bytes) : entries(max_bytes, max_entry_bytes) {}
    mutable Mutex mutex;
    EntryShard entries ARMATURE_GUARDED_BY(mutex);
  };

  uint64_t HashOf(std::string_view key) const;
  Shard& ShardFor(uint64_t hash) const { return *shards_[(hash >> 32) & (shards_.size() - 1)]; }
  static uint32_t InShard(uint64_t hash) { return static_cast<uint32_t>(hash); }

  const uint64_t seed_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

template <class Begin, class Sink>
bool EntryStore::FindPieces(std::string_view key, int64_t now_millis, Begin&& begin, Sink&& sink) {
  const uint64_t hash = HashOf(key);
  Shard& shard = ShardFor(hash);
  MutexLock lock(shard.mutex);
  const EntryShard::Index found = shard.entries.Find(InShard(hash), key, now_millis);
  if (found == EntryShard::kNone) return false;
  begin(shard.entries.ValueBytes(found));
  shard.entries.ReadValue(found, sink);
  return true;
}

}  // namespace armature::dax
