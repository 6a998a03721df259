#include "arena/history/linearizability.h"

#include <gtest/gtest.h>

#include "arena/history/history_testing.h"

namespace armature::arena {
namespace {

using Kind = Condition::Kind;

std::string Check(const HistoryBuilder& builder) { return CheckItems(builder.history()).ToString(); }

TEST(LinearizabilityTest, AReadSeesTheLastWriteOrOneUnderWay) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1)}).Add(20, 50, {Put(0, 2)});
  h.Add(25, 30, {Read(0, Item({2}))}).Add(31, 40, {Read(0, Item({2}))}).Add(60, 70, {Read(0, Item({2}))});
  EXPECT_EQ(Check(h), "");
  HistoryBuilder not_yet;
  not_yet.Add(0, 10, {Put(0, 1)}).Add(20, 50, {Put(0, 2)}).Add(25, 30, {Read(0, Item({1}))});
  EXPECT_EQ(Check(not_yet), "");
}

TEST(LinearizabilityTest, AStaleReadIsFound) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1)}).Add(20, 30, {Put(0, 2)}).Add(40, 50, {Read(0, Item({1}))});
  EXPECT_NE(Check(h).find("not linearizable: item k0"), std::string::npos) << Check(h);
}

TEST(LinearizabilityTest, AReadThatRunsBackwardsIsFound) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1)}).Add(20, 90, {Put(0, 2)});
  h.Add(25, 30, {Read(0, Item({2}))}).Add(40, 50, {Read(0, Item({1}))});
  EXPECT_FALSE(CheckItems(h.history()).ok());
}

TEST(LinearizabilityTest, ADirtyReadIsFound) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1)}).Add(20, 30, {Put(0, 2)}, Outcome::kFailed).Add(40, 50, {Read(0, Item({2}))});
  EXPECT_FALSE(CheckItems(h.history()).ok());
}

TEST(LinearizabilityTest, ALostUpdateIsFound) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1)});
  h.Add(20, 40, {If(Update(0, 2), Kind::kVersion, 1)}).Add(21, 41, {If(Update(0, 3), Kind::kVersion, 1)});
  EXPECT_FALSE(CheckItems(h.history()).ok()) << "two writes insisted on the same version, and both were carried out";
  HistoryBuilder counted;
  counted.Add(0, 10, {Put(0, 1)}).Add(20, 40, {Left(Update(0, 2), Item({1, 2}))});
  counted.Add(21, 41, {Left(Update(0, 3), Item({1, 3}))});
  EXPECT_FALSE(CheckItems(counted.history()).ok());
}

TEST(LinearizabilityTest, ADuplicatedEffectIsFound) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1)}).Add(20, 30, {Update(0, 2)}).Add(40, 50, {Read(0, Item({1, 2, 2}))});
  EXPECT_FALSE(CheckItems(h.history()).ok());
}

TEST(LinearizabilityTest, AnUnknownWriteMayComeLateOrNever) {
  HistoryBuilder late;
  late.Add(0, 10, {Put(0, 1)}).Add(20, kNever, {Put(0, 2)}, Outcome::kUnknown);
  late.Add(30, 40, {Read(0, Item({1}))}).Add(50, 60, {Read(0, Item({2}))});
  EXPECT_EQ(Check(late), "");
  HistoryBuilder never;
  never.Add(0, 10, {Put(0, 1)}).Add(20, kNever, {Put(0, 2)}, Outcome::kUnknown).Add(30, 40, {Read(0, Item({1}))});
  EXPECT_EQ(Check(never), "");
}

TEST(LinearizabilityTest, AnUnknownWriteThatComesGoesAndComesIsFound) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1)}).Add(20, kNever, {Put(0, 2)}, Outcome::kUnknown);
  h.Add(30, 40, {Read(0, Item({2}))}).Add(50, 60, {Read(0, Item({1}))});
  EXPECT_FALSE(CheckItems(h.history()).ok()) << "shown, then taken back";
}

TEST(LinearizabilityTest, AnUnknownWriteIsOverWithItsProcess) {
  HistoryBuilder h;  // the server that had it was killed at 45
  h.Add(0, 10, {Put(0, 1)}).Add(20, 45, {Put(0, 2)}, Outcome::kUnknown);
  h.Add(50, 60, {Read(0, Item({1}))}).Add(70, 80, {Read(0, Item({2}))});
  EXPECT_FALSE(CheckItems(h.history()).ok()) << "resurrected";
  HistoryBuilder done;
  done.Add(0, 10, {Put(0, 1)}).Add(20, 45, {Put(0, 2)}, Outcome::kUnknown).Add(70, 80, {Read(0, Item({2}))});
  EXPECT_EQ(Check(done), "");
}

TEST(LinearizabilityTest, AnAcknowledgedWriteThatIsGoneIsFound) {
  HistoryBuilder h;
  h.Add(0, 10, {Put(0, 1)}).Add(20, 30, {Read(0, {})});
  EXPECT_FALSE(CheckItems(h.history()).ok());
}

TEST(LinearizabilityTest, ARefusalTellsSomethingToo) {
  HistoryBuilder right;
  right.Add(0, 10, {Put(0, 1)}).Add(20, 30, {NotHolding(If(Put(0, 2), Kind::kAbsent))}, Outcome::kRefused);
  EXPECT_EQ(Check(right), "");
  HistoryBuilder wrong;
  wrong.Add(0, 10, {Put(0, 1)}).Add(20, 30, {NotHolding(If(Update(0, 2), Kind::kVersion, 1))}, Outcome::kRefused);
  EXPECT_FALSE(CheckItems(wrong.history()).ok()) << "the condition held";
}

TEST(LinearizabilityTest, AnIndexThatDoesNotHaveAnItemTellsSomethingToo) {
  Access miss;
  miss.before = Sighting::NotInGroup(7);
  HistoryBuilder wrong;
  wrong.Add(0, 10, {Put(0, 1, 7)}).Add(20, 30, {miss});
  EXPECT_FALSE(CheckItems(wrong.history()).ok());
  HistoryBuilder right;
  right.Add(0, 10, {Put(0, 1, 7)}).Add(11, 19, {Put(0, 2, 8)}).Add(20, 30, {miss});
  EXPECT_EQ(Check(right), "");
}

TEST(LinearizabilityTest, ManyWritersAtOnceAreNoMatter) {
  HistoryBuilder h(1);
  for (int64_t i = 1; i <= 10; ++i) h.Add(i, 1000 + i, {Put(0, i)});
  h.Add(2000, 2001, {Read(0, Item({5}))});
  EXPECT_EQ(Check(h), "");
}

// Seventy writers at once are more than is looked at: that is said, and too much of it is no pass.
TEST(LinearizabilityTest, WhatIsNotDecidedIsCountedAndFailsWhenItIsMore) {
  HistoryBuilder h(1);
  for (int64_t i = 1; i <= 70; ++i) h.Add(i, 1000 + i, {Put(0, i)});
  h.Add(2000, 2001, {Read(0, Item({5}))});
  const Findings findings = CheckItems(h.history());
  EXPECT_EQ(findings.undecided, 1u);
  EXPECT_TRUE(findings.violations.empty());
  EXPECT_FALSE(findings.IsPass(99));
  EXPECT_TRUE(findings.IsPass(100));
  EXPECT_FALSE((Findings{{"wrong"}, 0}).IsPass(100));
}

}  // namespace
}  // namespace armature::arena
