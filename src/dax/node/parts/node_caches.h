// NodeCaches: what a node keeps: items and pages, in one store of memory, and the reads that many share.
//
// Thread-safe. Owned by the node; writes of all nodes of its cluster come here too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "dax/cache/cache_settings.h"
#include "dax/cache/entry_store.h"
#include "dax/cache/flights.h"
#include "dax/cache/item_cache.h"
#include "dax/cache/query_cache.h"

namespace armature::dax {

// What a shared read came to.
struct Landed {
  std::string bytes;        // the item's blob; the whole answer of a page, or of a failure
  bool is_failure = false;  // `bytes` are what everybody is told
  bool is_absent = false;   // of an item
};

class NodeCaches {
 public:
  // `labels`: of its metrics.
  NodeCaches(size_t max_bytes, bool is_coherent, const Clock& clock, uint64_t seed, Metrics& metrics,
             const std::string& labels);

  void SetTimesToLive(int64_t record_ttl_millis, int64_t query_ttl_millis) {
    settings_.record_ttl_millis = record_ttl_millis;
    settings_.query_ttl_millis = query_ttl_millis;
  }
  ItemCache& items() { return items_; }
  QueryCache& queries() { return queries_; }
  Flights<Landed>& flights() { return flights_; }
  // Nothing is kept any more; the memory goes back.
  void Clear() { store_->Clear(); }

  // Somebody else has written the item, and the table has it already.
  void NoteForeignWrite(uint32_t table, std::string_view key) {
    items_.Invalidate(table, key);
    queries_.NoteWrite(table);
  }

 private:
  CacheSettings settings_;
  const std::shared_ptr<EntryStore> store_;  // its figures are metrics, which may live longer
  ItemCache items_;
  QueryCache queries_;
  Flights<Landed> flights_;
};

}  // namespace armature::dax
