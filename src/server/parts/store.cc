#include "server/parts/store.h"

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

Result<std::unique_ptr<storage::Engine>> OpenEngine(const ServeOptions& options, const storage::Keyring* keyring,
                                                    Metrics& metrics) {
  if (options.in_memory) return storage::OpenMemoryEngine(metrics);
  storage::RocksDbOptions rocksdb;
  rocksdb.directory = options.data_directory;
  rocksdb.durability = options.durability;
  rocksdb.interval_millis = options.sync_interval_millis;
  rocksdb.memory_bytes = CacheBytes(options);
  rocksdb.memtable = options.memtable;
  if (keyring) rocksdb.data_keys = keyring->data_keys();
  return storage::OpenRocksDbEngine(rocksdb, metrics);
}

std::unique_ptr<storage::Engine> MakeNarrow(std::unique_ptr<storage::Engine> engine, const ServeOptions& options) {
  const double each = options.fault_rate / 4;
  return storage::OpenNarrowEngine(
      std::move(engine),
      {.seed = options.fault_seed, .faults = {.fence = each, .unknown = each, .doubt = each, .busy = each}});
}

Result<std::shared_ptr<storage::Keyring>> OpenKeyring(const ServeOptions& options) {
  if (options.in_memory) {
    TakeKeyVariable(kEncryptionKeyVariable);  // processes that are started later are not to inherit it
    return std::shared_ptr<storage::Keyring>();
  }
  ARMATURE_TRY(auto keyring, storage::Keyring::Open(options.data_directory, options.encryption, /*may_create=*/true));
  return std::shared_ptr<storage::Keyring>(std::move(keyring));
}

void AddGauges(const std::shared_ptr<storage::Keyring>& keyring, Metrics& metrics) {
  metrics.AddGauge("armature_encryption_data_keys", "Data keys that files may need, the newest among them.",
                   [keyring] { return static_cast<double>(keyring->state().data_keys); });
  metrics.AddGauge("armature_encryption_newest_data_key",
                   "The number of the data key that new files are written under.",
                   [keyring] { return static_cast<double>(keyring->state().newest); });
}

}  // namespace

Result<std::unique_ptr<Store>> Store::Open(const ServeOptions& options) {
  auto store = std::make_unique<Store>();
  ARMATURE_TRY(store->keyring, OpenKeyring(options));
  auto engine = OpenEngine(options, store->keyring.get(), store->metrics);
  if (!engine) return std::move(engine).error();
  store->engine = options.is_narrow ? MakeNarrow(std::move(*engine), options) : std::move(*engine);
  if (store->keyring) AddGauges(store->keyring, store->metrics);
  return store;
}

}  // namespace armature::server
