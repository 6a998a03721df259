// A follower against the table: whatever crashes, overtakes or splits, a reader that keeps a cursor per lane and
// applies every record once ends with the table's items, and every record fits on the one before it.
#include <map>
#include <random>
#include <set>

#include "model/codec/item_codec.h"
#include "storage/engine_calls.h"
#include "table/journal/journal_testing.h"
#include "table/keys/key_layout.h"
#include "table/partition/row_scan.h"

namespace armature::table {
namespace {

// What a consumer of the stream knows. Survives crashes of the server: it was told nothing that can be taken back.
class Replica {
 public:
  // Reads every lane that may be read: those whose parent is done.
  void CatchUp(Journal& journal, const Table& table, size_t page_size) {
    for (bool is_progress = true; is_progress;) {
      is_progress = false;
      const auto state = table.journal().state();
      ASSERT_EQ(state->streams.size(), 1u);
      for (const Lane* lane : state->LanesOf(state->streams.front())) {
        if (done_.contains(lane->id)) continue;
        if (lane->parent != 0 && !done_.contains(lane->parent)) continue;
        Arena arena;
        const Position from = std::max(next_[lane->id], lane->first);
        auto page = RunBlocking(journal.Read(table, lane->id, from, {page_size, 1 << 20}, model::kBothImages, arena));
        ASSERT_TRUE(page.has_value()) << page.error().ToString();
        ASSERT_FALSE(page->was_trimmed);
        for (const auto& record : page->records) Apply(record);
        next_[lane->id] = page->next;
        if (page->is_done) done_.insert(lane->id);
        is_progress = is_progress || page->is_done || !page->is_caught_up || !page->records.empty();
      }
    }
  }

  const std::map<std::string, std::string>& items() const { return items_; }
  size_t applied() const { return applied_; }

 private:
  void Apply(const model::ChangeRecord& record) {
    const std::string key = expr::Show(record.keys);
    const std::string old_image = record.has_old ? expr::Show(record.old_image) : "";
    EXPECT_EQ(items_.contains(key) ? items_[key] : "", old_image) << "at " << record.position << " of " << key;
    EXPECT_EQ(record.kind == model::ChangeRecord::Kind::kInsert, !record.has_old);
    EXPECT_EQ(record.kind == model::ChangeRecord::Kind::kRemove, !record.has_new);
    EXPECT_TRUE(ids_.insert({record.event_id[0], record.event_id[1]}).second) << "the same event twice";
    EXPECT_GT(record.position, last_[key]) << "the numbers of an item rise";
    last_[key] = record.position;
    if (record.has_new) items_[key] = expr::Show(record.new_image);
    else items_.erase(key);
    ++applied_;
  }

