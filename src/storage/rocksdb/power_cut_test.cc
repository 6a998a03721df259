// Power cuts: a store is written to on a disk that is recorded; of what a cut at any moment may leave of that disk,
// state after state is opened. It must open, hold every acknowledged commit, and hold nothing but the first so many
// commits.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/storage_testing.h"
#include "storage/testing/arena.h"
#include "storage/testing/disk_states.h"
#include "storage/testing/recorded_disk.h"
#include "storage/testing/test_keys.h"

namespace armature::storage {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShortStates = 30;  // for each durability
constexpr size_t kStatesPerRun = 60;
constexpr uint64_t kKeptRows = 200;

std::string Row(uint64_t commit) { return fmt::format("row{:07}", commit); }

// Every commit says who it is, and deletes the row of one long before it. Of any size: some end within
// a page, some span several blocks of the log.
Batch MakeCommit(uint64_t commit, bool is_small) {
  std::mt19937_64 random(commit);
  const size_t sizes[] = {10, 200, 2000, 4065, 9000, 70'000};
  const size_t size = is_small ? 1 : sizes[std::discrete_distribution<size_t>({30, 30, 20, 15, 10, 1})(random)];
  Batch batch;
  batch.Put("last", std::to_string(commit));
  batch.Put(Row(commit), std::string(size, static_cast<char>('a' + commit % 26)));
  if (commit > kKeptRows) batch.Delete(Row(commit - kKeptRows));
  return batch;
}

struct PowerCutParam {
  const char* name;
  Durability durability;
  bool is_encrypted = false;
};

class PowerCutTest : public ::testing::TestWithParam<PowerCutParam> {
 protected:
  Result<std::unique_ptr<Engine>> Open(const std::string& directory, rocksdb::Env* env = nullptr) {
    RocksDbOptions options;
    options.directory = directory;
    options.durability = GetParam().durability;
    if (GetParam().is_encrypted) options.data_keys = TestKeys();
    options.interval_millis = 5;
    options.memory_bytes = 8 << 20;
    options.write_buffer_bytes = 64 << 10;  // logs, table files and compactions come and go
    options.env = env;
    return OpenRocksDbEngine(options, metrics_);
  }

  // Commits on, from `first`, in bursts; notes what was acknowledged. The last commit.
  uint64_t Drive(Engine& engine, RecordedDisk& disk, uint64_t first, std::mt19937_64& random) {
    uint64_t commit = first;
    for (int burst = 0; burst < bursts_; ++burst) {
      // Many small ones fill whole blocks of the log, whose borders then often fall between two records.
      const bool is_small = burst % 4 == 2;
      const uint64_t longest[] = {8, 60, 1500, 120};
      const uint64_t end = commit + 1 + std::uniform_int_distribution<uint64_t>(0, longest[burst % 4])(random);
      DurableOp durable;
      for (; commit < end; ++commit) {
        const Batch batch = MakeCommit(commit, is_small);
        CommitOp op;
        op.partition = &engine.system();
        op.batch = &batch;
        engine.Commit(op);
        Await(op.done);
        EXPECT_TRUE(op.status.ok()) << op.status.ToString();
        durable.partition = op.partition, durable.mark = op.mark;
      }
      engine.WhenDurable(durable);
      Await(durable.done);
      EXPECT_TRUE(durable.status.ok());
      // With the others an acknowledgement is no promise against power cuts.
      if (GetParam().durability == Durability::kFsync) disk.Note(commit - 1);
    }
    return commit - 1;
  }

  // Opens the state and looks. What is wrong with it, or nothing and the number of commits that are there.
  std::string Check(const std::string& directory, uint64_t acknowledged, uint64_t sent, uint64_t& found) {
    auto engine = Open(directory);
    if (!engine) return "it does not open: " + engine.error().ToString();
    found = std::strtoull(GetOr(**engine, "last", "0").c_str(), nullptr, 10);
    if (found < acknowledged) return fmt::format("{} commits were acknowledged and {} are there", acknowledged, found);
    if (found > sent) return fmt::format("{} commits were sent and {} are there", sent, found);
    ScanOp scan;
    scan.begin = "row";
    scan.end = "rox";
    RunScan(**engine, scan);
    if (!scan.status.ok()) return scan.status.ToString();
    const uint64_t first = found <= kKeptRows ? 1 : found - kKeptRows + 1;
    std::vector<std::string> rows, expected;
    for (const auto& row : scan.rows) rows.emplace_back(row.key);
    for (uint64_t commit = first; commit <= found; ++commit) expected.push_back(Row(commit));
    if (rows == expected) return {};
    std::vector<std::string> differing;
    std::set_symmetric_difference(rows.begin(), rows.end(), expected.begin(), expected.end(),
                                  std::back_inserter(differing));
    return fmt::format("of the first {} commits {} rows are missing or too many, first {}", found, differing.size(),
                       differing.front());
  }

  // Runs a store, beginning with what is in `root` and `commits`, and checks `states` of what may be left; goes on from
  // one of them. The first thing that is wrong, or nothing.
  std::string RunOnce(const std::string& root, size_t states, uint64_t& commits, std::mt19937_64& random,
                      const std::string& forgotten_syncs = {}) {
    auto disk = std::make_shared<RecordedDisk>(root);
    disk->ForgetSyncs(forgotten_syncs);
    const auto env = rocksdb::NewCompositeEnv(disk);
    uint64_t sent = commits;
    {
      auto engine = Open(root, env.get());
      if (!engine) return engine.error().ToString();
      sent = Drive(**engine, *disk, commits + 1, random);
      EXPECT_TRUE((*engine)->Close().ok());
    }
    DiskStates cuts(*disk);
    const std::vector<size_t> moments = cuts.PickMoments(states, random);
    std::map<std::string, std::string> next;
    uint64_t next_commits = 0;
    for (size_t i = 0; i < moments.size(); ++i) {
      cuts.GoTo(moments[i]);
      const auto state = cuts.Cut(random);
      const std::string directory = root_.path() + "/state";
      WriteState(directory, state);
      uint64_t found = 0;
      const std::string wrong = Check(directory, std::max(commits, cuts.note()), sent, found);
      ++checked_;
      if (!wrong.empty()) {
        const std::string kept = root_.path() + "-cut";
        if (forgotten_syncs.empty()) WriteState(kept, state);
        return fmt::format("cut after {} of {} events: {} (the state is in {})", moments[i], cuts.count(), wrong, kept);
      }
      if (i == moments.size() / 2) {
        next = state;
        next_commits = found;
      }
    }
    WriteState(root, next);
    commits = next_commits;
    return {};
  }
  // A store to begin with.
  std::string MakeStore() {
    std::string root = root_.path() + "/live";
    auto engine = Open(root);
    EXPECT_TRUE(engine.has_value() && PutAndWait(**engine, "begun", "yes").ok() && (*engine)->Close().ok());
    while (!fs::exists(root + "/FORMAT")) std::this_thread::yield();
    return root;
  }

  TemporaryDirectory root_;
  Metrics metrics_;
  size_t checked_ = 0;
  int bursts_ = 12;  // of each run
};

TEST_P(PowerCutTest, EveryStateHoldsTheAcknowledgedCommitsAndAPrefix) {
  std::mt19937_64 random(ArenaSeed());
  const std::string root = MakeStore();
  const size_t states = ArenaTime().count() == 0 ? kShortStates / 2 : kStatesPerRun;
  uint64_t commits = 0;
  for (ArenaClock clock(2); clock.GoesOn() && !HasFailure();) EXPECT_EQ(RunOnce(root, states, commits, random), "");
  fmt::print("{} states of the disk, the last with {} commits\n", checked_, commits);
}

// The very first start: whatever of it is on the disk opens, and so does what a second start made of that.
TEST_P(PowerCutTest, AStoreCutInItsMakingOpens) {
  std::mt19937_64 random(ArenaSeed());
  const std::string root = root_.path() + "/live";
  for (ArenaClock clock(4); clock.GoesOn() && !HasFailure();) {
    fs::remove_all(root);
    fs::create_directory(root);
    uint64_t commits = 0;
    for (int start = 0; start < 2 && !HasFailure(); ++start) {
      bursts_ = start == 0 ? 1 : 3;
      EXPECT_EQ(RunOnce(root, kShortStates / 2, commits, random), "");
    }
  }
  fmt::print("{} states of the disk\n", checked_);
}

// That it would be seen: the syncs of the log are not made, only reported.
TEST_P(PowerCutTest, ALogThatIsNotSyncedIsFound) {
  if (GetParam().durability != Durability::kFsync) return;  // the others promise nothing that would be broken
  std::mt19937_64 random(ArenaSeed());
  const std::string root = MakeStore();
  uint64_t commits = 0;
  std::string wrong;
  for (int run = 0; run < 20 && wrong.empty(); ++run) wrong = RunOnce(root, kShortStates, commits, random, ".log");
  EXPECT_NE(wrong, "");
}

INSTANTIATE_TEST_SUITE_P(Durabilities, PowerCutTest,
                         testing::Values(PowerCutParam{"Fsync", Durability::kFsync},
                                         PowerCutParam{"Interval", Durability::kInterval},
                                         PowerCutParam{"None", Durability::kNone},
                                         PowerCutParam{"FsyncEncrypted", Durability::kFsync, true},
                                         PowerCutParam{"NoneEncrypted", Durability::kNone, true}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace armature::storage
