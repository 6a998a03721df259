// Random writes against a plain model, with crashes: what was acknowledged, read or revealed is there afterwards, and
// the state after a crash is one that the history of commits really passed through.
//
// Everything runs on one thread and from one seed, so a failure repeats; the seed is in the test's name.
#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "table/table_testing.h"
#include "table/write/write_path.h"

namespace armature::table {
namespace {

constexpr size_t kKeys = 5;
constexpr size_t kWriters = 6;

// The value of attribute n per key; a missing key is a missing item.
using State = std::map<std::string, int64_t>;

std::string ShowItem(const State& state, const std::string& key) {
  const auto it = state.find(key);
  return it == state.end() ? "(none)" : fmt::format("n=N:{},pk=S:{}", it->second, key);
}

class WriteModelTest : public testing::TestWithParam<uint32_t> {
 protected:
  size_t Pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }
  std::string PickKey() { return fmt::format("k{}", Pick(kKeys)); }

  // One random write. The model is changed in the same step as the engine: on one thread nothing comes between.
  Task<void> WriteOnce(bool& busy) {
    busy = true;
    const std::string key = PickKey();
    const std::string key_text = "pk=S:" + key;
    const int64_t fresh = ++counter_;
    const std::string value = fmt::format("N:{}", fresh);
    const auto old = latest_.find(key);
    const bool exists = old != latest_.end();
    const std::string seen = fmt::format("N:{}", exists && Pick(2) == 0 ? old->second : int64_t{-1});

    std::unique_ptr<TestWrite> write;
    State next = latest_;
    bool holds = true;
    switch (Pick(6)) {
      case 0:
        write = TestWrite::Put(*table_, fmt::format("{},n={}", key_text, value));
        next[key] = fresh;
        break;
      case 1:
        write = TestWrite::Put(*table_, fmt::format("{},n={}", key_text, value), "attribute_not_exists(pk)");
        holds = !exists;
        next[key] = fresh;
        break;
      case 2:
        write = TestWrite::Update(*table_, key_text, "ADD n :one", {}, {{":one", "N:1000000"}});
        next[key] = (exists ? old->second : 0) + 1000000;
        break;
      case 3:
        write = TestWrite::Update(*table_, key_text, "SET n = :v", "n = :seen", {{":v", value}, {":seen", seen}});
        holds = exists && seen == fmt::format("N:{}", old->second);
        next[key] = fresh;
        break;
      case 4:
        write = TestWrite::Delete(*table_, key_text);
        next.erase(key);
        break;
      default:
        write = TestWrite::Delete(*table_, key_text, "n = :seen", {{":seen", seen}});
        holds = exists && seen == fmt::format("N:{}", old->second);
        next.erase(key);
        break;
    }
    const std::string expected_old = ShowItem(latest_, key);
    if (holds && next != latest_) {
      latest_ = next;
      history_.push_back(next);
    }
    const size_t revealed = history_.size() - 1;  // whatever the answer is, it tells of this state
    const std::string outcome = co_await write->Execute(layer_->writes);
    busy = false;
    if (outcome == "ServiceUnavailableException") co_return;  // the crash
    EXPECT_EQ(outcome, holds ? "ok" : "condition");
    EXPECT_EQ(write->old_item(), expected_old);
    promised_ = std::max(promised_, revealed);
    ++answered_;
  }

  // A reader sees a state that is promised from then on.
  void ReadAll() {
    State seen;
    for (size_t i = 0; i < kKeys; ++i) {
      const std::string key = fmt::format("k{}", i);
      const std::string item = ReadItem(layer_->reads, *table_, "pk=S:" + key);
      if (item != "(none)") seen[key] = std::stoll(item.substr(4));  // "n=N:7,pk=S:k0"
    }
    for (size_t i = promised_; i < history_.size(); ++i) {
      if (history_[i] != seen) continue;
      promised_ = i;
      return;
    }
    ADD_FAILURE() << "readers see a state that never was, or was promised to be over";
  }

  void CrashAndRestart() {
    engine_->Crash();
    executor_.RunQueued();
    engine_->SetAutoSync(true);
    layer_ = std::make_unique<TableLayer>(*engine_, clock_);
    ASSERT_TRUE(RunBlocking(layer_->catalog.Load()).ok());
    table_ = layer_->catalog.Find(kScope, "T");
    ASSERT_TRUE(table_);
    engine_->SetAutoSync(false);
    ReadAll();  // fails if what was promised is gone
    latest_ = history_[promised_];
    history_ = {latest_};
    promised_ = 0;
  }

  std::mt19937 random_{GetParam()};
  Metrics metrics_;
  std::unique_ptr<storage::FaultyEngine> engine_ = storage::OpenFaultyEngine({}, metrics_);
  ManualClock clock_;
  std::unique_ptr<TableLayer> layer_ = std::make_unique<TableLayer>(*engine_, clock_);
  std::shared_ptr<Table> table_ = layer_->CreateTable("T");
  StepExecutor executor_;

  State latest_;
  std::vector<State> history_{State{}};  // every state since the last crash
  size_t promised_ = 0;                  // the newest of them that somebody was told of
  int64_t counter_ = 0;
  size_t answered_ = 0;
};

TEST_P(WriteModelTest, NoPromiseIsBroken) {
  engine_->SetAutoSync(false);
  std::array<bool, kWriters> busy{};
  size_t crashes = 0;
  for (int step = 0; step < 3000; ++step) {
    const size_t choice = Pick(100);
    if (choice < 70) {
      const size_t writer = Pick(kWriters);
      if (!busy[writer]) executor_.Start(WriteOnce(busy[writer]));
    } else if (choice < 85) {
      ASSERT_TRUE(engine_->Sync().ok());
      executor_.RunQueued();
    } else if (choice < 97) {
      ReadAll();
    } else {
      CrashAndRestart();
      ++crashes;
    }
    if (HasFailure()) FAIL() << "at step " << step;
  }
  ASSERT_TRUE(engine_->Sync().ok());
  executor_.RunQueued();
  for (const bool is_busy : busy) EXPECT_FALSE(is_busy) << "a reply was never given";
  ReadAll();
  EXPECT_EQ(history_[promised_], latest_);
  EXPECT_GT(answered_, 500u);
  EXPECT_GT(crashes, 20u);
}

INSTANTIATE_TEST_SUITE_P(Seed, WriteModelTest, testing::Range(1u, 9u));

}  // namespace
}  // namespace armature::table
