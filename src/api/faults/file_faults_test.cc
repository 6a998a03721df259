// Every file operation of the write path fails once, or from then on, at every place: the server keeps its promises.
//
// An acknowledged write is there, a visible one too, a failed one is there as a whole or not at all; conditions see
// only what may be stored; items, indexes and stream agree; a shortage is over when it is over. The cases are taken in
// the order of a seed for as long as the time allows: ARMATURE_ARENA_MINUTES for all of them together.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <random>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "api/faults/fault_workload.h"
#include "base/log.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/testing/arena.h"
#include "storage/testing/fault_file_system.h"
#include "storage/testing/test_keys.h"

namespace armature::api {
namespace {

namespace fs = std::filesystem;
using storage::FileCall;

using Clock = std::chrono::steady_clock;

// A directory in memory, where there is one: what is tested is what fails, not how long a real sync takes.
class Directory {
 public:
  Directory() {
    std::string pattern =
        (fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path().string()) + "/armature-faults-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  std::string data() const { return path_ + "/data"; }
  // The files as they are now: what a kill leaves. Files come and go meanwhile; then it is done again.
  std::string CopyAsKilled() const {
    std::string copy = path_ + "/killed";
    std::set<std::string> before;
    do {
      std::error_code ignored;
      fs::remove_all(copy, ignored);
      before = Names();
      for (const std::string& name : before) {
        fs::create_directories(fs::path(copy + "/" + name).parent_path());
        std::ifstream from(data() + "/" + name, std::ios::binary);
        std::ofstream(copy + "/" + name, std::ios::binary) << from.rdbuf();
      }
    } while (Names() != before);
    return copy;
  }

 private:
  std::set<std::string> Names() const {
    std::set<std::string> names;
    std::error_code error;
    for (fs::recursive_directory_iterator entries(data(), error); !error && entries != fs::end(entries);
         entries.increment(error))
      if (entries->is_regular_file(error)) names.insert(entries->path().lexically_relative(data()));
    return names;
  }
  std::string path_;
};

struct Case {
  FileCall call = FileCall::kAppend;
  int error = 0;
  uint64_t n = 0;
  bool stays = false;  // until it is healed; or else once

  std::string Name() const {
    return fmt::format("{} {} {} {}", FileCallName(call), std::strerror(error), stays ? "from" : "at", n);
  }
  // Passes by itself, so service must return. A failed sync does not.
  bool is_shortage() const {
    return error != EIO && call != FileCall::kSync && call != FileCall::kSyncDirectory && call != FileCall::kRead &&
           call != FileCall::kClose && call != FileCall::kTruncate;
  }
};

struct StoreKind {
  const char* name;
  storage::Durability durability;
  bool is_encrypted = false;
};

// One store through one case.
class Sweep {
 public:
  explicit Sweep(const StoreKind& kind) {
    options_.durability = kind.durability;
    if (kind.is_encrypted) options_.data_keys = storage::TestKeys();
    options_.memory_bytes = 8 << 20;
    options_.write_buffer_bytes = 64 << 10;  // logs and table files change every few dozen writes
  }

  // What went wrong, or nothing.
  std::string Run(const Case* fault);
  std::string RunAtOpening(const Case& fault);
  // Calls of each kind in the last run.
  uint64_t count(FileCall call) const { return counts_[static_cast<size_t>(call)]; }
  bool was_hit() const { return was_hit_; }

 private:
  Result<std::unique_ptr<storage::Engine>> Open(const std::string& directory, bool is_faulty) {
    storage::RocksDbOptions options = options_;
    options.directory = directory;
    options.env = is_faulty ? env_.get() : nullptr;
    return storage::OpenRocksDbEngine(options, metrics_);
  }
  std::string CheckStored(const std::string& directory, FaultWorkload workload);
  void TakeCounts() {
    for (size_t i = 0; i < storage::kFileCalls; ++i) counts_[i] = faults_.count(static_cast<FileCall>(i));
    was_hit_ = faults_.failures() > 0;
  }

