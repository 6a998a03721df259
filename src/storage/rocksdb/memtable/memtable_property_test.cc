// Random batches with range deletions, snapshots, flushes, crashes and reopenings, on our memtable and on RocksDB's
// own, against a model. The store is so small that rows lie in memtables that are written, full, or being flushed, and
// in table files at once.

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/storage_testing.h"
#include "storage/testing/arena.h"

namespace armature::storage {
namespace {

using Rows = std::map<std::string, std::string>;

constexpr size_t kShortRounds = 2;
constexpr int kStepsPerRound = 600;

class MemtablePropertyTest : public ::testing::TestWithParam<MemtableKind> {
 protected:
  std::unique_ptr<Engine> Open(const std::string& directory) {
    RocksDbOptions options;
    options.directory = directory;
    options.durability = Durability::kNone;  // "killed" is the only crash here; power cuts are power_cut_test.cc's
    options.memory_bytes = 8 << 20;
    options.write_buffer_bytes = 64 << 10;
    options.memtable = GetParam();
    auto engine = OpenRocksDbEngine(options, metrics_);
    EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().ToString());
    return engine ? std::move(*engine) : nullptr;
  }

  std::string RandomKey() {
    // Few enough to be hit again, with borders of words and prefixes among them.
    const uint64_t number = random_() % 300;
    return random_() % 4 == 0 ? fmt::format("k{:03}", number)
                              : fmt::format("k{:03}/{}", number, std::string(number % 9, 'x'));
  }

  void ChangeAtRandom(Batch& batch, Rows& model) {
    for (uint64_t n = 1 + random_() % 12; n-- > 0;) {
      const std::string a = RandomKey();
      switch (random_() % 10) {
        case 0:
        case 1:
        case 2:
          batch.Delete(a);
          model.erase(a);
          break;
        default:
          std::string value(random_() % (random_() % 50 == 0 ? 20'000 : 400), static_cast<char>('a' + random_() % 26));
          batch.Put(a, value);
          model[a] = std::move(value);
      }
    }
  }

  static Rows ReadAll(Engine& engine, std::string_view begin, std::string_view end, bool is_reverse, ReadAt at) {
    ScanOp scan;
    scan.begin = begin, scan.end = end, scan.is_reverse = is_reverse, scan.at = at;
    RunScan(engine, scan);
    EXPECT_TRUE(scan.status.ok()) << scan.status.ToString();
    Rows rows;
    std::string last;
    for (const auto& row : scan.rows) {
      EXPECT_TRUE(rows.empty() || (is_reverse ? row.key < last : row.key > last)) << "order at " << row.key;
      last = row.key;
      rows.emplace(row.key, row.value);
    }
    return rows;
  }

  void ExpectRows(Engine& engine, const Rows& model, ReadAt at = {}) {
    ASSERT_EQ(ReadAll(engine, "", "", false, at), model);
    ASSERT_EQ(ReadAll(engine, "", "", true, at), model);
  }
  void ExpectPart(Engine& engine, const Rows& model, ReadAt at = {}) {
    std::string a = RandomKey(), b = RandomKey();
    if (b < a) std::swap(a, b);
    const Rows part(model.lower_bound(a), model.lower_bound(b));
    ASSERT_EQ(ReadAll(engine, a, b, random_() % 2 == 0, at), part) << a << " to " << b;
    const auto found = model.find(a);
    ASSERT_EQ(GetOr(engine, a, "-", at), found == model.end() ? "-" : found->second) << a;
  }

  void RunRound() {
    TemporaryDirectory directory;
    const std::string store = directory.path() + "/store", copy = directory.path() + "/copy";
    auto engine = Open(store);
    ASSERT_TRUE(engine);
    Rows model;
    std::vector<std::pair<std::shared_ptr<const Snapshot>, Rows>> snapshots;
    for (int step = 0; step < kStepsPerRound; ++step) {
      Batch batch;
      ChangeAtRandom(batch, model);
      ASSERT_TRUE(CommitAndWait(*engine, batch).ok());
      ASSERT_NO_FATAL_FAILURE(ExpectPart(*engine, model));
      if (random_() % 40 == 0) snapshots.emplace_back(engine->TakeSnapshot(), model);
      if (snapshots.size() > 3) snapshots.erase(snapshots.begin());
      for (const auto& [snapshot, rows] : snapshots)
        ASSERT_NO_FATAL_FAILURE(ExpectPart(*engine, rows, {View::kDurable, snapshot.get()}));
      if (random_() % 100 == 0) {
        ASSERT_NO_FATAL_FAILURE(ExpectRows(*engine, model));
        for (const auto& [snapshot, rows] : snapshots)
          ASSERT_NO_FATAL_FAILURE(ExpectRows(*engine, rows, {View::kDurable, snapshot.get()}));
      }
      if (random_() % 150 == 0) {
        // Killed: what is there now is opened in its place, with all that was acknowledged.
        CopyAsIfKilled(store, copy);
        snapshots.clear();
        ASSERT_TRUE(engine->Close().ok());
        std::filesystem::remove_all(store);
        std::filesystem::rename(copy, store);
        engine = Open(store);
        ASSERT_TRUE(engine);
        ASSERT_NO_FATAL_FAILURE(ExpectRows(*engine, model));
      }
    }
    snapshots.clear();
    EXPECT_TRUE(engine->Close().ok());
  }

  Metrics metrics_;
  std::mt19937_64 random_;
};

// ThreadSanitizer sees nothing of the atomics of RocksDB's own list.
std::vector<MemtableKind> Kinds() {
#if defined(ARMATURE_THREAD_SANITIZER)
  return {MemtableKind::kLinked};
#else
  return {MemtableKind::kLinked, MemtableKind::kStock};
#endif
}

INSTANTIATE_TEST_SUITE_P(, MemtablePropertyTest, ::testing::ValuesIn(Kinds()),
                         [](const auto& kind) { return kind.param == MemtableKind::kLinked ? "Linked" : "Stock"; });

TEST_P(MemtablePropertyTest, AgreesWithAModelThroughFlushesAndCrashes) {
  random_.seed(ArenaSeed());
  for (ArenaClock clock(kShortRounds); clock.GoesOn();) ASSERT_NO_FATAL_FAILURE(RunRound());
}

}  // namespace
}  // namespace armature::storage
