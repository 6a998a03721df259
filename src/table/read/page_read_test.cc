#include "table/read/page_read.h"

#include <array>
#include <atomic>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/tasks/work_meter.h"
#include "storage/testing/test_engine.h"
#include "table/keys/keyspace.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

class PageReadTest : public testing::Test {
 protected:
  // Counts rows, and what the others on the reactor got to do before the first and the last of them.
  struct Sink final : RowSink {
    void Row(model::Item) override {
      if (rows++ == 0) turns_at_first = turns->load();
      turns_at_last = turns->load();
      WorkMeter::Add(extra_work);
    }
    const std::atomic<int>* turns = nullptr;
    size_t extra_work = 0;
    int rows = 0;
    int turns_at_first = 0;
    int turns_at_last = 0;
    int turns_in_all = 0;
  };

  Task<void> ReadAll(Sink& sink, std::atomic<int>& turns, std::atomic<bool>& is_done) {
    turns = 0;
    Arena arena;
    PageRead page;
    const auto schema = table_->schema();
    page.table = table_.get();
    page.keyspace = &schema->items();
    page.partitions = &table_->partitions();
    page.range = AllRows(schema->items());
    page.sink = &sink;
    page.filter = filter_;
    if (fetches_items_) page.fetch_from = &schema->items();
    const auto read = co_await ReadPage(*engine_, page, arena);
    EXPECT_TRUE(read);
    is_done = true;
  }
  // Somebody else on the same reactor, who wants little but often.
  static Task<void> TakeTurns(std::atomic<int>& turns, const std::atomic<bool>& is_done) {
    while (!is_done) {
      ++turns;
      co_await SwitchTo{*Executor::Current()};
    }
  }
  Sink Run(size_t extra_work) {
    Sink sink;
    std::atomic<int> turns{0};
    std::atomic<bool> is_done{false};
    sink.turns = &turns;
    sink.extra_work = extra_work;
    ThreadExecutor executor;
    // First, so that somebody is there when the reader gives way; turns count from its beginning.
    executor.Spawn(TakeTurns(turns, is_done));
    executor.Spawn(ReadAll(sink, turns, is_done));
    executor.WaitIdle();
    sink.turns_in_all = turns;
    return sink;
  }
  void Fill(int count, size_t bytes) {
    const std::string text(bytes, 'x');
    for (int i = 0; i < count; ++i)
      EXPECT_EQ(RunBlocking(TestWrite::Put(*table_, fmt::format("pk=S:{},t=S:{}", i, text))->Execute(layer_.writes)),
                "ok");
  }

  // OR of so many searches for `wanted` in the text.
  void FilterBySearches(size_t count, std::string_view wanted) {
    static const expr::PathElement kText{.name = "t"};
    wanted_ = model::Value::String(wanted);
    operands_ = {expr::Operand{.kind = expr::Operand::Kind::kPath, .path = {&kText, 1}},
                 expr::Operand{.kind = expr::Operand::Kind::kValue, .value = &wanted_}};
    contains_ = {.op = expr::ConditionOp::kContains, .operands = operands_};
    searches_.assign(count, &contains_);
    any_ = {.op = expr::ConditionOp::kOr, .children = searches_};
    filter_ = &any_;
  }

  model::Value wanted_;
  std::array<expr::Operand, 2> operands_;
  expr::ConditionNode contains_, any_;
  std::vector<const expr::ConditionNode*> searches_;
  const expr::ConditionNode* filter_ = nullptr;
  bool fetches_items_ = false;
  Metrics metrics_;
  ManualClock clock_;
  std::unique_ptr<storage::Engine> engine_ = storage::MakeTestEngine(metrics_);
  TableLayer layer_{*engine_, clock_};
  std::shared_ptr<Table> table_ = layer_.CreateTable("T");
};

TEST_F(PageReadTest, ALongPageLetsOthersHaveTheReactor) {
  Fill(90, 10'000);
  const Sink sink = Run(0);
  EXPECT_EQ(sink.rows, 90);
  EXPECT_GE(sink.turns_at_last - sink.turns_at_first, 5) << "what is read from the engine counts, too";
}

TEST_F(PageReadTest, SoDoesAPageWhoseItemsAreFetched) {
  Fill(3000, 10);
  fetches_items_ = true;
  const Sink sink = Run(0);
  EXPECT_EQ(sink.rows, 3000);
  EXPECT_GE(sink.turns_at_last - sink.turns_at_first, 3);
}

TEST_F(PageReadTest, RowsThatAreExpensiveToLookAtDoSoOneByOne) {
  Fill(20, 10);
  const Sink sink = Run(WorkMeter::kTurn);
  EXPECT_EQ(sink.rows, 20);
  EXPECT_GE(sink.turns_at_last - sink.turns_at_first, 15);
}

TEST_F(PageReadTest, AFilterThatTakesLongLetsOthersHaveTheReactorWithinARow) {
  Fill(2, 300'000);
  FilterBySearches(100, "xy");
  const Sink dropped = Run(0);
  EXPECT_EQ(dropped.rows, 0);
  EXPECT_GE(dropped.turns_in_all, 100);
}

TEST_F(PageReadTest, AFilterDropsRowsLargeAndSmall) {
  Fill(3, 300'000);
  FilterBySearches(2, "xxx");
  EXPECT_EQ(Run(0).rows, 3);
  FilterBySearches(2, "xy");
  EXPECT_EQ(Run(0).rows, 0);
  Fill(3, 10);  // the same keys
  EXPECT_EQ(Run(0).rows, 0);
  FilterBySearches(2, "xxx");
  EXPECT_EQ(Run(0).rows, 3);
}

TEST_F(PageReadTest, AShortPageIsReadInOneGo) {
  Fill(20, 10);
  const Sink sink = Run(0);
  EXPECT_EQ(sink.rows, 20);
  EXPECT_EQ(sink.turns_at_last, sink.turns_at_first);
}

}  // namespace
}  // namespace armature::table
