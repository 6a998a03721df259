// What only the RocksDB engine promises: its directory, survival of crashes, group commit, full disks.

#include "storage/rocksdb/rocksdb_engine.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "storage/rocksdb/files/synced_point.h"
#include "storage/storage_testing.h"
#include "storage/testing/fault_file_system.h"
#include "storage/testing/test_keys.h"

namespace armature::storage {
namespace {

namespace fs = std::filesystem;

// A disk that can be full (every write fails, after writing half of what was asked) and can fail to sync; and a process
// that can be out of descriptors (nothing can be opened).
class BadDisk {
 public:
  std::atomic<bool> is_full{false};
  std::atomic<bool> has_no_descriptors{false};
  std::atomic<int> failed_opens{0};
  std::atomic<bool> fails_sync{false};
  std::atomic<bool> fails_tables{false};
  std::atomic<bool> has_no_room_for_tables{false};
  std::atomic<int> tables_without_room{0};
  std::atomic<int> log_syncs{0};
};

class BadFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  BadFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, BadDisk& disk, const std::string& path)
      : FSWritableFileOwnerWrapper(std::move(file)),
        disk_(disk),
        is_log_(path.ends_with(".log")),
        is_table_(path.ends_with(".sst")) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context) override {
    if (disk_.fails_tables && is_table_) return rocksdb::IOStatus::IOError("injected: write failed");
    if (disk_.has_no_room_for_tables && is_table_) {
      ++disk_.tables_without_room;
      disk_.tables_without_room.notify_all();
      return Full();
    }
    if (!disk_.is_full) return FSWritableFileOwnerWrapper::Append(data, options, context);
    FSWritableFileOwnerWrapper::Append({data.data(), data.size() / 2}, options, context).PermitUncheckedError();
    return Full();
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo&, rocksdb::IODebugContext* context) override {
    return Append(data, options, context);
  }
  rocksdb::IOStatus PositionedAppend(const rocksdb::Slice& data, uint64_t offset, const rocksdb::IOOptions& options,
                                     rocksdb::IODebugContext* context) override {
    if (!disk_.is_full) return FSWritableFileOwnerWrapper::PositionedAppend(data, offset, options, context);
    FSWritableFileOwnerWrapper::PositionedAppend({data.data(), data.size() / 2}, offset, options, context)
        .PermitUncheckedError();
    return Full();
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    if (is_log_) {
      ++disk_.log_syncs;
      disk_.log_syncs.notify_all();
    }
    if (disk_.fails_sync) return rocksdb::IOStatus::IOError("injected: sync failed");
    return FSWritableFileOwnerWrapper::Sync(options, context);
  }

 private:
  static rocksdb::IOStatus Full() { return rocksdb::IOStatus::NoSpace("injected: no space left on device"); }
  BadDisk& disk_;
  const bool is_log_;
  const bool is_table_;
};

class BadFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit BadFileSystem(BadDisk& disk) : FileSystemWrapper(rocksdb::FileSystem::Default()), disk_(disk) {}
  const char* Name() const override { return "BadFileSystem"; }
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override {
    if (disk_.has_no_descriptors) return TooManyOpenFiles(path);
    auto status = FileSystemWrapper::NewWritableFile(path, options, file, context);
    if (status.ok()) *file = std::make_unique<BadFile>(std::move(*file), disk_, path);
    return status;
  }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* context) override {
    if (disk_.has_no_descriptors) return TooManyOpenFiles(path);
    return FileSystemWrapper::NewRandomAccessFile(path, options, file, context);
  }
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* context) override {
    if (disk_.has_no_descriptors) return TooManyOpenFiles(path);
    return FileSystemWrapper::NewDirectory(path, options, directory, context);
  }
  // RocksDB looks here when it waits for space by itself.
  rocksdb::IOStatus GetFreeSpace(const std::string& path, const rocksdb::IOOptions& options, uint64_t* bytes,
                                 rocksdb::IODebugContext* context) override {
    if (!disk_.has_no_room_for_tables) return FileSystemWrapper::GetFreeSpace(path, options, bytes, context);
    *bytes = 0;
    return rocksdb::IOStatus::OK();
  }

 private:
  // As RocksDB words it.
  rocksdb::IOStatus TooManyOpenFiles(const std::string& path) {
    ++disk_.failed_opens;
    return rocksdb::IOStatus::IOError("While open a file: " + path, std::strerror(EMFILE));
  }
  BadDisk& disk_;
};