  std::map<std::string, std::string> items_;
  std::map<std::string, Position> last_;
  std::map<LaneId, Position> next_;
  std::set<LaneId> done_;
  std::set<std::pair<uint64_t, uint64_t>> ids_;
  size_t applied_ = 0;
};

std::map<std::string, std::string> ItemsOf(storage::Engine& engine, const Table& table) {
  std::map<std::string, std::string> items;
  Arena arena;
  RowScan rows(table.partitions(), AllRows(ItemsKeyspace(*table.def())), {});
  while (!rows.at_end()) {
    storage::ScanOp& scan = rows.Prepare(SIZE_MAX, SIZE_MAX);
    EXPECT_TRUE(RunBlocking([](storage::Engine& in, storage::ScanOp& op) -> Task<Status> {
                  co_return co_await storage::Run(in, op);
                }(engine, scan))
                    .ok());
    for (const auto& row : scan.rows) {
      const auto decoded = model::DecodeItem(row.value, arena);
      EXPECT_TRUE(decoded.has_value());
      for (const auto& entry : decoded->item)
        if (entry.name == "pk") items["pk=" + expr::Show(entry.value)] = expr::Show(decoded->item);
    }
    rows.Advance();
  }
  return items;
}

std::unique_ptr<TestWrite> RandomWrite(Table& table, std::mt19937& random, int keys) {
  const auto pick = [&](int count) { return std::uniform_int_distribution<int>(0, count - 1)(random); };
  const std::string key = fmt::format("pk=S:k{}", pick(keys));
  switch (pick(5)) {
    case 0: return TestWrite::Delete(table, key);
    case 1: return TestWrite::Put(table, fmt::format("{},n=N:{}", key, pick(3)));
    case 2: return TestWrite::Put(table, key + ",n=N:1", "attribute_not_exists(pk)");
    default: return TestWrite::Update(table, key, "ADD n :one", {}, {{":one", "N:1"}});
  }
}

class OnDiskJournalModelTest : public JournalTest, public testing::WithParamInterface<uint32_t> {};

TEST_P(OnDiskJournalModelTest, AReplicaSurvivesCrashes) {
  std::mt19937 random(GetParam());
  const auto pick = [&](size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); };
  CreateStream("t", "NEW_AND_OLD_IMAGES");
  Replica replica;
  for (int life = 0; life < 8; ++life) {
    auto table = Find("t");
    {
      StepExecutor executor;
      std::vector<std::unique_ptr<TestWrite>> writes;
      std::vector<std::unique_ptr<std::string>> outcomes;
      disk().SetAutoSync(false);
      const size_t steps = 20 + pick(40);
      for (size_t step = 0; step < steps; ++step) {
        switch (pick(8)) {
          case 0:
            EXPECT_TRUE(disk().Sync().ok());
            executor.RunQueued();
            break;
          case 1:
            EXPECT_TRUE(disk().Sync().ok());
            executor.RunQueued();
            replica.CatchUp(*journal_, *table, 1 + pick(5));
            break;
          case 2: {
            disk().SetAutoSync(true);
            const auto state = table->journal().state();
            EXPECT_TRUE(EndLane(*journal_, table, state->lanes.back().id, pick(2) == 0).ok());
            disk().SetAutoSync(false);
            break;
          }
          default:
            writes.push_back(RandomWrite(*table, random, 4));
            outcomes.push_back(std::make_unique<std::string>());
            executor.Start(writes.back()->ExecuteInto(layer_->writes, *outcomes.back()));
        }
      }
      disk().Crash();  // whoever waits is told
      executor.RunQueued();
    }
    table.reset();
    disk().SetAutoSync(true);
    Restart();
    table = Find("t");
    replica.CatchUp(*journal_, *table, 3);
    ASSERT_EQ(replica.items(), ItemsOf(*engine_, *table)) << "life " << life;
  }
  EXPECT_GT(replica.applied(), 50u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, OnDiskJournalModelTest, testing::Range(1u, 13u));

class JournalRaceTest : public JournalTest, public testing::WithParamInterface<bool> {
 protected:
  JournalRaceTest() : JournalTest({true, GetParam()}) {}
};

TEST_P(JournalRaceTest, AReplicaFollowsManyWritersThroughSplits) {
  constexpr int kWriters = 4, kWrites = 300;
  const auto table = CreateStream("t", "NEW_AND_OLD_IMAGES");
  std::atomic<int> running{kWriters};
  const auto write_many = [&](uint32_t seed) -> Task<void> {
    std::mt19937 random(seed);
    for (int i = 0; i < kWrites; ++i) {
      auto write = RandomWrite(*table, random, 6);
      const std::string outcome = co_await write->Execute(layer_->writes);
      EXPECT_TRUE(outcome == "ok" || outcome == "condition") << outcome;
    }
    --running;
  };
  std::vector<std::unique_ptr<ThreadExecutor>> executors;
  for (uint32_t i = 0; i < kWriters; ++i) {
    executors.push_back(std::make_unique<ThreadExecutor>());
    executors.back()->Spawn(write_many(i + 1));
  }
  Replica replica;
  int splits = 0;
  while (running > 0) {
    replica.CatchUp(*journal_, *table, 7);
    if (splits < 12) {
      const auto state = table->journal().state();
      LaneId open = 0;
      for (const Lane& lane : state->lanes)
        if (lane.is_open() && (open == 0 || splits % 2 == 0)) open = lane.id;
      EXPECT_TRUE(EndLane(*journal_, table, open, splits % 3 != 0).ok());
      ++splits;
    }
  }
  for (auto& executor : executors) executor->WaitIdle();
  replica.CatchUp(*journal_, *table, 7);
  EXPECT_EQ(replica.items(), ItemsOf(*engine_, *table));
  EXPECT_EQ(replica.applied(), table->journal().records());
  EXPECT_GT(splits, 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, JournalRaceTest, testing::Bool());

}  // namespace
}  // namespace armature::table
