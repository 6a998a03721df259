#include "expr/apply/update_charge.h"

#include <gtest/gtest.h>

#include "expr/expr_testing.h"

namespace armature::expr {
namespace {

size_t Charge(std::string_view text, TestRequest::Pairs values = {}, TestRequest::Pairs names = {}) {
  TestRequest request(names, values);
  const auto bound = request.set().AddUpdate(text);
  return bound ? UpdateCharge(**bound) : 0;
}

// The figures are sums of AWS's: 3 for the statement, then clause by clause.
TEST(UpdateChargeTest, ClausesThatWriteAreChargedForTargetAndOperand) {
  EXPECT_EQ(Charge("SET x = :v", {{":v", "S:12345"}}), 3u + 19 + 1 + 5);
  EXPECT_EQ(Charge("SET x = :v, wide = :v", {{":v", "S:12345"}}), 3u + (19 + 1 + 5) + (19 + 4 + 5));
  EXPECT_EQ(Charge("SET x = :v", {{":v", "M{a=S:12}"}}), 3u + 19 + 1 + (3 + 1 + 1 + 2));
  EXPECT_EQ(Charge("ADD tags :v", {{":v", "SS[ab,c]"}}), 3u + 19 + 4 + 3);
  EXPECT_EQ(Charge("ADD n :v", {{":v", "N:5"}}), 3u + 19 + 1 + 2);
}

TEST(UpdateChargeTest, FurtherElementsOfATargetCostFourAndTheirText) {
  EXPECT_EQ(Charge("SET m.abc = :v", {{":v", "S:1"}}), 3u + 19 + (1 + 4 + 3) + 1);
  EXPECT_EQ(Charge("SET l[10] = :v", {{":v", "S:1"}}), 3u + 19 + (1 + 4 + 2) + 1);
  EXPECT_EQ(Charge("REMOVE l[9].ab", {}), 3u + 1 + (1 + 4 + 1 + 4 + 2));
}

TEST(UpdateChargeTest, AnAliasCostsWhatItStandsFor) {
  EXPECT_EQ(Charge("SET #long = :v", {{":v", "S:1"}}, {{"#long", "x"}}), Charge("SET x = :v", {{":v", "S:1"}}));
}

TEST(UpdateChargeTest, PathsThatAreReadCostFourteenAnElement) {
  EXPECT_EQ(Charge("SET c = m.z"), 3u + 19 + 1 + (1 + 14 + 1 + 14 + 1));
  EXPECT_EQ(Charge("SET c = l[12]"), 3u + 19 + 1 + (1 + 14 + 1 + 14 + 2));
}

TEST(UpdateChargeTest, OperatorsAndFunctions) {
  constexpr size_t kPathN = 1 + 14 + 1;
  EXPECT_EQ(Charge("SET n = n + :v", {{":v", "N:5"}}), 3u + 19 + 1 + 34 + kPathN + 2);
  EXPECT_EQ(Charge("SET n = n - :v", {{":v", "N:5"}}), 3u + 19 + 1 + 37 + kPathN + 2);
  EXPECT_EQ(Charge("SET n = list_append(n, :v)", {{":v", "L[S:ab]"}}), 3u + 19 + 1 + 37 + kPathN + (3 + 1 + 2));
  EXPECT_EQ(Charge("SET n = if_not_exists(n, :v)", {{":v", "S:ab"}}), 3u + 19 + 1 + 39 + kPathN + 2);
}

TEST(UpdateChargeTest, WhatIsRemovedCostsItsTargetOnly) {
  EXPECT_EQ(Charge("REMOVE y"), 3u + 1 + 1);
  EXPECT_EQ(Charge("DELETE tags :v", {{":v", "SS[abcdef,ghijkl]"}}), 3u + 1 + 4);
}

}  // namespace
}  // namespace armature::expr
