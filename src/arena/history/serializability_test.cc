#include "arena/history/serializability.h"

#include <gtest/gtest.h>

#include "arena/history/history_testing.h"

namespace armature::arena {
namespace {

using Kind = Condition::Kind;

std::string Check(const HistoryBuilder& builder, const std::vector<std::vector<int64_t>>& streamed = {}) {
  return CheckTransactions(builder.history(), streamed).ToString();
}

bool Says(const std::string& report, const char* what) { return report.find(what) != std::string::npos; }

TEST(SerializabilityTest, AnOrderThatWorksIsAccepted) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1), Put(1, 2)}).Add(20, 30, {Read(0, Item({1})), Read(1, Item({2}))});
  h.Add(15, 40, {Update(0, 3), Update(1, 4)}).Add(50, 60, {Read(0, Item({1, 3})), Read(1, Item({2, 4}))});
  EXPECT_EQ(Check(h), "");
}

TEST(SerializabilityTest, ReadSkewIsFound) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1), Put(1, 2)}).Add(20, 60, {Update(0, 3), Update(1, 4)});
  h.Add(20, 60, {Read(0, Item({1, 3})), Read(1, Item({2}))});
  h.Add(70, 80, {Read(1, Item({2, 4}))});
  const std::string report = Check(h);
  EXPECT_TRUE(Says(report, "G-single")) << report;
}

TEST(SerializabilityTest, WriteSkewIsFound) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1), Put(1, 2)});
  h.Add(20, 60, {Read(0, Item({1})), Saw(Update(1, 4), Item({2}))});
  h.Add(20, 60, {Read(1, Item({2})), Saw(Update(0, 3), Item({1}))});
  const std::string report = Check(h);
  EXPECT_TRUE(Says(report, "G2")) << report;
}

TEST(SerializabilityTest, WritesInTwoOrdersAreFound) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1), Put(1, 2)})
      .Add(20, 60, {Update(0, 3), Update(1, 4)})
      .Add(20, 60, {Update(0, 5), Update(1, 6)});
  h.Add(70, 80, {Read(0, Item({1, 3, 5})), Read(1, Item({2, 6, 4}))});
  const std::string report = Check(h);
  EXPECT_TRUE(Says(report, "G0")) << report;
}

TEST(SerializabilityTest, CircularInformationIsFound) {
  HistoryBuilder h;  // each reads what the other writes
  h.Add(20, 60, {Put(0, 1), Read(1, Item({2}))}).Add(20, 60, {Put(1, 2), Read(0, Item({1}))});
  const std::string report = Check(h);
  EXPECT_TRUE(Says(report, "G1c")) << report;
}

TEST(SerializabilityTest, AnAbortedReadIsFound) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1), NotHolding(If(Put(1, 2), Kind::kPresent))}, Outcome::kRefused)
      .Add(20, 30, {Read(0, Item({1}))});
  EXPECT_TRUE(Says(Check(h), "G1a")) << Check(h);
}

TEST(SerializabilityTest, AStaleReadAcrossItemsIsFound) {
  HistoryBuilder h;  // a client is told of both writes, a later one sees only the second
  h.Add(0, 10, {Put(0, 1)}).Add(11, 20, {Update(0, 3)}).Add(21, 30, {Put(1, 2)});
  h.Add(40, 50, {Read(1, Item({2})), Read(0, Item({1}))}).Add(60, 70, {Read(0, Item({1, 3}))});
  const std::string report = Check(h);
  EXPECT_TRUE(Says(report, "-realtime")) << report;
}

TEST(SerializabilityTest, ALostUpdateIsFound) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1)}).Add(20, 60, {Saw(Update(0, 2), Item({1}))}).Add(20, 60, {Saw(Update(0, 3), Item({1}))});
  EXPECT_TRUE(Says(Check(h), "lost update")) << Check(h);
}

TEST(SerializabilityTest, HalfATransactionIsFound) {
  HistoryBuilder h(2);
  h.Add(0, 10, {Put(0, 1), Put(1, 2)}, Outcome::kUnknown).Add(20, 30, {Read(0, Item({1}))});
  EXPECT_TRUE(Says(Check(h, {{1}, {}}), "half of it")) << Check(h, {{1}, {}});
  EXPECT_EQ(Check(h, {{1}, {2}}), "");
}

TEST(SerializabilityTest, AVersionNobodyWroteIsFound) {
  HistoryBuilder h;
  h.Add(20, 30, {Read(0, Item({77}))});
  EXPECT_TRUE(Says(Check(h), "nobody wrote")) << Check(h);
}

TEST(SerializabilityTest, AbsencesAreToldApartByTheStream) {
  HistoryBuilder h(2);
  h.Add(0, 10, {Put(0, 1)}).Add(11, 20, {Saw(Delete(0), Item({1}))}).Add(21, 30, {Put(1, 2)});
  h.Add(31, 40, {Put(0, 3)});
  // Between them: saw the second item, and the first still as version 1.
  h.Add(22, 50, {Read(0, Item({1})), Read(1, Item({2}))});
  EXPECT_TRUE(Says(Check(h, {{1, -1, 3}, {2}}), "realtime")) << Check(h, {{1, -1, 3}, {2}});
}

}  // namespace
}  // namespace armature::arena
