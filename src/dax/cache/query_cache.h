// QueryCache: whole answers of Query and Scan by all that was asked.
//
// The caller gives what was asked as canonical bytes, and gets the answer's bytes. Entries end after query-ttl-millis;
// 0 means that nothing is kept, nor is what was kept before given. Writes do not touch it, as with AWS: unless it is
// coherent. Then a write of a table is a new generation of its number, which is part of the key: what was read before
// is never found again, and goes when there is no room. What is kept counts for the generation in which its read
// began, so whatever may have missed a write cannot be found after that write was noted: there is no race to lose,
// and a write costs one increment. Thread-safe, nothing blocks. One for a node; used by node/.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "dax/cache/cache_settings.h"
#include "dax/cache/entry_store.h"

namespace armature::dax {

struct QueryCacheCounters {
  Counter& query_hits;
  Counter& query_misses;
  Counter& scan_hits;
  Counter& scan_misses;
};

class QueryCache {
 public:
  enum class Kind : uint8_t { kQuery, kScan };
  // How many writes of a table were noted when a read of it began.
  using Version = uint64_t;

  QueryCache(EntryStore& store, const CacheSettings& settings, const Clock& clock, bool is_coherent,
             QueryCacheCounters counters);
  QueryCache(const QueryCache&) = delete;
  QueryCache& operator=(const QueryCache&) = delete;

  // Appends the answer if there is one, and counts a hit or a miss.
  bool Find(Kind kind, uint32_t table, std::string_view asked, std::string& append_to);
  // The same, not counted: for whoever has missed it once.
  bool FindAgain(Kind kind, uint32_t table, std::string_view asked, std::string& append_to);

  // Before the table is asked. Also tells which reads may share an answer (flights.h): those of one version.
  Version BeginRead(uint32_t table) const { return WritesOf(table).load(std::memory_order_acquire); }
  void Keep(Version begun, Kind kind, uint32_t table, std::string_view asked, std::string_view answer);

  // The table has a write, or may have it, and its client was not answered yet. Always called, coherent or not.
  void NoteWrite(uint32_t table) { WritesOf(table).fetch_add(1, std::memory_order_acq_rel); }

 private:
  // Tables whose numbers are so far apart share one: a write of one is taken for a write of the other.
  static constexpr size_t kTables = 4096;

  std::atomic<uint64_t>& WritesOf(uint32_t table) const { return writes_[table % kTables]; }
  int64_t TtlMillis() const { return settings_.query_ttl_millis.load(std::memory_order_relaxed); }

  EntryStore& store_;
  const CacheSettings& settings_;
  const Clock& clock_;
  const bool is_coherent_;
  const QueryCacheCounters counters_;
  std::unique_ptr<std::atomic<uint64_t>[]> writes_;
};

}  // namespace armature::dax