class RocksDbEngineTest : public ::testing::Test {
 protected:
  RocksDbEngineTest() { options_.memory_bytes = 16 << 20; }
  std::string path() const { return root_.path() + "/data"; }

  Result<std::unique_ptr<Engine>> TryOpen(const std::string& directory) {
    RocksDbOptions options = options_;
    options.directory = directory;
    return OpenRocksDbEngine(options, metrics_);
  }
  std::unique_ptr<Engine> Open(const std::string& directory) {
    auto engine = TryOpen(directory);
    EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().ToString());
    return engine ? std::move(*engine) : nullptr;
  }
  StatusCode OpenCode(const std::string& directory) {
    auto engine = TryOpen(directory);
    return engine ? StatusCode::kOk : engine.error().code();
  }
  std::string CopyAsIfKilled(const std::string& name) {
    std::string copy = root_.path() + "/" + name;
    storage::CopyAsIfKilled(path(), copy);
    return copy;
  }
  void UseBadDisk() {
    env_ = rocksdb::NewCompositeEnv(std::make_shared<BadFileSystem>(disk_));
    options_.env = env_.get();
    options_.memory_bytes = 8 << 20;
  }

  TemporaryDirectory root_;
  Metrics metrics_;
  BadDisk disk_;
  std::unique_ptr<rocksdb::Env> env_;
  RocksDbOptions options_;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::string& path, std::string_view text) { std::ofstream(path) << text; }

TEST_F(RocksDbEngineTest, SecondOpenerIsRefused) {
  auto engine = Open(path());
  auto second = TryOpen(path());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), StatusCode::kLocked);
  EXPECT_EQ(second.error().message(), path() + " is in use by another armature");
  ASSERT_TRUE(engine->Close().ok());
  EXPECT_TRUE(Open(path())) << "the lock goes with Close";
}

TEST_F(RocksDbEngineTest, ForeignDirectoriesStayUntouched) {
  fs::create_directories(path());
  WriteFile(path() + "/thesis.txt", "mine");
  EXPECT_EQ(OpenCode(path()), StatusCode::kFormat);
  EXPECT_EQ(std::distance(fs::directory_iterator(path()), fs::directory_iterator()), 1);
  WriteFile(path() + "/FORMAT", "postgres 15");
  EXPECT_EQ(OpenCode(path()), StatusCode::kFormat);
}

TEST_F(RocksDbEngineTest, AnotherFormatIsRefused) {
  ASSERT_TRUE(Open(path())->Close().ok());
  EXPECT_EQ(ReadFile(path() + "/FORMAT"), "armature 3\n");
  const auto refusal_of = [&](const std::string& format) {
    WriteFile(path() + "/FORMAT", format);
    auto engine = TryOpen(path());
    if (engine) return std::string("none");
    EXPECT_EQ(engine.error().code(), StatusCode::kFormat);
    return engine.error().message();
  };
  EXPECT_EQ(refusal_of("armature 2\n"),
            path() + " holds data of format 2, this armature reads format 3 only: use an older armature");
  EXPECT_EQ(refusal_of("armature 4\n"),
            path() + " holds data of format 4, this armature reads format 3 only: use a newer armature");
  EXPECT_EQ(refusal_of("armature 3\n"), "none");
}

TEST_F(RocksDbEngineTest, CreationCutShortIsBegunAnew) {
  fs::create_directories(path() + "/db");
  WriteFile(path() + "/CREATING", "");
  WriteFile(path() + "/db/CURRENT", "MANIFEST-000042\n");
  auto engine = Open(path());
  ASSERT_TRUE(PutAndWait(*engine, "k", "v").ok());
  // Acknowledged: from now on the store is complete.
  EXPECT_EQ(ReadFile(path() + "/FORMAT"), "armature 3\n");
  EXPECT_FALSE(fs::exists(path() + "/CREATING"));
}

TEST_F(RocksDbEngineTest, UnusableDirectoryIsAnIoError) {
  WriteFile(root_.path() + "/file", "");
  EXPECT_EQ(OpenCode(root_.path() + "/file"), StatusCode::kIoError);
  EXPECT_EQ(OpenCode(root_.path() + "/file/below"), StatusCode::kIoError);
}

