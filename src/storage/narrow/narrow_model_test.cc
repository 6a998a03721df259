// Random commits over three partitions of a narrow engine that fences, doubts, forgets and crashes, against a model of
// the rules of engine.h.

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/metrics.h"
#include "storage/memory/memory_engine.h"
#include "storage/narrow/narrow_engine.h"
#include "storage/storage_testing.h"

namespace armature::storage {
namespace {

using Rows = std::map<std::string, std::string>;

// One partition as a careful owner sees it.
class ModelPartition {
 public:
  ModelPartition(NarrowEngine& engine, PartitionId id, uint32_t seed) : engine_(engine), id_(id), random_(seed) {
    EXPECT_TRUE(RunBlocking(engine_.CreatePartition({.id = id, .keyspace = id, .epoch = 1})).ok());
    Open();
  }

  void Step() {
    switch (random_() % 8) {
      case 0: CheckReads(); break;
      case 1: Wait(); break;
      default: Commit(); break;
    }
    if (!handle_->is_alive()) {
      ++epoch_;
      Open();
    }
  }
  // After a crash, under the epoch it has.
  void Open() {
    auto opened = RunBlocking(engine_.OpenPartitionAt(id_, epoch_));
    ASSERT_TRUE(opened.has_value()) << opened.error().ToString();
    handle_ = *opened;
    ASSERT_EQ(handle_->opened_at(), handle_->newest());
    ASSERT_GE(handle_->opened_at(), acknowledged_) << "what was durable is lost";
    ASSERT_LE(handle_->opened_at(), history_.empty() ? acknowledged_ : history_.rbegin()->first);
    // Of what survived nothing is missing in between: what it left behind says so.
    history_.erase(history_.upper_bound(handle_->opened_at()), history_.end());
    marks_.clear();
    acknowledged_ = handle_->opened_at();
    ASSERT_EQ(ScanAll(View::kDurable), StateAt(handle_->opened_at()));
    ASSERT_EQ(ScanAll(View::kLatest), StateAt(handle_->opened_at()));
  }
  int faults(StatusCode code) { return faults_[code]; }

 private:
  void Commit() {
    Batch batch;
    Rows state = StateAt(handle_->newest());
    for (unsigned n = 1 + random_() % 3; n-- > 0;) {
      const std::string key = Key(random_() % 12);
      if (random_() % 3 == 0) {
        batch.Delete(key);
        state.erase(key);
      } else {
        state[key] = std::to_string(++writes_);
        batch.Put(key, state[key]);
      }
    }
    Sequence number = handle_->newest();
    for (unsigned n = random_() % 3; n-- > 0;) {
      const std::string value = std::to_string(++writes_), prefix = Key(kNumberedHash);
      std::string key = prefix;
      AppendBigEndian(key, ++number);
      batch.PutNumbered(prefix, value);
      state[key] = value;
    }
    const Sequence expected = handle_->newest() + batch.numbers();
    CommitOp op;
    op.partition = handle_.get(), op.batch = &batch;
    engine_.Commit(op);
    Await(op.done);
    ++faults_[op.status.code()];
    if (op.status.ok() || op.status.code() == StatusCode::kUnknown) {
      ASSERT_EQ(op.sequence, expected);
      history_[op.sequence] = state;
      if (op.status.ok()) marks_[op.sequence] = op.mark;
    } else {
      ASSERT_TRUE(op.status.code() == StatusCode::kFenced || op.status.code() == StatusCode::kBusy);
    }
    if (op.status.ok() && handle_->is_alive()) {
      const Rows latest = ScanAll(View::kLatest);
      if (handle_->is_alive()) { ASSERT_EQ(latest, state); }
    }
  }

  void Wait() {
    if (marks_.empty()) return;
    auto waited = marks_.begin();
    std::advance(waited, random_() % marks_.size());
    DurableOp op;
    op.partition = handle_.get(), op.mark = waited->second;
    engine_.WhenDurable(op);
    Await(op.done);
    if (op.status.ok()) {
      acknowledged_ = std::max(acknowledged_, waited->first);
    } else {
      ++faults_[op.status.code()];
      ASSERT_TRUE(op.status.code() == StatusCode::kUnknown || op.status.code() == StatusCode::kFenced);
      ASSERT_FALSE(handle_->is_alive());
      // Definitely not done, and so nothing behind it.
      if (op.status.code() == StatusCode::kFenced) history_.erase(history_.find(waited->first), history_.end());
    }
  }

  // What is durable is a state that was there, no older than what was acknowledged, and never runs backwards.
  void CheckReads() {
    const Rows durable = ScanAll(View::kDurable);
    if (!handle_->is_alive()) return;
    bool is_known = false;
    for (auto entry = history_.rbegin(); entry != history_.rend() && entry->first >= acknowledged_ && !is_known;
         ++entry)
      is_known = entry->second == durable;
    ASSERT_TRUE(is_known || durable == StateAt(acknowledged_));
  }

  Rows StateAt(Sequence sequence) const {
    const auto found = history_.find(sequence);
    return found == history_.end() ? Rows() : found->second;
  }

  Rows ScanAll(View view) {
    ScanOp op;
    op.partition = handle_.get(), op.begin = "\x10", op.at.view = view, op.is_reverse = random_() % 2 == 0;
    RunScan(engine_, op);
    Rows rows;
    for (const auto& row : op.rows) rows.emplace(row.key, row.value);
    return rows;
  }

  static std::string Key(uint64_t hash) {
    std::string key = "\x10";
    AppendBigEndian(key, hash);
    return key;
  }
  static constexpr uint64_t kNumberedHash = 100;

  NarrowEngine& engine_;
  const PartitionId id_;
  std::mt19937 random_;
  std::shared_ptr<OpenPartition> handle_;
  Epoch epoch_ = 1;
  std::map<Sequence, Rows> history_;  // what is there with the commit that has this number
  std::map<Sequence, Mark> marks_;    // of the present handle
  Sequence acknowledged_ = 0;
  int writes_ = 0;
  std::map<StatusCode, int> faults_;
};

TEST(NarrowModelTest, NothingDurableIsLostAndNothingIsKeptOutOfOrder) {
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Metrics metrics;
    const auto engine = OpenNarrowEngine(
        OpenMemoryEngine(metrics),
        {.seed = seed, .slowest_micros = 50, .faults = {.fence = 0.02, .unknown = 0.02, .doubt = 0.02, .busy = 0.02}});
    std::vector<std::unique_ptr<ModelPartition>> partitions;
    for (PartitionId id = 1; id <= 3; ++id)
      partitions.push_back(std::make_unique<ModelPartition>(*engine, id, seed * 10 + static_cast<uint32_t>(id)));
    for (int round = 0; round < 5 && !::testing::Test::HasFatalFailure(); ++round) {
      std::vector<std::thread> owners;
      for (const auto& partition : partitions)
        owners.emplace_back([&partition] {
          for (int step = 0; step < 100 && !::testing::Test::HasFatalFailure(); ++step) partition->Step();
        });
      for (std::thread& owner : owners) owner.join();
      engine->Crash();
      for (const auto& partition : partitions) partition->Open();
    }
    int unknown = 0, fenced = 0, busy = 0;
    for (const auto& partition : partitions) {
      unknown += partition->faults(StatusCode::kUnknown);
      fenced += partition->faults(StatusCode::kFenced);
      busy += partition->faults(StatusCode::kBusy);
    }
    EXPECT_GT(unknown, 0);
    EXPECT_GT(fenced, 0);
    EXPECT_GT(busy, 0);
    EXPECT_TRUE(engine->Close().ok());
  }
}

}  // namespace
}  // namespace armature::storage
