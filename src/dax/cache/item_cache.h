// ItemCache: items by their key as the very bytes that clients get, and that there is no such item.
//
// What it has is what the table had last as far as this node knows: reads and writes say when they begin, and tickets.h
// decides what may be kept of them. Keys are canonical: two that DynamoDB takes for the same are the same bytes.
// Entries end after record-ttl-millis. Thread-safe, nothing blocks. One for a node, over a store that it shares with
// the query cache; used by node/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "dax/cache/cache_settings.h"
#include "dax/cache/entry_store.h"
#include "dax/cache/tickets.h"

namespace armature::dax {

struct ItemCacheCounters {
  Counter& hits;  // what is known to be absent is one, too
  Counter& misses;
};

class ItemWrite;

class ItemCache {
 public:
  // `seed`: random.
  ItemCache(EntryStore& store, const CacheSettings& settings, const Clock& clock, uint64_t seed,
            ItemCacheCounters counters)
      : store_(store), settings_(settings), clock_(clock), seed_(seed), counters_(counters) {}
  ItemCache(const ItemCache&) = delete;
  ItemCache& operator=(const ItemCache&) = delete;

  enum class Found : uint8_t { kNothing, kItem, kAbsent };
  // Appends the item's blob if there is one, and counts a hit or a miss.
  Found Find(uint32_t table, std::string_view key, std::string& append_to);
  // The same, not counted: for whoever has missed it once.
  Found FindAgain(uint32_t table, std::string_view key, std::string& append_to);

  // Before the table is asked.
  ReadTicket BeginRead(uint32_t table, std::string_view key) const;
  // What it said, if it may be kept.
  void KeepItem(ReadTicket ticket, uint32_t table, std::string_view key, std::string_view blob);  // REQUIRES: not empty
  void KeepAbsent(ReadTicket ticket, uint32_t table, std::string_view key);

  // Before the table is asked for a write. REQUIRES: the cache lives longer than what it gives.
  ItemWrite BeginWrite(uint32_t table, std::string_view key);
  // Somebody else has written the item, and the table has it already.
  void Invalidate(uint32_t table, std::string_view key);

 private:
  friend class ItemWrite;
  void Keep(ReadTicket ticket, uint32_t table, std::string_view key, std::string_view value);
  int64_t Expiry() const;
  uint64_t HashOf(std::string_view store_key) const;

  EntryStore& store_;
  const CacheSettings& settings_;
  const Clock& clock_;
  const uint64_t seed_;
  const ItemCacheCounters counters_;
  Tickets tickets_;
};

// A write of one item that is under way. It ends by saying how it went; one that goes without a word, because its
// request was cut off, has an unknown outcome. Moved, not copied; thread-compatible.
class ItemWrite {
 public:
  ItemWrite(ItemWrite&& other) noexcept;
  ItemWrite& operator=(ItemWrite&&) = delete;
  ~ItemWrite() { EndUnknown(); }

  // Each of these ends the write; the first one counts. The table has this item now:
  void EndItem(std::string_view blob);  // REQUIRES: not empty
  // … none now:
  void EndAbsent();
  // … what it had:
  void EndUnchanged();
  // Nobody knows what, or nobody said: the next read shows.
  void EndUnknown();

 private:
  friend class ItemCache;
  ItemWrite(ItemCache& cache, std::string store_key);
  void EndWith(std::string_view value);

  ItemCache* cache_;  // null: it has ended
  std::string store_key_;
  uint64_t hash_;
  ReadTicket begun_;
};

}  // namespace armature::dax
