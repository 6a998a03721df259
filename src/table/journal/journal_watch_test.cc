#include "table/journal/journal_watch.h"

#include <atomic>

#include "table/journal/journal_testing.h"

namespace armature::table {
namespace {

using JournalWatchTest = JournalTest;

TEST_F(JournalWatchTest, WakesWhoWaitsForRecordsOfItsTable) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  TaskPool pool("test", 1);
  JournalWatch watch(*journal_);
  std::atomic<int> runs{0};
  const TaskPool::Handle task = pool.Add([&] {
    if (++runs == 2) return TaskPool::Next::End();
    return TaskPool::Next::WhenWoken();
  });
  while (runs == 0) std::this_thread::yield();
  watch.Await(table, table->journal().records(), pool, task);
  Put(*table, "pk=S:a");
  pool.AwaitEnd(task);
  EXPECT_EQ(runs, 2);
}

// A server that stops has followers that wait: once it waited for them for ever.
TEST_F(JournalWatchTest, EndsThoughSomebodyWaits) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  TaskPool pool("test", 1);
  const TaskPool::Handle task = pool.Add([] { return TaskPool::Next::WhenWoken(); });
  {
    JournalWatch watch(*journal_);
    watch.Await(table, table->journal().records(), pool, task);
  }
  pool.Cancel(task);
}

}  // namespace
}  // namespace armature::table
