// What the engine costs: CPU per get and commit, latency and syncs per durable put, beside plain RocksDB; and reads as
// a reactor makes them, of what is in the cache and of what is not.
//
// Durable puts run on the disk of ARMATURE_BENCH_DIR (default: the current directory), because a temporary
// directory may be memory. With ARMATURE_BENCH_ENCRYPTED files are encrypted.

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "storage/memory/memory_engine.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/storage_testing.h"
#include "storage/testing/test_keys.h"

namespace armature::storage {
namespace {

constexpr int kItems = 10'000;

std::string Key(uint64_t number) {
  // Scattered as hashes are.
  return fmt::format("\x02table00{:016x}", number * 0x9E3779B97F4A7C15ull);
}

class Directory {
 public:
  Directory() {
    const char* root = std::getenv("ARMATURE_BENCH_DIR");
    path_ = fmt::format("{}/storage-bench-{}", root ? root : ".", getpid());
    std::filesystem::remove_all(path_);
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

RocksDbOptions Options(const std::string& path) {
  RocksDbOptions options;
  options.directory = path;
  if (std::getenv("ARMATURE_BENCH_ENCRYPTED") != nullptr) options.data_keys = TestKeys();
  return options;
}

std::unique_ptr<Engine> OpenRocks(const std::string& path, Metrics& metrics) {
  const RocksDbOptions options = Options(path);
  return std::move(*OpenRocksDbEngine(options, metrics));
}

void Fill(Engine& engine, int items) {
  const std::string value(200, 'v');
  Batch batch;
  CommitOp last;
  for (int i = 0; i < items; ++i) {
    batch.Put(Key(static_cast<uint64_t>(i)), value);
    if (batch.count() < 100 && i + 1 < items) continue;
    CommitOp op;
    op.partition = &engine.system(), op.batch = &batch;
    engine.Commit(op);
    Await(op.done);
    last.mark = op.mark;
    batch.Clear();
  }
  DurableOp durable;
  durable.partition = &engine.system(), durable.mark = last.mark;
  engine.WhenDurable(durable);
  Await(durable.done);
}

void Gets(benchmark::State& state, Engine& engine, View view, int items) {
  uint64_t next = 1;
  GetOp op;
  op.partition = &engine.system();
  for (auto _ : state) {
    next = next * 6364136223846793005ull + 1442695040888963407ull;
    const std::string key = Key((next >> 33) % static_cast<uint64_t>(items));
    op.key = key;
    op.at.view = view;
    op.done.Rearm();
    engine.Get(op);
    if (!op.found) state.SkipWithError("lost a key");
  }
}

void Commits(benchmark::State& state, Engine& engine, int items) {
  uint64_t next = 1;
  const std::string value(200, 'w');
  Batch batch;
  for (auto _ : state) {
    next = next * 6364136223846793005ull + 1442695040888963407ull;
    batch.Clear();
    batch.Put(Key((next >> 33) % static_cast<uint64_t>(items)), value);
    batch.Count(0, 1, static_cast<int64_t>(value.size()));
    CommitOp op;
    op.partition = &engine.system(), op.batch = &batch;
    engine.Commit(op);
    Await(op.done);
    if (!op.status.ok()) state.SkipWithError("commit failed");
  }
}

void BM_MemoryGet(benchmark::State& state) {
  Metrics metrics;
  auto engine = OpenMemoryEngine(metrics);
  Fill(*engine, kItems);
  Gets(state, *engine, View::kDurable, kItems);
}
BENCHMARK(BM_MemoryGet);

void BM_MemoryCommit(benchmark::State& state) {
  Metrics metrics;
  auto engine = OpenMemoryEngine(metrics);
  Commits(state, *engine, kItems);
}
BENCHMARK(BM_MemoryCommit);

void BM_RocksDbGet(benchmark::State& state) {
  Directory directory;
  Metrics metrics;
  const int items = static_cast<int>(state.range(0));
  auto engine = OpenRocks(directory.path(), metrics);
  Fill(*engine, items);
  Gets(state, *engine, state.range(1) ? View::kDurable : View::kLatest, items);
}
BENCHMARK(BM_RocksDbGet)->ArgNames({"items", "durable"})->Args({kItems, 0})->Args({kItems, 1})->Args({1'000'000, 1});

// As the coroutine of a reactor reads: what is not in memory is read by others and awaited.
enum class Reader { kThread, kReactor };

template <class Body>
void RunAs(Reader reader, Body body) {
  if (reader == Reader::kThread) return body();
  auto task = [&]() -> Task<void> {
    body();
    co_return;
  };
  RunBlocking(task());
}

// Rows in table files, each in a block of its own.
constexpr int kBlocks = 2'000;
std::unique_ptr<Engine> OpenBlocks(const std::string& path, Metrics& metrics) {
  const std::string value(4000, 'v');
  {
    auto engine = OpenRocks(path, metrics);
    Batch batch;
    for (int i = 0; i < kBlocks; ++i) batch.Put(Key(static_cast<uint64_t>(i)), value);
    if (!CommitAndWait(*engine, batch).ok() || !engine->Close().ok()) return nullptr;
  }
  auto engine = OpenRocks(path, metrics);
  ScanOp all;
  RunScan(*engine, all);  // into the cache
  return engine;
}

void BM_CachedGet(benchmark::State& state) {
  Directory directory;
  Metrics metrics;
  auto engine = OpenBlocks(directory.path(), metrics);
  RunAs(static_cast<Reader>(state.range(0)), [&] { Gets(state, *engine, View::kDurable, kBlocks); });
}
BENCHMARK(BM_CachedGet)->ArgName("reactor")->Arg(0)->Arg(1);

void BM_CachedMultiGet(benchmark::State& state) {
  Directory directory;
  Metrics metrics;
  auto engine = OpenBlocks(directory.path(), metrics);
  RunAs(static_cast<Reader>(state.range(0)), [&] {
    std::vector<std::string> keys(static_cast<size_t>(state.range(1)));
    std::vector<std::string_view> views(keys.size());
    uint64_t next = 1;
    for (auto _ : state) {
      for (size_t i = 0; i < keys.size(); ++i) {
        next = next * 6364136223846793005ull + 1442695040888963407ull;
        keys[i] = Key((next >> 33) % kBlocks);
        views[i] = keys[i];
      }
      MultiGetOp op;
      op.partition = &engine->system(), op.keys = views;
      engine->MultiGet(op);
      if (!op.done.finished() || !op.entries.back().found) state.SkipWithError("not in the cache");
    }
  });
}
BENCHMARK(BM_CachedMultiGet)->ArgNames({"reactor", "keys"})->Args({0, 25})->Args({1, 25});

void BM_CachedScan(benchmark::State& state) {
  Directory directory;
  Metrics metrics;
  auto engine = OpenBlocks(directory.path(), metrics);
  RunAs(static_cast<Reader>(state.range(0)), [&] {
    for (auto _ : state) {
      ScanOp op;
      op.partition = &engine->system(), op.limit_rows = 60;
      engine->Scan(op);
      if (!op.done.finished() || op.rows.size() != 60) state.SkipWithError("not in the cache");
    }
  });
}
BENCHMARK(BM_CachedScan)->ArgName("reactor")->Arg(0)->Arg(1);

// Of blocks that the operating system has and the engine's cache has not: what the way by the pool costs.
void BM_ColdGet(benchmark::State& state) {
  Directory directory;
  Metrics metrics;
  OpenBlocks(directory.path(), metrics).reset();
  RocksDbOptions options = Options(directory.path());
  options.memory_bytes = 1 << 20;  // an eighth of the blocks
  auto engine = std::move(*OpenRocksDbEngine(options, metrics));
  RunAs(static_cast<Reader>(state.range(0)), [&] {
    uint64_t next = 1;
    for (auto _ : state) {
      next = next * 6364136223846793005ull + 1442695040888963407ull;
      const std::string key = Key((next >> 33) % kBlocks);
      GetOp op;
      op.partition = &engine->system(), op.key = key;
      engine->Get(op);
      Await(op.done);
      if (!op.found) state.SkipWithError("lost a key");
    }
  });
}
BENCHMARK(BM_ColdGet)->ArgName("reactor")->Arg(0)->Arg(1)->UseRealTime();

void BM_RocksDbCommit(benchmark::State& state) {
  Directory directory;
  Metrics metrics;
  auto engine = OpenRocks(directory.path(), metrics);
  Commits(state, *engine, kItems);
}
BENCHMARK(BM_RocksDbCommit);

void BM_PlainGet(benchmark::State& state) {
  Directory directory;
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  rocksdb::DB::Open(options, directory.path(), &db).PermitUncheckedError();
  const std::string value(200, 'v');
  for (uint64_t i = 0; i < kItems; ++i) db->Put({}, Key(i), value).PermitUncheckedError();
  uint64_t next = 1;
  std::string out;
  for (auto _ : state) {
    next = next * 6364136223846793005ull + 1442695040888963407ull;
    db->Get({}, Key((next >> 33) % kItems), &out).PermitUncheckedError();
  }
  delete db;
}
BENCHMARK(BM_PlainGet);

void PlainPut(benchmark::State& state, bool is_synced) {
  Directory directory;
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  rocksdb::DB::Open(options, directory.path(), &db).PermitUncheckedError();
  rocksdb::WriteOptions write;
  write.sync = is_synced;
  const std::string value(200, 'v');
  uint64_t next = 1;
  for (auto _ : state) {
    next = next * 6364136223846793005ull + 1442695040888963407ull;
    db->Put(write, Key((next >> 33) % kItems), value).PermitUncheckedError();
  }
  delete db;
}
void BM_PlainPut(benchmark::State& state) { PlainPut(state, false); }
BENCHMARK(BM_PlainPut);
void BM_PlainSyncedPut(benchmark::State& state) { PlainPut(state, true); }
BENCHMARK(BM_PlainSyncedPut)->UseRealTime();

// Closed-loop writers as coroutines on one thread, the shape of a reactor with that many connections.
void BM_DurablePut(benchmark::State& state) {
  Directory directory;
  Metrics metrics;
  auto engine = OpenRocks(directory.path(), metrics);
  const int writers = static_cast<int>(state.range(0));
  constexpr int kRounds = 20;
  const std::string value(200, 'w');
  const EngineStats before = engine->stats();
  BlockingExecutor executor;
  for (auto _ : state) {
    int running = writers;
    Completion all_done;
    auto writer = [&](int w) -> Task<void> {
      Batch batch;
      for (int i = 0; i < kRounds; ++i) {
        batch.Clear();
        batch.Put(Key(static_cast<uint64_t>(w)), value);
        CommitOp commit;
        commit.partition = &engine->system(), commit.batch = &batch;
        engine->Commit(commit);
        co_await commit.done;
        DurableOp durable;
        durable.partition = commit.partition, durable.mark = commit.mark;
        engine->WhenDurable(durable);
        co_await durable.done;
      }
      if (--running == 0) all_done.Finish();
    };
    auto all = [&]() -> Task<void> {
      for (int w = 0; w < writers; ++w) Detach(writer(w));
      co_await all_done;
    };
    executor.Run(all());
  }
  const EngineStats after = engine->stats();
  const auto puts = static_cast<double>(after.commits - before.commits);
  state.SetItemsProcessed(static_cast<int64_t>(puts));
  state.counters["syncs_per_put"] = static_cast<double>(after.syncs - before.syncs) / puts;
}
BENCHMARK(BM_DurablePut)->ArgName("writers")->Arg(1)->Arg(2)->Arg(8)->Arg(64)->UseRealTime()->MeasureProcessCPUTime();

}  // namespace
}  // namespace armature::storage
