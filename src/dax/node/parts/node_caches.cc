#include "dax/node/parts/node_caches.h"

namespace armature::dax {

namespace {

Counter& Count(Metrics& metrics, std::string_view name, std::string_view help, const std::string& labels) {
  return metrics.GetCounter(name, help, labels);
}

ItemCacheCounters ItemCounters(Metrics& metrics, const std::string& labels) {
  return {
      Count(metrics, "armature_dax_item_cache_hits_total", "Items that DAX nodes answered from their cache.", labels),
      Count(metrics, "armature_dax_item_cache_misses_total", "Items that they had to ask the table for.", labels)};
}

QueryCacheCounters QueryCounters(Metrics& metrics, const std::string& labels) {
  return {
      Count(metrics, "armature_dax_query_cache_hits_total", "Queries that DAX nodes answered from their cache.",
            labels),
      Count(metrics, "armature_dax_query_cache_misses_total", "Queries that they had to ask the table for.", labels),
      Count(metrics, "armature_dax_scan_cache_hits_total", "Scans that DAX nodes answered from their cache.", labels),
      Count(metrics, "armature_dax_scan_cache_misses_total", "Scans that they had to ask the table for.", labels)};
}

void AddGauges(Metrics& metrics, const std::shared_ptr<EntryStore>& store, const std::string& labels) {
  const auto add = [&](std::string_view name, std::string_view help, auto read) {
    metrics.AddGauge(
        name, help, [store, read] { return static_cast<double>(read(store->figures())); }, labels);
  };
  add("armature_dax_cache_entries", "Items and pages in the caches of DAX nodes.",
      [](const EntryFigures& figures) { return figures.entries; });
  add("armature_dax_cache_memory_bytes", "Memory that they take.",
      [](const EntryFigures& figures) { return figures.memory_bytes; });
  add("armature_dax_cache_evictions", "Entries that went to make room, since the start.",
      [](const EntryFigures& figures) { return figures.evictions; });
  add("armature_dax_cache_evicted_bytes", "What they had in them.",
      [](const EntryFigures& figures) { return figures.evicted_bytes; });
}

}  // namespace

NodeCaches::NodeCaches(size_t max_bytes, bool is_coherent, const Clock& clock, uint64_t seed, Metrics& metrics,
                       const std::string& labels)
    : store_(std::make_shared<EntryStore>(EntryStoreOptions{.max_bytes = max_bytes, .seed = seed})),
      items_(*store_, settings_, clock, seed + 1, ItemCounters(metrics, labels)),
      queries_(*store_, settings_, clock, is_coherent, QueryCounters(metrics, labels)),
      flights_(seed + 2) {
  AddGauges(metrics, store_, labels);
}

}  // namespace armature::dax
