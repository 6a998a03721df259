#include "server/store.h"

#include <algorithm>
#include <utility>

#include "server/process/memory_watch.h"
#include "storage/memory/memory_engine.h"
#include "storage/narrow/narrow_engine.h"
#include "storage/rocksdb/rocksdb_engine.h"

namespace armature::server {

namespace {

// Filled only as data is read and written; an idle or small database stays small.
uint64_t CacheBytes(const ServeOptions& options) {
  constexpr uint64_t kSmallest = uint64_t{64} << 20;
  if (options.cache_mebibytes) return std::max<uint64_t>(options.cache_mebibytes, 8) << 20;
  return std::max(MemoryWatch::PhysicalBytes() / 4, kSmallest);
}

Result<std::unique_ptr<storage::Engine>> OpenEngine(const ServeOptions& options, Metrics& metrics) {
  if (options.in_memory) return storage::OpenMemoryEngine(metrics);
  storage::RocksDbOptions rocksdb;
  rocksdb.directory = options.data_directory;
  rocksdb.durability = options.durability;
  rocksdb.interval_millis = options.sync_interval_millis;
  rocksdb.memory_bytes = CacheBytes(options);
  rocksdb.memtable = options.memtable;
  return storage::OpenRocksDbEngine(rocksdb, metrics);
}

std::unique_ptr<storage::Engine> MakeNarrow(std::unique_ptr<storage::Engine> engine, const ServeOptions& options) {
  const double each = options.fault_rate / 4;
  return storage::OpenNarrowEngine(
      std::move(engine),
      {.seed = options.fault_seed, .faults = {.fence = each, .unknown = each, .doubt = each, .busy = each}});
}

}  // namespace

Result<std::unique_ptr<Store>> Store::Open(const ServeOptions& options) {
  auto store = std::make_unique<Store>();
  auto engine = OpenEngine(options, store->metrics);
  if (!engine) return std::move(engine).error();
  store->engine = options.is_narrow ? MakeNarrow(std::move(*engine), options) : std::move(*engine);
  return store;
}

}  // namespace armature::server