TEST_F(RocksDbEngineTest, AcknowledgedWritesSurviveAKill) {
  for (Durability durability : {Durability::kFsync, Durability::kInterval, Durability::kNone}) {
    SCOPED_TRACE(static_cast<int>(durability));
    options_.durability = durability;
    auto engine = Open(path());
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(PutAndWait(*engine, fmt::format("k{}", i), "v").ok());
    const std::string copy = CopyAsIfKilled("killed");
    auto survivor = Open(copy);
    ScanOp op;
    EXPECT_EQ(RunScan(*survivor, op).rows.size(), 500u);
    // A store that has been through a crash can go through another.
    ASSERT_TRUE(PutAndWait(*survivor, "after", "crash").ok());
    storage::CopyAsIfKilled(copy, copy + "2");
    EXPECT_EQ(GetOr(*Open(copy + "2"), "after", "-"), "crash");
    ASSERT_TRUE(survivor->Close().ok());
    ASSERT_TRUE(engine->Close().ok());
    fs::remove_all(copy);
    fs::remove_all(copy + "2");
    fs::remove_all(path());
  }
}

TEST_F(RocksDbEngineTest, KillsUnderConcurrentWritersLoseNothingAcknowledged) {
  options_.memory_bytes = 8 << 20;  // memtables of 1 MiB: logs change often
  auto engine = Open(path());
  constexpr int kWriters = 4;
  std::array<std::atomic<int>, kWriters> acknowledged{};
  std::atomic<bool> is_done{false};
  std::vector<std::thread> writers;
  writers.reserve(kWriters);
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 1; !is_done; ++i) {
        Batch batch;
        batch.Put(fmt::format("a{}", w), std::to_string(i));
        batch.Put(fmt::format("b{}", w), std::to_string(i) + std::string(2000, ' '));
        ASSERT_TRUE(CommitAndWait(*engine, batch).ok());
        acknowledged[static_cast<size_t>(w)] = i;
      }
    });
  }
  for (int round = 0; round < 5; ++round) {
    std::array<int, kWriters> before;
    for (int w = 0; w < kWriters; ++w) {
      const int start = acknowledged[static_cast<size_t>(w)];
      while (acknowledged[static_cast<size_t>(w)] < start + 200) std::this_thread::yield();
      before[static_cast<size_t>(w)] = acknowledged[static_cast<size_t>(w)];
    }
    // Unlike a crash, copying takes time; files that RocksDB deletes meanwhile would be missed, so it starts over then.
    std::string copy;
    for (int attempt = 0; copy.empty(); ++attempt) {
      const std::string target = root_.path() + fmt::format("/round{}-{}", round, attempt);
      std::error_code error;
      fs::copy(path(), target, fs::copy_options::recursive, error);
      if (!error && TryOpen(target)) copy = target;
      else fs::remove_all(target);
      ASSERT_LT(attempt, 50);
    }
    auto survivor = Open(copy);
    for (int w = 0; w < kWriters; ++w) {
      const int a = std::stoi(GetOr(*survivor, fmt::format("a{}", w), "0"));
      EXPECT_GE(a, before[static_cast<size_t>(w)]);
      EXPECT_EQ(a, std::stoi(GetOr(*survivor, fmt::format("b{}", w), "0"))) << "half a commit";
    }
    ASSERT_TRUE(survivor->Close().ok());
    fs::remove_all(copy);
  }
  is_done = true;
  for (auto& writer : writers) writer.join();
}

TEST_F(RocksDbEngineTest, DurableViewShowsOnlyWhatIsSynced) {
  UseBadDisk();
  auto engine = Open(path());
  ASSERT_TRUE(PutAndWait(*engine, "k", "synced").ok());
  disk_.fails_sync = true;
  EXPECT_FALSE(PutAndWait(*engine, "k", "not synced").ok());
  EXPECT_EQ(GetOr(*engine, "k", "-"), "synced");
  EXPECT_EQ(GetOr(*engine, "k", "-", {View::kLatest}), "not synced");
  EXPECT_FALSE(PutAndWait(*engine, "other", "refused").ok());
  EXPECT_EQ(GetOr(*engine, "k", "-"), "synced");
}

