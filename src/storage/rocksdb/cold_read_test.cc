// Reads of what is not in memory, beside others of the same thread, on a disk that can be held up.

#include <cerrno>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <sys/uio.h>
#include <unistd.h>

#include "storage/rocksdb/rocksdb_engine.h"
#include "storage/storage_testing.h"
#include "storage/testing/fault_file_system.h"
#include "storage/testing/test_keys.h"

namespace armature::storage {
namespace {

constexpr int kRows = 400;

std::string Key(int number) { return fmt::format("key{:06}", number); }
// Four of them fill a block.
std::string Value(int number) { return fmt::format("{:01000}", number); }

struct ColdReadParam {
  const char* name;
  Durability durability;
  bool is_encrypted = false;
};

class ColdReadTest : public ::testing::TestWithParam<ColdReadParam> {
 protected:
  // What was written is in table files when the store is opened again, and none of it in the cache.
  ColdReadTest() {
    options_.directory = root_.path() + "/data";
    options_.memory_bytes = 16 << 20;
    options_.durability = GetParam().durability;
    if (GetParam().is_encrypted) options_.data_keys = TestKeys();
    options_.env = env_.get();
    engine_ = std::move(*OpenRocksDbEngine(options_, metrics_));
    Batch batch;
    for (int i = 0; i < kRows; ++i) batch.Put(Key(i), Value(i));
    EXPECT_TRUE(CommitAndWait(*engine_, batch).ok());
    OpenAgain();
  }
  ~ColdReadTest() override { faults_.HoldReads(false); }

  void OpenAgain() {
    EXPECT_TRUE(engine_->Close().ok());
    engine_ = std::move(*OpenRocksDbEngine(options_, metrics_));
  }

  // As on a reactor: what has to wait goes on here.
  template <class Body>
  void OnExecutor(Body body) {
    auto task = [&]() -> Task<void> { co_await body(); };
    RunBlocking(task());
  }

  void Start(GetOp& op, const std::string& key) {
    op.partition = &engine_->system(), op.key = key;
    engine_->Get(op);
  }
  void Start(ScanOp& op) {
    op.partition = &engine_->system();
    engine_->Scan(op);
  }
  // Into the cache: outside of an executor a read waits for the disk.
  void Warm(int first, int behind) {
    const std::string begin = Key(first), end = Key(behind);
    ScanOp op;
    op.begin = begin, op.end = end;
    RunScan(*engine_, op);
    EXPECT_EQ(op.rows.size(), static_cast<size_t>(behind - first));
  }
  uint64_t cold_reads() {
    return metrics_.GetCounter("armature_engine_cold_reads_total", "Reads that had to wait for the disk.").value();
  }

  // Whether the file system of the test can be read without waiting.
  bool CanReadNow() const {
    const int file = open((options_.directory + "/FORMAT").c_str(), O_RDONLY | O_CLOEXEC);
    char byte = 0;
    const iovec into{&byte, 1};
    static_cast<void>(pread(file, &byte, 1, 0));
    const bool can = preadv2(file, &into, 1, 0, RWF_NOWAIT) == 1;
    close(file);
    return can;
  }

  static void ExpectRows(const ScanOp& op, int first, int behind) {
    ASSERT_TRUE(op.status.ok()) << op.status.ToString();
    ASSERT_EQ(op.rows.size(), static_cast<size_t>(behind - first));
    for (int i = 0; i < behind - first; ++i) {
      const int number = op.is_reverse ? behind - 1 - i : first + i;
      ASSERT_EQ(op.rows[i].key, Key(number));
      ASSERT_EQ(op.rows[i].value, Value(number));
    }
  }

