// ContractTest: the fixture of the tests that run the rules of engine.h against every engine.
//
// Test support only; not linked into the server.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/metrics.h"
#include "storage/engine.h"
#include "storage/rocksdb/setup/rocksdb_options.h"
#include "storage/storage_testing.h"

namespace armature::storage {

struct EngineKind {
  std::string name;
  std::function<std::unique_ptr<Engine>(const std::string& directory, Metrics& metrics)> open;
};

// Every engine there is, in every form in which it keeps its promises differently.
std::vector<EngineKind> EngineKinds();

std::unique_ptr<Engine> OpenRocks(const std::string& directory, Metrics& metrics, Durability durability,
                                  MemtableKind memtable = MemtableKind::kLinked,
                                  std::shared_ptr<DataKeys> data_keys = nullptr);

class ContractTest : public ::testing::TestWithParam<EngineKind> {
 protected:
  void SetUp() override { Open(); }
  void TearDown() override {
    if (!engine_) return;
    EXPECT_TRUE(engine_->Close().ok());
  }
  void Open() { engine_ = GetParam().open(directory_.path(), metrics_); }

  void Put(std::string_view key, std::string_view value) {
    Batch batch;
    batch.Put(key, value);
    EXPECT_TRUE(CommitAndWait(*engine_, batch).ok());
  }
  std::string Read(std::string_view key, ReadAt at = {}) { return GetOr(*engine_, key, "-", at); }
  std::string ScanKeys(std::string_view begin, std::string_view end, bool is_reverse = false, ReadAt at = {}) {
    ScanOp op;
    op.begin = begin, op.end = end, op.is_reverse = is_reverse, op.at = at;
    return Join(RunScan(*engine_, op));
  }
  // A key that belongs to a hash, in the space of items unless told.
  static std::string KeyOf(uint64_t hash, std::string_view rest = {}, std::string_view front = "\x10") {
    std::string key(front);
    AppendBigEndian(key, hash);
    return key.append(rest);
  }
  std::shared_ptr<OpenPartition> OpenAt(PartitionId id, Epoch epoch) {
    auto opened = RunBlocking(engine_->OpenPartitionAt(id, epoch));
    EXPECT_TRUE(opened.has_value()) << (opened ? "" : opened.error().ToString());
    return opened ? *opened : nullptr;
  }
  std::shared_ptr<OpenPartition> Make(const PartitionInfo& info) {
    EXPECT_TRUE(RunBlocking(engine_->CreatePartition(info)).ok());
    return OpenAt(info.id, info.epoch);
  }
  Status PutIn(OpenPartition& partition, std::string_view key, std::string_view value) {
    return PutAndWait(*engine_, key, value, &partition);
  }
  std::string ReadIn(const OpenPartition& partition, std::string_view key, ReadAt at = {}) {
    return GetOr(*engine_, key, "-", at, &partition);
  }
  // The values of the rows, in their order.
  std::string ScanIn(const OpenPartition& partition, std::string_view begin, std::string_view end = {},
                     bool is_reverse = false) {
    ScanOp op;
    op.partition = &partition, op.begin = begin, op.end = end, op.is_reverse = is_reverse, op.at.view = View::kLatest;
    RunScan(*engine_, op);
    if (!op.status.ok()) return std::string(StatusCodeName(op.status.code()));
    std::string text;
    for (const auto& row : op.rows) text += std::string(row.value) + ';';
    return text;
  }
  Sequence CommitIn(OpenPartition& partition, const Batch& batch) {
    CommitOp op;
    op.partition = &partition, op.batch = &batch;
    engine_->Commit(op);
    Await(op.done);
    EXPECT_TRUE(op.status.ok()) << op.status.ToString();
    return op.sequence;
  }

  // A row of hash 1, and what it counts.
  static Batch Counting(uint32_t slot, int64_t rows, int64_t bytes) {
    Batch batch;
    batch.Put(KeyOf(1), "");
    batch.Count(slot, rows, bytes);
    return batch;
  }
  // By slot.
  static std::string CountsOf(const OpenPartition& partition) {
    std::string text;
    partition.counts().ForEach([&](uint32_t slot, const RowCount& count) {
      EXPECT_EQ(partition.count(slot), count);
      text += fmt::format("{}: {} of {};", slot, count.rows, count.bytes);
    });
    return text;
  }

  static std::string Join(const ScanOp& op) {
    EXPECT_TRUE(op.status.ok()) << op.status.ToString();
    std::string text;
    for (const auto& row : op.rows) text += fmt::format("{}={};", row.key, row.value);
    return text;
  }

  TemporaryDirectory directory_;
  Metrics metrics_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace armature::storage