  storage::RocksDbOptions options_;
  Metrics metrics_;
  storage::Faults faults_;
  std::unique_ptr<rocksdb::Env> env_ = storage::MakeFaultEnv(faults_);
  std::array<uint64_t, storage::kFileCalls> counts_{};
  bool was_hit_ = false;
};

std::string Sweep::CheckStored(const std::string& directory, FaultWorkload workload) {
  auto engine = Open(directory, false);
  if (!engine) return "cannot be opened: " + engine.error().ToString();
  FaultHouse house(**engine, metrics_);
  workload.Restarted();
  if (Status status = house.Load(); !status.ok()) return "cannot be loaded: " + status.ToString();
  if (!workload.Check(house)) return workload.problem();
  if (!workload.WriteOnce(house)) return "a start does not write again: " + workload.problem();
  const Status closed = (*engine)->Close();
  return closed.ok() ? "" : closed.ToString();
}

std::string Sweep::Run(const Case* fault) {
  Directory directory;
  FaultWorkload workload;
  std::string killed;
  {
    auto engine = Open(directory.data(), true);
    if (!engine) return engine.error().ToString();
    FaultHouse house(**engine, metrics_);
    if (Status status = house.Load(); !status.ok()) return status.ToString();
    if (!workload.Begin(house)) return workload.problem();
    if (fault) faults_.Arm(fault->call, fault->n, fault->stays ? UINT64_MAX : 1, fault->error);
    else faults_.StartCounting();
    if (!workload.Run(house)) return workload.problem();
    TakeCounts();
    faults_.Disarm();
    bool is_served = workload.WriteOnce(house);
    const auto deadline = Clock::now() + std::chrono::seconds(20);
    while (!is_served && workload.problem().empty() && fault && fault->is_shortage() && Clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      is_served = workload.WriteOnce(house);
    }
    if (!workload.problem().empty()) return workload.problem();
    if (!is_served && (!fault || fault->is_shortage())) return "no service although nothing is missing any more";
    if (is_served && !workload.Check(house)) return "while it runs: " + workload.problem();
    killed = directory.CopyAsKilled();
    static_cast<void>((*engine)->Close());
  }
  // What waits for no sync is lost when one fails: the kernel drops the pages. It is lost from some point on, as a
  // whole.
  if (fault && fault->call == FileCall::kSync && options_.durability != storage::Durability::kFsync)
    workload.LoseLatest();
  if (std::string problem = CheckStored(killed, workload); !problem.empty()) return "after a kill: " + problem;
  if (std::string problem = CheckStored(directory.data(), workload); !problem.empty())
    return "after a stop: " + problem;
  return "";
}

// A store that was killed is opened with the fault, which may fail, and then without.
std::string Sweep::RunAtOpening(const Case& fault) {
  Directory directory;
  FaultWorkload workload;
  std::string killed;
  {
    auto engine = Open(directory.data(), true);
    if (!engine) return engine.error().ToString();
    FaultHouse house(**engine, metrics_);
    if (Status status = house.Load(); !status.ok()) return status.ToString();
    if (!workload.Begin(house) || !workload.Run(house)) return workload.problem();
    killed = directory.CopyAsKilled();
  }
  faults_.Arm(fault.call, fault.n, fault.stays ? UINT64_MAX : 1, fault.error);
  {
    auto engine = Open(killed, true);
    if (engine) {
      FaultHouse house(**engine, metrics_);
      const bool is_loaded = house.Load().ok();
      faults_.Disarm();
      FaultWorkload seen = workload;
      seen.Restarted();
      if (is_loaded && !seen.Check(house)) {
        // Reads may fail once more where a table could not be opened; they may not tell anything wrong.
        if (seen.problem().find("Scan: ") == std::string::npos) return "while it runs: " + seen.problem();
      }
    }
    TakeCounts();
    faults_.Disarm();
  }
  const std::string problem = CheckStored(killed, workload);
  return problem.empty() ? "" : "after the start that failed: " + problem;
}

// --- the sweep

constexpr FileCall kWritingCalls[] = {
    FileCall::kCreate,   FileCall::kOpen,  FileCall::kAppend, FileCall::kSync,   FileCall::kSyncDirectory,
    FileCall::kTruncate, FileCall::kClose, FileCall::kRename, FileCall::kDelete, FileCall::kRead};

std::vector<int> ErrorsOf(FileCall call) {
  if (call == FileCall::kCreate || call == FileCall::kOpen) return {EIO, ENOSPC, EMFILE, ENOMEM};
  if (call == FileCall::kRead) return {EIO, ENOMEM};
  return {EIO, ENOSPC, ENOMEM};
}

std::vector<Case> AllCases(const Sweep& clean) {
  std::vector<Case> cases;
  for (const FileCall call : kWritingCalls)
    for (const int error : ErrorsOf(call))
      // A few more than a clean run has: what is tried again is counted again.
      for (uint64_t n = 1; n <= clean.count(call) + 2; ++n)
        for (const bool stays : {false, true}) cases.push_back({call, error, n, stays});
  return cases;
}

// Said when the program aborts: RocksDB asserts what it expects of files.
std::string current_case;
void SayCase(int) {
  [[maybe_unused]] auto written = write(STDERR_FILENO, "in case ", 8);
  written = write(STDERR_FILENO, current_case.data(), current_case.size());
  written = write(STDERR_FILENO, "\n", 1);
}

// However short the time: some case of every kind of call and error.
void PutOneOfEachFirst(std::vector<Case>& cases) {
  std::set<std::tuple<FileCall, int, bool>> seen;
  std::stable_partition(cases.begin(), cases.end(), [&](const Case& fault) {
    return seen.insert({fault.call, fault.error, fault.stays}).second;
  });
}

class FileFaultsTest : public testing::TestWithParam<StoreKind> {
 protected:
  FileFaultsTest() {
    SetLogLevel(LogLevel::kOff);
    std::signal(SIGABRT, SayCase);
  }
  ~FileFaultsTest() override { SetLogLevel(LogLevel::kInfo); }

