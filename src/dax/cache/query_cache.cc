#include "dax/cache/query_cache.h"

#include "dax/cache/store_key.h"

namespace armature::dax {
namespace {

EntryKind EntryKindOf(QueryCache::Kind kind) {
  return kind == QueryCache::Kind::kQuery ? EntryKind::kQuery : EntryKind::kScan;
}

}  // namespace

QueryCache::QueryCache(EntryStore& store, const CacheSettings& settings, const Clock& clock, bool is_coherent,
                       QueryCacheCounters counters)
    : store_(store),
      settings_(settings),
      clock_(clock),
      is_coherent_(is_coherent),
      counters_(counters),
      writes_(std::make_unique<std::atomic<uint64_t>[]>(kTables)) {}

bool QueryCache::FindAgain(Kind kind, uint32_t table, std::string_view asked, std::string& append_to) {
  if (TtlMillis() == 0) return false;
  const StoreKey key(EntryKindOf(kind), table, is_coherent_ ? BeginRead(table) : 0, asked);
  return store_.Find(key.view(), clock_.NowMillis(), append_to);
}

bool QueryCache::Find(Kind kind, uint32_t table, std::string_view asked, std::string& append_to) {
  const bool is_found = FindAgain(kind, table, asked, append_to);
  if (kind == Kind::kQuery) (is_found ? counters_.query_hits : counters_.query_misses).Add();
  else (is_found ? counters_.scan_hits : counters_.scan_misses).Add();
  return is_found;
}

void QueryCache::Keep(Version begun, Kind kind, uint32_t table, std::string_view asked, std::string_view answer) {
  const int64_t ttl = TtlMillis();
  if (ttl == 0) return;
  // Nobody would find it any more.
  if (is_coherent_ && begun != BeginRead(table)) return;
  const StoreKey key(EntryKindOf(kind), table, is_coherent_ ? begun : 0, asked);
  store_.Put(key.view(), answer, ExpiryMillis(clock_.NowMillis(), ttl));
}

}  // namespace armature::dax
