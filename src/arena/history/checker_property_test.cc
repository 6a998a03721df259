// The checkers against histories of a table that does everything right, which they must accept, and against the same
// histories with one thing made wrong, which they must not.
#include <gtest/gtest.h>

#include "arena/history/history_testing.h"
#include "arena/history/linearizability.h"
#include "arena/history/serializability.h"

namespace armature::arena {
namespace {

Findings CheckAll(const LegalTable& table) {
  StreamVerdict stream = CheckStream(table.history, table.records, table.items);
  Findings findings = CheckItems(table.history);
  findings.Add(CheckTransactions(table.history, stream.orders));
  findings.Add(std::move(stream.findings));
  return findings;
}

class CheckerPropertyTest : public testing::TestWithParam<uint32_t> {};

TEST_P(CheckerPropertyTest, LegalHistoriesAreAccepted) {
  LegalTable table(GetParam(), 1 + GetParam() % 6, 8);
  table.Play(600);
  EXPECT_EQ(CheckAll(table).ToString(), "");
  EXPECT_EQ(CheckTransactions(table.history, {}).ToString(), "") << "and without a stream";
}

TEST_P(CheckerPropertyTest, AReadOfAnOverwrittenVersionIsNot) {
  LegalTable table(GetParam(), 3, 6);
  table.Play(400);
  // The last read of an item that existed is told a state from far before it.
  for (size_t i = table.history.operations.size(); i-- > 300;) {
    Operation& operation = table.history.operations[i];
    if (operation.accesses[0].is_write()) continue;
    for (size_t j = 0; j < 100; ++j) {
      const Operation& old = table.history.operations[j];
      if (old.accesses[0].is_write() || old.accesses[0].key != operation.accesses[0].key) continue;
      if (!old.accesses[0].before.state.exists) continue;
      if (old.accesses[0].before.state == operation.accesses[0].before.state) continue;
      operation.accesses[0].before = old.accesses[0].before;
      EXPECT_FALSE(CheckItems(table.history).ok());
      EXPECT_FALSE(
          CheckTransactions(table.history, CheckStream(table.history, table.records, table.items).orders).ok());
      return;
    }
  }
  GTEST_FAIL() << "nothing to spoil";
}

TEST_P(CheckerPropertyTest, AStreamThatLacksOrRepeatsOrSwapsIsNot) {
  LegalTable table(GetParam(), 4, 6);
  table.Play(300);
  const auto records = table.records;
  std::mt19937 random(GetParam());
  const auto check = [&] { return CheckStream(table.history, table.records, table.items).findings.ok(); };
  ASSERT_TRUE(check());
  for (int i = 0; i < 20; ++i) {
    const size_t at = random() % (records.size() - 1);
    table.records = records;
    table.records.erase(table.records.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_FALSE(check()) << "without record " << at;
    table.records = records;
    table.records.insert(table.records.begin() + static_cast<std::ptrdiff_t>(at), records[at]);
    EXPECT_FALSE(check()) << "with record " << at << " twice";
    for (size_t next = at + 1; next < records.size(); ++next) {
      if (records[next].key != records[at].key) continue;
      table.records = records;
      std::swap(table.records[at], table.records[next]);
      EXPECT_FALSE(check()) << "with records " << at << " and " << next << " exchanged";
      break;
    }
  }
}

TEST_P(CheckerPropertyTest, ATransactionDoneInPartIsNot) {
  LegalTable table(GetParam(), 4, 6);
  table.Play(400);
  // An acknowledged read of two items is told one of them as it was long before: it no longer fits anywhere.
  size_t spoiled = 0, found = 0;
  for (size_t i = 200; i < 400; ++i) {
    Operation& reader = table.history.operations[i];
    if (reader.accesses[0].is_write() || reader.accesses.size() < 2) continue;
    for (size_t j = i - 30; j-- > i - 120;) {
      const Operation& old = table.history.operations[j];
      if (old.accesses[0].is_write() || old.accesses[0].key != reader.accesses[1].key) continue;
      const Sighting& sighting = old.accesses[0].before;
      if (!sighting.state.exists || sighting.state == reader.accesses[1].before.state) continue;
      const Sighting right = std::exchange(reader.accesses[1].before, sighting);
      ++spoiled;
      found += !CheckTransactions(table.history, CheckStream(table.history, table.records, table.items).orders).ok();
      reader.accesses[1].before = right;
      break;
    }
  }
  EXPECT_GT(spoiled, 3u);
  // Not all: what overwrote it may have an unknown outcome, and then be done at any time.
  EXPECT_GE(found * 10, spoiled * 8) << found << " of " << spoiled;
}

INSTANTIATE_TEST_SUITE_P(Seed, CheckerPropertyTest, testing::Range(1u, 13u));

}  // namespace
}  // namespace armature::arena
