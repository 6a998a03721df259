// What reading all items costs at the least: RocksDB's own iteration over a table's rows, decoding, and writing their
// JSON.
//
// Reads a data directory that a server has left behind (ARMATURE_BENCH_DATA), with the engine's own options, so that
// both sides of a comparison with Scan work on the same files. bench/run.py makes the comparison.

#include <cstdlib>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "base/memory/arena.h"
#include "base/result.h"
#include "storage/rocksdb/setup/data_directory.h"
#include "storage/rocksdb/setup/rocksdb_options.h"
#include "table/keys/key_layout.h"
#include "wire/json/attribute_json.h"

namespace armature::api {
namespace {

constexpr size_t kPageBytes = size_t{1} << 20;

// Goes through the items of all tables; returns how many they are.
Result<int64_t> WriteAll(rocksdb::DB& db, std::string& page) {
  // What belongs to hashes (storage/embedded_partition.h): behind it and the keyspace, the space.
  const std::string first_table("\x02", 1);
  const size_t space_at = 8;
  Arena arena;
  int64_t items = 0;
  const std::unique_ptr<rocksdb::Iterator> rows(db.NewIterator(rocksdb::ReadOptions()));
  for (rows->Seek(first_table); rows->Valid() && rows->key()[0] == first_table[0]; rows->Next()) {
    if (static_cast<table::Space>(rows->key()[space_at]) != table::Space::kItems) continue;
    arena.Reset();
    if (page.size() >= kPageBytes) page.clear();
    Status written = wire::AppendItemRecordAsJson(rows->value().ToStringView(), arena, page);
    if (!written.ok()) return written;
    ++items;
  }
  if (!rows->status().ok()) return Status::IoError(rows->status().ToString());
  return items;
}

void BM_IterateAsJson(benchmark::State& state) {
  const char* directory = std::getenv("ARMATURE_BENCH_DATA");
  if (directory == nullptr) return state.SkipWithError("ARMATURE_BENCH_DATA names no data directory");
  const storage::RocksDbOptions settings;
  const auto options =
      storage::MakeRocksDbOptions(settings, rocksdb::Env::Default(), storage::MakeBlockCache(settings));
  rocksdb::DB* opened = nullptr;
  const auto status = rocksdb::DB::OpenForReadOnly(options, storage::DataDirectory::DatabasePath(directory), &opened);
  if (!status.ok()) return state.SkipWithError(status.ToString().c_str());
  const std::unique_ptr<rocksdb::DB> db(opened);

  std::string page;
  auto items = WriteAll(*db, page);  // so that what fits into the cache is there
  for (auto _ : state) {
    if (items) items = WriteAll(*db, page);
    benchmark::DoNotOptimize(page.data());
  }
  if (!items) return state.SkipWithError(items.error().ToString().c_str());
  state.counters["items"] = static_cast<double>(*items);
  state.SetItemsProcessed(*items * static_cast<int64_t>(state.iterations()));  // per second of CPU
}
BENCHMARK(BM_IterateAsJson)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace armature::api
