#include "storage/contract/contract_testing.h"

#include <utility>

#include "storage/faulty/faulty_engine.h"
#include "storage/memory/memory_engine.h"
#include "storage/narrow/narrow_engine.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/testing/test_keys.h"

namespace armature::storage {

std::unique_ptr<Engine> OpenRocks(const std::string& directory, Metrics& metrics, Durability durability,
                                  MemtableKind memtable, std::shared_ptr<DataKeys> data_keys) {
  RocksDbOptions options;
  options.directory = directory;
  options.durability = durability;
  options.memory_bytes = 16 << 20;
  options.memtable = memtable;
  options.data_keys = std::move(data_keys);
  auto engine = OpenRocksDbEngine(options, metrics);
  EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().ToString());
  return engine ? std::move(*engine) : nullptr;
}

std::vector<EngineKind> EngineKinds() {
  std::vector<EngineKind> kinds{
      {"Memory", [](const std::string&, Metrics& metrics) { return OpenMemoryEngine(metrics); }},
      {"RocksDbFsync",
       [](const std::string& d, Metrics& metrics) { return OpenRocks(d, metrics, Durability::kFsync); }},
      {"RocksDbInterval",
       [](const std::string& d, Metrics& metrics) { return OpenRocks(d, metrics, Durability::kInterval); }},
      {"RocksDbNone", [](const std::string& d, Metrics& metrics) { return OpenRocks(d, metrics, Durability::kNone); }},
      {"RocksDbEncrypted",
       [](const std::string& d, Metrics& metrics) {
         return OpenRocks(d, metrics, Durability::kFsync, MemtableKind::kLinked, TestKeys());
       }},
      {"Faulty",
       [](const std::string&, Metrics& metrics) -> std::unique_ptr<Engine> { return OpenFaultyEngine({}, metrics); }},
      {"FaultyDelayed",
       [](const std::string&, Metrics& metrics) -> std::unique_ptr<Engine> {
         return OpenFaultyEngine({.is_auto_sync = true, .is_delayed = true}, metrics);
       }},
      {"Narrow",
       [](const std::string&, Metrics& metrics) -> std::unique_ptr<Engine> {
         return OpenNarrowEngine(OpenMemoryEngine(metrics), {.seed = 13, .slowest_micros = 100});
       }},
      {"NarrowOverRocksDb",
       [](const std::string& d, Metrics& metrics) -> std::unique_ptr<Engine> {
         return OpenNarrowEngine(OpenRocks(d, metrics, Durability::kFsync), {.seed = 13});
       }},
  };
#if !defined(ARMATURE_THREAD_SANITIZER)  // which sees nothing of the atomics of RocksDB's own list
  kinds.push_back({"RocksDbStockMemtable", [](const std::string& d, Metrics& metrics) {
                     return OpenRocks(d, metrics, Durability::kFsync, MemtableKind::kStock);
                   }});
#endif
  return kinds;
}

}  // namespace armature::storage