  static constexpr int kTests = 6;  // that share the arena's time

  // Runs cases in the order of the seed until the time is up.
  template <class RunCase>
  void RunAll(std::vector<Case> cases, std::chrono::seconds short_form, RunCase run) {
    std::mt19937_64 random(storage::ArenaSeed());
    std::shuffle(cases.begin(), cases.end(), random);
    PutOneOfEachFirst(cases);
    const auto deadline = Clock::now() + std::max(short_form, storage::ArenaTime() / kTests);
    size_t done = 0, hit = 0;
    for (; done < cases.size() && Clock::now() < deadline; ++done) {
      current_case = cases[done].Name();
      Sweep sweep(GetParam());
      const std::string problem = run(sweep, cases[done]);
      EXPECT_EQ(problem, "") << cases[done].Name();
      if (!problem.empty()) ++failed_;
      if (failed_ >= 10) break;
      hit += sweep.was_hit();
    }
    std::printf("%zu of %zu cases, %zu met their fault\n", done, cases.size(), hit);
    EXPECT_GT(hit, 0u);
  }
  int failed_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Durabilities, FileFaultsTest,
                         testing::Values(StoreKind{"Fsync", storage::Durability::kFsync},
                                         StoreKind{"None", storage::Durability::kNone},
                                         StoreKind{"Encrypted", storage::Durability::kFsync, true}),
                         [](const auto& test) { return test.param.name; });

TEST_P(FileFaultsTest, PromisesAreKeptWhateverFails) {
  Sweep clean(GetParam());
  ASSERT_EQ(clean.Run(nullptr), "");
  RunAll(AllCases(clean), std::chrono::seconds(10), [](Sweep& sweep, const Case& fault) { return sweep.Run(&fault); });
}

TEST_P(FileFaultsTest, AStartThatFailsHarmsNothing) {
  std::vector<Case> cases;
  for (const FileCall call : kWritingCalls)
    for (const int error : ErrorsOf(call))
      for (uint64_t n = 1; n <= 25; ++n)
        for (const bool stays : {false, true}) cases.push_back({call, error, n, stays});
  RunAll(std::move(cases), std::chrono::seconds(5),
         [](Sweep& sweep, const Case& fault) { return sweep.RunAtOpening(fault); });
}

// --- a slow disk

// While a sync takes its time: reads go on, writers wait, and a stop waits for them.
TEST(SlowDiskTest, ReadsGoOnWritersWaitAndAStopIsOrderly) {
  Directory directory;
  storage::Faults faults;
  const auto env = storage::MakeFaultEnv(faults);
  storage::RocksDbOptions options;
  options.directory = directory.data();
  options.memory_bytes = 8 << 20;
  options.env = env.get();
  Metrics metrics;
  auto engine = storage::OpenRocksDbEngine(options, metrics);
  ASSERT_TRUE(engine.has_value());
  FaultHouse house(**engine, metrics);
  ASSERT_TRUE(house.Load().ok());
  FaultWorkload workload;
  ASSERT_TRUE(workload.Begin(house));
  const auto put = [&](int n) {
    return house
        .Call("PutItem", fmt::format(R"({{"TableName":"Tbl","Item":{{"pk":{{"S":"k"}},"n":{{"N":"{}"}}}}}})", n))
        .kind;
  };
  const auto get = [&] {
    return house.Call("GetItem", R"({"TableName":"Tbl","Key":{"pk":{"S":"k"}},"ConsistentRead":true})").body;
  };
  ASSERT_EQ(put(1), FaultReply::Kind::kOk);
  for (int round = 0; round < 3; ++round) {
    const std::string before = get();
    faults.HoldSyncs(true);
    std::vector<std::future<FaultReply::Kind>> writers;
    for (int i = 0; i < 4; ++i) writers.push_back(std::async(std::launch::async, put, 100 + 10 * round + i));
    faults.AwaitHeldSync();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(get(), before) << "a reader saw what is not synced, or nothing";
    for (auto& writer : writers) EXPECT_EQ(writer.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
    faults.HoldSyncs(false);
    for (auto& writer : writers) EXPECT_EQ(writer.get(), FaultReply::Kind::kOk);
    EXPECT_NE(get(), before);
  }
  faults.HoldSyncs(true);
  auto last = std::async(std::launch::async, put, 1000);
  faults.AwaitHeldSync();
  auto stop = std::async(std::launch::async, [&] { return (*engine)->Close(); });
  EXPECT_EQ(stop.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  faults.HoldSyncs(false);
  EXPECT_TRUE(stop.get().ok());
  EXPECT_EQ(last.get(), FaultReply::Kind::kOk);
}

}  // namespace
}  // namespace armature::api