  TemporaryDirectory root_;
  Faults faults_;
  const std::unique_ptr<rocksdb::Env> env_ = MakeFaultEnv(faults_);
  RocksDbOptions options_;
  Metrics metrics_;
  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Durabilities, ColdReadTest,
                         ::testing::Values(ColdReadParam{"Fsync", Durability::kFsync},
                                           ColdReadParam{"None", Durability::kNone},
                                           ColdReadParam{"Encrypted", Durability::kFsync, true}),
                         [](const auto& of) { return of.param.name; });

TEST_P(ColdReadTest, AHeldGetKeepsNobodyElse) {
  Warm(0, 8);
  OnExecutor([&]() -> Task<void> {
    faults_.HoldReads(true);
    const std::string cold_key = Key(300), warm_key = Key(4), new_key = "new";
    GetOp cold, warm, written;
    Start(cold, cold_key);
    faults_.AwaitHeldReads(1);
    Start(warm, warm_key);
    EXPECT_TRUE(warm.done.finished());
    EXPECT_EQ(warm.value, Value(4));
    EXPECT_TRUE(PutAndWait(*engine_, new_key, "in the memtable").ok());
    Start(written, new_key);
    EXPECT_TRUE(written.done.finished());
    EXPECT_EQ(written.value, "in the memtable");
    EXPECT_FALSE(cold.done.finished());
    faults_.HoldReads(false);
    co_await cold.done;
    EXPECT_TRUE(cold.status.ok() && cold.found);
    EXPECT_EQ(cold.value, Value(300));
    EXPECT_EQ(cold_reads(), 1u);
    GetOp again;
    Start(again, cold_key);
    EXPECT_TRUE(again.done.finished()) << "it is in the cache now";
    EXPECT_EQ(again.value, Value(300));
  });
}

TEST_P(ColdReadTest, WhatIsNotThereNeedsNoDisk) {
  OnExecutor([&]() -> Task<void> {
    const std::string absent = "key000300 but longer";
    GetOp get;
    Start(get, absent);
    co_await get.done;
    EXPECT_TRUE(get.status.ok());
    EXPECT_FALSE(get.found);
  });
  EXPECT_EQ(cold_reads(), 0u) << "filters and indexes are in memory";
}

TEST_P(ColdReadTest, OnlyWhatIsColdOfAMultiGetIsReadAgain) {
  Warm(0, 8);
  OnExecutor([&]() -> Task<void> {
    const std::vector<std::string> keys{Key(1), Key(200), "absent", Key(300), Key(5)};
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    faults_.HoldReads(true);
    MultiGetOp op;
    op.partition = &engine_->system(), op.keys = views;
    engine_->MultiGet(op);
    EXPECT_FALSE(op.done.finished());
    faults_.AwaitHeldReads(1);
    faults_.HoldReads(false);
    co_await op.done;
    EXPECT_TRUE(op.status.ok()) << op.status.ToString();
    EXPECT_EQ(op.entries[0].value, Value(1));
    EXPECT_EQ(op.entries[1].value, Value(200));
    EXPECT_FALSE(op.entries[2].found);
    EXPECT_EQ(op.entries[3].value, Value(300));
    EXPECT_EQ(op.entries[4].value, Value(5));
    op.done.Rearm();
    engine_->MultiGet(op);
    EXPECT_TRUE(op.done.finished());
    EXPECT_EQ(op.entries[3].value, Value(300));
  });
  EXPECT_EQ(cold_reads(), 1u);
}

TEST_P(ColdReadTest, AScanGoesOnWhereTheCacheEnds) {
  Warm(0, 50);
  Warm(350, kRows);
  for (const bool is_reverse : {false, true}) {
    OnExecutor([&]() -> Task<void> {
      faults_.HoldReads(true);
      ScanOp scan, warm;
      scan.is_reverse = warm.is_reverse = is_reverse;
      scan.limit_rows = kRows + 1, warm.limit_rows = 20;
      Start(scan);
      faults_.AwaitHeldReads(1);
      Start(warm);
      EXPECT_TRUE(warm.done.finished());
      ExpectRows(warm, is_reverse ? kRows - 20 : 0, is_reverse ? kRows : 20);
      EXPECT_FALSE(scan.done.finished());
      faults_.HoldReads(false);
      co_await scan.done;
      ExpectRows(scan, 0, kRows);
      EXPECT_FALSE(scan.has_more);
    });
    OpenAgain();
    Warm(0, 50);
    Warm(350, kRows);
  }
}

TEST_P(ColdReadTest, AScanThatIsLimitedEndsThereWhenItGoesOn) {
  Warm(0, 50);
  OnExecutor([&]() -> Task<void> {
    ScanOp scan;
    scan.limit_rows = 70;
    Start(scan);
    co_await scan.done;
    ExpectRows(scan, 0, 70);
    EXPECT_TRUE(scan.has_more);
  });
  EXPECT_EQ(cold_reads(), 1u);
}

// It is one state, also where it was looked for twice.
TEST_P(ColdReadTest, AScanShowsOneState) {
  Warm(0, 50);
  OnExecutor([&]() -> Task<void> {
    faults_.HoldReads(true);
    ScanOp scan;
    scan.at.view = View::kDurable;
    Start(scan);
    faults_.AwaitHeldReads(1);
    Batch batch;
    batch.Put(Key(1), "changed");
    batch.Put(Key(399), "changed");
    EXPECT_TRUE(CommitAndWait(*engine_, batch).ok());
    faults_.HoldReads(false);
    co_await scan.done;
    EXPECT_TRUE(scan.status.ok()) << scan.status.ToString();
    EXPECT_EQ(scan.rows.size(), static_cast<size_t>(kRows));
    EXPECT_EQ(scan.rows[1].value == "changed", scan.rows[399].value == "changed");
  });
}

TEST_P(ColdReadTest, SnapshotsAreReadByThePoolToo) {
  OnExecutor([&]() -> Task<void> {
    const auto snapshot = engine_->TakeSnapshot();
    EXPECT_TRUE(PutAndWait(*engine_, Key(250), "later").ok());
    const std::string key = Key(250);
    GetOp op;
    op.at.snapshot = snapshot.get();
    Start(op, key);
    co_await op.done;
    EXPECT_EQ(op.value, Value(250));
  });
  EXPECT_EQ(cold_reads(), 1u);
}

TEST_P(ColdReadTest, AFailedReadIsToldAsWithoutThePool) {
  const std::string key = Key(200);
  const std::vector<std::string_view> keys{key};
  GetOp plain;
  faults_.Arm(FileCall::kRead, 1, UINT64_MAX, EIO);
  Start(plain, key);
  ASSERT_TRUE(plain.done.finished());
  ASSERT_EQ(plain.status.code(), StatusCode::kIoError);
  OnExecutor([&]() -> Task<void> {
    GetOp get;
    Start(get, key);
    co_await get.done;
    EXPECT_EQ(get.status.ToString(), plain.status.ToString());
    ScanOp scan;
    Start(scan);
    co_await scan.done;
    EXPECT_EQ(scan.status.code(), StatusCode::kIoError);
    MultiGetOp many;
    many.partition = &engine_->system(), many.keys = keys;
    engine_->MultiGet(many);
    co_await many.done;
    EXPECT_EQ(many.status.code(), StatusCode::kIoError);
    faults_.Disarm();
    GetOp again;
    Start(again, key);
    co_await again.done;
    EXPECT_EQ(again.value, Value(200)) << "a refusal leaves nothing behind";
  });
}

TEST_P(ColdReadTest, CloseWaitsForAReadUnderWayAndRefusesThoseBehindIt) {
  constexpr int kReads = 40;  // more than there are threads
  OnExecutor([&]() -> Task<void> {
    faults_.HoldReads(true);
    std::vector<std::string> keys;
    for (int i = 0; i < kReads; ++i) keys.push_back(Key(8 + 9 * i));
    std::vector<GetOp> ops(kReads);
    for (int i = 0; i < kReads; ++i) Start(ops[i], keys[i]);
    faults_.AwaitHeldReads(8);
    std::thread closing([&] { EXPECT_TRUE(engine_->Close().ok()); });
    // Until the store refuses what comes.
    for (GetOp late; late.status.code() != StatusCode::kUnavailable; std::this_thread::yield()) {
      late.done.Rearm();
      late.partition = &engine_->system(), late.key = "absent";
      engine_->Get(late);
    }
    faults_.HoldReads(false);
    int found = 0;
    for (int i = 0; i < kReads; ++i) {
      co_await ops[i].done;
      if (ops[i].status.ok()) EXPECT_EQ(ops[i].value, Value(8 + 9 * i));
      else EXPECT_EQ(ops[i].status.code(), StatusCode::kUnavailable) << ops[i].status.ToString();
      found += ops[i].status.ok();
    }
    closing.join();
    EXPECT_EQ(found, 8) << "those under way";
  });
}

// What the operating system has in memory is read at once, where it can be asked for that; but not much of it, so that
// a scan does not keep the thread.
TEST_P(ColdReadTest, TheSystemsCacheIsAskedToo) {
  options_.env = nullptr;
  OpenAgain();
  OnExecutor([&]() -> Task<void> {
    const std::string key = Key(200);
    GetOp get;
    Start(get, key);
    EXPECT_EQ(get.done.finished(), CanReadNow());
    co_await get.done;
    EXPECT_EQ(get.value, Value(200));
    const uint64_t before = cold_reads();
    EXPECT_EQ(before, CanReadNow() ? 0 : 1);
    ScanOp scan;
    Start(scan);
    co_await scan.done;
    ExpectRows(scan, 0, kRows);
    EXPECT_EQ(cold_reads(), before + 1);
  });
}

// More reads than may wait: the others are done where they are asked for, none is lost.
TEST_P(ColdReadTest, NoneIsLostWhenTooManyAreCold) {
  constexpr int kReads = 3000;
  OnExecutor([&]() -> Task<void> {
    std::vector<std::string> keys;
    for (int i = 0; i < kReads; ++i) keys.push_back(Key(i % kRows));
    std::vector<GetOp> ops(kReads);
    for (int i = 0; i < kReads; ++i) Start(ops[i], keys[i]);
    for (int i = 0; i < kReads; ++i) {
      co_await ops[i].done;
      EXPECT_EQ(ops[i].value, Value(i % kRows));
    }
  });
}

}  // namespace
}  // namespace armature::storage
