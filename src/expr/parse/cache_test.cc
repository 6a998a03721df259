#include "expr/parse/cache.h"

#include <string>

#include <gtest/gtest.h>

namespace armature::expr {
namespace {

TEST(ExpressionCacheTest, GivesTheSameTreeForTheSameText) {
  ExpressionCache cache;
  const ParsedExpression* first = &cache.Get(Grammar::kCondition, "a = :v");
  EXPECT_EQ(&cache.Get(Grammar::kCondition, std::string("a = :v")), first);
  EXPECT_NE(&cache.Get(Grammar::kCondition, "a = :w"), first);
  EXPECT_EQ(cache.entries(), 2u);
}

TEST(ExpressionCacheTest, KeepsGrammarsApart) {
  ExpressionCache cache;
  EXPECT_EQ(cache.Get(Grammar::kProjection, "a").error, "");
  EXPECT_NE(cache.Get(Grammar::kCondition, "a").error, "");
  EXPECT_EQ(cache.Get(Grammar::kProjection, "a").error, "");
}

TEST(ExpressionCacheTest, DoesNotKeepFaultyTexts) {
  ExpressionCache cache;
  EXPECT_NE(cache.Get(Grammar::kUpdate, "SET").error, "");
  EXPECT_EQ(cache.entries(), 0u);
}

TEST(ExpressionCacheTest, StaysWithinItsBounds) {
  ExpressionCache by_entries(10, 1 << 20);
  ExpressionCache by_bytes(1 << 20, 20'000);
  for (int i = 0; i < 1000; ++i) {
    const std::string text = "a" + std::to_string(i) + " = :v";
    EXPECT_EQ(by_entries.Get(Grammar::kCondition, text).error, "");
    EXPECT_EQ(by_bytes.Get(Grammar::kCondition, text).error, "");
    EXPECT_LE(by_entries.entries(), 20u);
    EXPECT_LE(by_bytes.entries(), 200u);
  }
}

TEST(ExpressionCacheTest, WhatIsUsedSurvivesAScan) {
  ExpressionCache cache(10, 1 << 20);
  const ParsedExpression* hot = &cache.Get(Grammar::kCondition, "hot = :v");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(cache.Get(Grammar::kCondition, "a" + std::to_string(i) + " = :v").error, "");
    EXPECT_EQ(&cache.Get(Grammar::kCondition, "hot = :v"), hot);
  }
}

}  // namespace
}  // namespace armature::expr