// A table file fails to be written: RocksDB would let writers wait for its flush for ever.
TEST_F(RocksDbEngineTest, WritersAreToldWhenAFlushHasFailed) {
  UseBadDisk();
  auto engine = Open(path());
  std::map<std::string, std::string> acknowledged;
  Status status;
  disk_.fails_tables = true;
  for (int i = 0; i < 2000 && status.ok(); ++i) {
    const std::string key = fmt::format("k{:06}", i), value = std::string(10'000, 'x') + key;
    if (status = PutAndWait(*engine, key, value); status.ok()) acknowledged[key] = value;
  }
  EXPECT_EQ(status.code(), StatusCode::kIoError) << status.ToString();
  EXPECT_EQ(PutAndWait(*engine, "other", "v").code(), StatusCode::kIoError);
  for (const auto& [key, value] : acknowledged) ASSERT_TRUE(GetOr(*engine, key, "-") == value) << key;
  static_cast<void>(engine->Close());
  disk_.fails_tables = false;
  engine = Open(path());
  for (const auto& [key, value] : acknowledged) ASSERT_TRUE(GetOr(*engine, key, "-") == value) << key;
  EXPECT_TRUE(PutAndWait(*engine, "other", "v").ok());
}

// A store without FORMAT is begun anew if it is not whole; what was noted of the old one must not be held against it.
TEST_F(RocksDbEngineTest, OneBegunAnewIsNotJudgedByItsPredecessor) {
  SyncedPoint claimed;
  claimed.manifest = 4;
  claimed.manifest_bytes = 1 << 20;
  for (const uint64_t number : {1, 4, 5}) {
    fs::remove_all(path());
    fs::create_directories(path() + "/db");
    std::ofstream creating(path() + "/CREATING");
    claimed.manifest = number;
    std::ofstream(path() + "/SYNCED") << EncodeSyncedFile(claimed);
    Faults faults;
    const auto env = MakeFaultEnv(faults);
    options_.env = env.get();
    for (int start = 0; start < 3; ++start) {
      faults.HoldSyncs(start == 0);
      auto engine = Open(path());
      ASSERT_TRUE(engine);
      if (start == 0) {
        // Before anything is synced, a cut now would leave FORMAT beside what SYNCED says now.
        std::ifstream file(path() + "/SYNCED", std::ios::binary);
        const auto point = DecodeSyncedFile(std::string(std::istreambuf_iterator<char>(file), {}));
        EXPECT_TRUE(!point || point->manifest_bytes < claimed.manifest_bytes);
        faults.HoldSyncs(false);
      }
      EXPECT_EQ(GetOr(*engine, "k", "-"), start == 0 ? "-" : "v");
      ASSERT_TRUE(PutAndWait(*engine, "k", "v").ok());
      ASSERT_TRUE(engine->Close().ok());
    }
    options_.env = nullptr;
  }
}

// The files of a new store are synced once, late. If that fails the kernel has dropped what it could not write, and a
// second sync would succeed: nothing may be acknowledged.
TEST_F(RocksDbEngineTest, ACreationThatCannotBeSyncedAcknowledgesNothing) {
  for (const Durability durability : {Durability::kFsync, Durability::kInterval, Durability::kNone}) {
    fs::remove_all(path());
    Faults faults;
    const auto env = MakeFaultEnv(faults);
    options_.env = env.get();
    options_.durability = durability;
    faults.Arm(FileCall::kSync, 1, 1, EIO);
    auto engine = Open(path());
    ASSERT_TRUE(engine);
    while (faults.failures() == 0) std::this_thread::yield();
    Status status = PutAndWait(*engine, "k", "v");
    // With the others a write may be faster than the sync that fails.
    for (int i = 0; durability != Durability::kFsync && status.ok() && i < 10'000; ++i)
      status = PutAndWait(*engine, "k", "v");
    EXPECT_EQ(status.code(), StatusCode::kIoError) << status.ToString();
    EXPECT_EQ(PutAndWait(*engine, "k", "v").code(), StatusCode::kIoError) << "asked a second time";
    EXPECT_FALSE(fs::exists(path() + "/FORMAT"));
    static_cast<void>(engine->Close());
    options_.env = nullptr;
  }
}

// A shortage during it is one that passes.
TEST_F(RocksDbEngineTest, ACreationThatFindsNoDescriptorIsFinishedLater) {
  for (const FileCall call : {FileCall::kCreate, FileCall::kOpen}) {
    for (uint64_t n = 1; n <= 12; ++n) {
      fs::remove_all(path());
      Faults faults;
      const auto env = MakeFaultEnv(faults);
      options_.env = env.get();
      faults.Arm(call, n, 1, EMFILE);
      if (auto engine = TryOpen(path())) {
        Status status = Status::Unavailable("");
        while (status.code() == StatusCode::kUnavailable) status = PutAndWait(**engine, "k", "v");
        EXPECT_TRUE(status.ok()) << FileCallName(call) << " " << n << ": " << status.ToString();
        EXPECT_TRUE(fs::exists(path() + "/FORMAT"));
      }
      options_.env = nullptr;
      EXPECT_TRUE(TryOpen(path()).has_value()) << FileCallName(call) << " " << n;
    }
  }
}

// A quota is as good a reason to be full as any.
TEST_F(RocksDbEngineTest, AnExhaustedQuotaIsAFullDisk) {
  { ASSERT_TRUE(PutAndWait(*Open(path()), "k", "v").ok()); }
  Faults faults;
  const auto env = MakeFaultEnv(faults);
  options_.env = env.get();
  faults.Arm(FileCall::kAppend, 1, UINT64_MAX, EDQUOT);
  auto engine = Open(path());
  ASSERT_TRUE(engine);
  EXPECT_EQ(GetOr(*engine, "k", "-"), "v");
  EXPECT_EQ(PutAndWait(*engine, "l", "v").code(), StatusCode::kNoSpace);
  faults.Disarm();
  Status status = Status::NoSpace("");
  while (status.code() == StatusCode::kNoSpace) status = PutAndWait(*engine, "l", "v");
  EXPECT_TRUE(status.ok()) << status.ToString();
}

struct FullDiskParam {
  const char* name;
  Durability durability;
  bool is_encrypted = false;
};

class FullDiskTest : public RocksDbEngineTest, public ::testing::WithParamInterface<FullDiskParam> {
 protected:
  FullDiskTest() {
    UseBadDisk();
    options_.durability = GetParam().durability;
    if (GetParam().is_encrypted) options_.data_keys = TestKeys();
  }
};

INSTANTIATE_TEST_SUITE_P(Durabilities, FullDiskTest,
                         ::testing::Values(FullDiskParam{"Fsync", Durability::kFsync},
                                           FullDiskParam{"Interval", Durability::kInterval},
                                           FullDiskParam{"None", Durability::kNone},
                                           FullDiskParam{"FsyncEncrypted", Durability::kFsync, true},
                                           FullDiskParam{"NoneEncrypted", Durability::kNone, true}),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(FullDiskTest, RefusesWritesAndRecovers) {
  auto engine = Open(path());
  std::map<std::string, std::string> acknowledged;
  const std::string filler(1000, 'x');
  int number = 0;
  auto put = [&] {
    const std::string key = fmt::format("k{:06}", number++);
    Status status = PutAndWait(*engine, key, filler + key);
    if (status.ok()) acknowledged[key] = filler + key;
    return status;
  };
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(put().ok());
    disk_.is_full = true;
    for (int i = 0; i < 20; ++i) EXPECT_EQ(put().code(), StatusCode::kNoSpace);
    // Reads go on.
    EXPECT_EQ(GetOr(*engine, acknowledged.begin()->first, "-"), acknowledged.begin()->second);
    EXPECT_EQ(RunBlocking(engine->CreatePartition({.id = 100, .keyspace = 100})).code(), StatusCode::kNoSpace);
    disk_.is_full = false;
    Status status;
    for (int i = 0; i < 2000; ++i) {
      if (status = put(); status.ok()) break;
      EXPECT_EQ(status.code(), StatusCode::kNoSpace);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_TRUE(status.ok()) << "no service although space has returned: " << status.ToString();
    for (const auto& [key, value] : acknowledged) ASSERT_TRUE(GetOr(*engine, key, "-") == value) << key;
  }
  const std::string copy = CopyAsIfKilled("killed");
  ASSERT_TRUE(engine->Close().ok());
  options_.env = nullptr;
  for (const std::string& directory : {copy, path()}) {
    auto reopened = Open(directory);
    for (const auto& [key, value] : acknowledged) ASSERT_TRUE(GetOr(*reopened, key, "-") == value) << key;
  }
}

// Descriptors are missed when a log or a table file is begun. Once they are there again so is service, by itself.
TEST_P(FullDiskTest, RecoversWhenDescriptorsAreThereAgain) {
  auto engine = Open(path());
  std::map<std::string, std::string> acknowledged;
  const std::string filler(10'000, 'x');
  int number = 0;
  auto put = [&] {
    const std::string key = fmt::format("k{:06}", number++);
    Status status = PutAndWait(*engine, key, filler + key);
    if (status.ok()) acknowledged[key] = filler + key;
    return status;
  };
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(put().ok());
    const int before = disk_.failed_opens;
    disk_.has_no_descriptors = true;
    Status refused;
    for (int i = 0; i < 1000 && refused.ok(); ++i) refused = put();
    EXPECT_EQ(refused.code(), StatusCode::kUnavailable) << refused.ToString();
    EXPECT_GT(disk_.failed_opens, before);
    EXPECT_EQ(GetOr(*engine, acknowledged.rbegin()->first, "-"), acknowledged.rbegin()->second) << "reads go on";
    disk_.has_no_descriptors = false;
    Status status;
    for (int i = 0; i < 2000; ++i) {
      if (status = put(); status.ok()) break;
      EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status.ToString();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_TRUE(status.ok()) << "no service although descriptors are there: " << status.ToString();
    for (const auto& [key, value] : acknowledged) ASSERT_TRUE(GetOr(*engine, key, "-") == value) << key;
  }
  const std::string copy = CopyAsIfKilled("killed");
  ASSERT_TRUE(engine->Close().ok());
  options_.env = nullptr;
  for (const std::string& directory : {copy, path()}) {
    auto reopened = Open(directory);
    for (const auto& [key, value] : acknowledged) ASSERT_TRUE(GetOr(*reopened, key, "-") == value) << key;
  }
}

// A start has to write (tables from the logs, a manifest), and cannot: it reads, and writes when there is space.
TEST_P(FullDiskTest, StartsReadOnlyAndBecomesWritable) {
  std::map<std::string, std::string> acknowledged;
  std::string copy;
  {
    auto engine = Open(path());
    for (int i = 0; i < 700; ++i) {
      const std::string key = fmt::format("k{:06}", i), value = std::string(4000, 'x') + key;
      ASSERT_TRUE(PutAndWait(*engine, key, value).ok());
      acknowledged[key] = value;
    }
    // Until then the store is not yet one that must be opened.
    while (!fs::exists(path() + "/FORMAT")) std::this_thread::yield();
    copy = CopyAsIfKilled("killed");
  }
  const auto files = [&] {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(copy + "/db")) names.insert(entry.path().filename());
    return names;
  };
  const auto before = files();
  disk_.is_full = true;
  auto engine = Open(copy);
  ASSERT_TRUE(engine);
  EXPECT_EQ(files(), before) << "a start that found no space left files behind";
  for (const auto& [key, value] : acknowledged) ASSERT_TRUE(GetOr(*engine, key, "-") == value) << key;
  EXPECT_EQ(PutAndWait(*engine, "refused", "-").code(), StatusCode::kNoSpace);
  EXPECT_EQ(RunBlocking(engine->CreatePartition({.id = 100, .keyspace = 100})).code(), StatusCode::kNoSpace);
  EXPECT_EQ(OpenCode(copy), StatusCode::kLocked);
  const auto snapshot = engine->TakeSnapshot();

  disk_.is_full = false;
  Status status;
  for (int i = 0; i < 6000; ++i) {
    if (status = PutAndWait(*engine, "later", "v"); status.ok()) break;
    EXPECT_EQ(status.code(), StatusCode::kNoSpace) << status.ToString();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(GetOr(*engine, "later", "-"), "v");
  EXPECT_EQ(GetOr(*engine, "later", "-", {View::kDurable, snapshot.get()}), "-") << "a snapshot changed";
  acknowledged["later"] = "v";
  for (const auto& [key, value] : acknowledged) ASSERT_TRUE(GetOr(*engine, key, "-") == value) << key;
  EXPECT_TRUE(engine->Close().ok());
  auto reopened = Open(copy);
  for (const auto& [key, value] : acknowledged) ASSERT_TRUE(GetOr(*reopened, key, "-") == value) << key;
}

// RocksDB hears of the shortage while it is being closed, and must not begin to wait for its end.
TEST_F(RocksDbEngineTest, ClosesWhileATableWaitsForRoom) {
  UseBadDisk();
  const std::string filler(50'000, 'x');
  for (int round = 0; round < 3; ++round) {
    const std::string directory = fmt::format("{}{}", path(), round);
    auto engine = Open(directory);
    disk_.tables_without_room = 0;
    disk_.has_no_room_for_tables = true;
    int stored = 0;
    while (disk_.tables_without_room == 0) {
      if (PutAndWait(*engine, fmt::format("k{}", stored), filler).ok()) ++stored;
    }
    static_cast<void>(engine->Close());
    disk_.has_no_room_for_tables = false;
    auto reopened = Open(directory);
    for (int i = 0; i < stored; ++i) ASSERT_EQ(GetOr(*reopened, fmt::format("k{}", i), "-"), filler) << i;
  }
}

TEST_P(FullDiskTest, LosesNothingOfManyWriters) {
  auto engine = Open(path());
  std::array<std::atomic<int>, 8> acknowledged{};
  std::atomic<int> refused{0};
  std::atomic<bool> is_done{false};
  std::vector<std::thread> writers;
  for (size_t w = 0; w < acknowledged.size(); ++w) {
    writers.emplace_back([&, w] {
      for (int i = 1; !is_done; ++i) {
        const Status status = PutAndWait(*engine, fmt::format("w{}", w), std::to_string(i) + std::string(300, ' '));
        if (status.ok()) {
          acknowledged[w] = i;
          continue;
        }
        ++refused;
        EXPECT_EQ(status.code(), StatusCode::kNoSpace) << status.ToString();
      }
    });
  }
  auto wait_for_progress = [&] {
    for (auto& writer : acknowledged) {
      const int start = writer;
      for (int i = 0; i < 5000 && writer < start + 20; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_GE(writer, start + 20);
    }
  };
  for (int round = 0; round < 4; ++round) {
    wait_for_progress();
    const int before = refused;
    disk_.is_full = true;
    while (refused < before + 50) std::this_thread::yield();
    disk_.is_full = false;
  }
  wait_for_progress();
  is_done = true;
  for (auto& writer : writers) writer.join();
  const std::string copy = CopyAsIfKilled("killed");
  auto reopened = Open(copy);
  for (size_t w = 0; w < acknowledged.size(); ++w)
    EXPECT_GE(std::stoi(GetOr(*reopened, fmt::format("w{}", w), "0")), acknowledged[w].load());
}

TEST_F(RocksDbEngineTest, ManyWritersShareOneSync) {
  UseBadDisk();
  auto engine = Open(path());
  constexpr int kWriters = 64, kEach = 100;
  // Closed-loop writers as coroutines on one thread, the shape of a reactor with 64 connections.
  BlockingExecutor executor;
  int running = kWriters;
  Completion all_done;
  auto writer = [&](int w) -> Task<void> {
    for (int i = 0; i < kEach; ++i) {
      Batch batch;
      batch.Put(fmt::format("w{}", w), std::to_string(i));
      CommitOp commit;
      commit.partition = &engine->system(), commit.batch = &batch;
      engine->Commit(commit);
      co_await commit.done;
      DurableOp durable;
      durable.partition = commit.partition, durable.mark = commit.mark;
      engine->WhenDurable(durable);
      co_await durable.done;
      EXPECT_TRUE(durable.status.ok());
    }
    if (--running == 0) all_done.Finish();
  };
  const int before = disk_.log_syncs;
  auto run_all = [&]() -> Task<void> {
    for (int w = 0; w < kWriters; ++w) Detach(writer(w));
    co_await all_done;
  };
  executor.Run(run_all());
  const double per_put = static_cast<double>(disk_.log_syncs - before) / (kWriters * kEach);
  RecordProperty("syncs_per_put", std::to_string(per_put));
  EXPECT_LE(per_put, 0.1);
  // One that a sync has covered before its writer asks is not counted.
  EXPECT_LE(engine->stats().commits_made_durable, static_cast<uint64_t>(kWriters * kEach));
  EXPECT_GE(engine->stats().commits_made_durable, static_cast<uint64_t>(kWriters * kEach * 9 / 10));
}

TEST_F(RocksDbEngineTest, IntervalSyncsByItself) {
  UseBadDisk();
  options_.durability = Durability::kInterval;
  options_.interval_millis = 5;
  auto engine = Open(path());
  ASSERT_TRUE(PutAndWait(*engine, "k", "v").ok());
  EXPECT_EQ(GetOr(*engine, "k", "-"), "v");
  disk_.log_syncs.wait(0);
}

// The file is longer than its records while it grows, so that most syncs need not write a new length; see
// StoreFileSystem.
TEST_F(RocksDbEngineTest, TheLogGrowsInStepsAndIsCutWhenClosed) {
  const auto log_bytes = [&] {
    uintmax_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(path()))
      if (entry.path().extension() == ".log") bytes += entry.file_size();
    return bytes;
  };
  constexpr uintmax_t kStep = 256 << 10;
  {
    auto engine = Open(path());
    ASSERT_TRUE(PutAndWait(*engine, "first", "value").ok());
    const uintmax_t before = log_bytes();
    EXPECT_EQ(before % kStep, 0u);
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(PutAndWait(*engine, fmt::format("k{}", i), "value").ok());
    EXPECT_EQ(log_bytes(), before) << "a small write moved the end of the file";
    ASSERT_TRUE(PutAndWait(*engine, "large", std::string(kStep, 'x')).ok());
    EXPECT_GT(log_bytes(), before);
  }
  EXPECT_NE(log_bytes() % kStep, 0u) << "zeros were left behind the records";
  auto engine = Open(path());
  EXPECT_EQ(GetOr(*engine, "k49", "-"), "value");
  EXPECT_EQ(GetOr(*engine, "large", "-").size(), kStep);
}

TEST_F(RocksDbEngineTest, DamagedBlockIsReportedNotServed) {
  auto engine = Open(path());
  for (int i = 0; i < 2000; ++i) {
    Batch batch;
    batch.Put(fmt::format("k{:05}", i), std::string(100, 'x'));
    CommitOp op;
    op.partition = &engine->system(), op.batch = &batch;
    engine->Commit(op);
  }
  // A checkpoint flushes the memtable, so that the data is in a table file.
  const std::string copy = root_.path() + "/copy";
  ASSERT_TRUE(RunBlocking(engine->Checkpoint(copy)).ok());
  ASSERT_TRUE(engine->Close().ok());
  for (const auto& entry : fs::directory_iterator(copy + "/db")) {
    if (entry.path().extension() != ".sst") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(20000);
    file << "damage";
  }
  auto damaged = Open(copy);
  int corrupt = 0, good = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string value = GetOr(*damaged, fmt::format("k{:05}", i), "-");
    if (value.starts_with("corruption")) ++corrupt;
    else if (value == std::string(100, 'x')) ++good;
  }
  EXPECT_GT(corrupt, 0);
  EXPECT_EQ(corrupt + good, 2000);
}

TEST_F(RocksDbEngineTest, NumbersGoOnAfterAKillAndASplit) {
  auto engine = Open(path());
  const std::string first_key("\x10\0\0\0\0\0\0\0\1", 9), last_key("\x10\xff\xff\xff\xff\xff\xff\xff\xff", 9);
  ASSERT_TRUE(RunBlocking(engine->CreatePartition({.id = 1, .keyspace = 1})).ok());
  auto partition = *RunBlocking(engine->OpenPartitionAt(1, 0));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(PutAndWait(*engine, first_key, "v", partition.get()).ok());
  ASSERT_TRUE(RunBlocking(engine->SplitPartition(1, uint64_t{1} << 63, 2, 3)).ok());
  partition = *RunBlocking(engine->OpenPartitionAt(3, 0));
  ASSERT_TRUE(PutAndWait(*engine, last_key, "v", partition.get()).ok());
  const std::string copy = CopyAsIfKilled("killed");
  engine = Open(copy);
  for (const auto& [id, newest] : {std::pair{1, 3u}, {2, 3u}, {3, 4u}})
    EXPECT_EQ((*RunBlocking(engine->OpenPartitionAt(static_cast<PartitionId>(id), 0)))->newest(), newest) << id;
  EXPECT_EQ(GetOr(*engine, first_key, "-", {}, RunBlocking(engine->OpenPartitionAt(2, 0))->get()), "v");
}

TEST_F(RocksDbEngineTest, DroppedPartitionGivesSpaceBack) {
  options_.memory_bytes = 8 << 20;
  auto engine = Open(path());
  ASSERT_TRUE(RunBlocking(engine->CreatePartition({.id = 1, .keyspace = 1})).ok());
  const auto partition = *RunBlocking(engine->OpenPartitionAt(1, 0));
  for (int i = 0; i < 20000; ++i) {
    Batch batch;
    batch.Put(fmt::format("\x90{:05}", i), std::string(500, static_cast<char>('a' + i % 26)));
    CommitOp op;
    op.partition = partition.get(), op.batch = &batch;
    engine->Commit(op);
    Await(op.done);
    ASSERT_TRUE(op.status.ok());
  }
  ASSERT_TRUE(PutAndWait(*engine, "x", "kept").ok());
  ASSERT_TRUE(RunBlocking(engine->DropPartition(1)).ok());
  ScanOp op;
  EXPECT_EQ(RunScan(*engine, op).rows.size(), 1u);
  ASSERT_TRUE(engine->Close().ok());
  engine = Open(path());
  ScanOp again;
  EXPECT_EQ(RunScan(*engine, again).rows.size(), 1u);
}

}  // namespace
}  // namespace armature::storage
