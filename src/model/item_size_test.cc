#include "model/item_size.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace armature::model {
namespace {

Number Num(std::string_view text) { return Number::Parse(text).value(); }

TEST(ItemSize, AmazonsExample) {
  const MapEntry item[] = {{"shirt-color", Value::String("R")}, {"shirt-size", Value::String("M")}};
  EXPECT_EQ(ItemSize(item), 23u);
  EXPECT_EQ(ItemSize({}), 0u);
}

TEST(ItemSize, Scalars) {
  Arena arena;
  EXPECT_EQ(ValueSize(Value::String("")), 0u);
  EXPECT_EQ(ValueSize(Value::String("grün")), 5u);  // UTF-8 bytes
  EXPECT_EQ(ValueSize(Value::Binary("abc")), 3u);
  EXPECT_EQ(ValueSize(Value::Bool(false)), 1u);
  EXPECT_EQ(ValueSize(Value::Null()), 1u);
  EXPECT_EQ(ValueSize(Value::OfNumber(Num("-42"), arena)), 3u);
}

TEST(ItemSize, SetsAreTheSumOfTheirMembers) {
  const std::string_view strings[] = {"a", "bcd"};
  EXPECT_EQ(ValueSize(Value::StringSet(strings)), 4u);
  EXPECT_EQ(ValueSize(Value::BinarySet(strings)), 4u);
  const Number numbers[] = {Num("1"), Num("123")};
  EXPECT_EQ(ValueSize(Value::NumberSet(numbers)), 5u);
}

TEST(ItemSize, DocumentsCountThreeAndOnePerElement) {
  EXPECT_EQ(ValueSize(Value::List({})), 3u);
  EXPECT_EQ(ValueSize(Value::Map({})), 3u);
  const Value elements[] = {Value::String("ab"), Value::Bool(true)};
  EXPECT_EQ(ValueSize(Value::List(elements)), 3u + (1 + 2) + (1 + 1));
  const MapEntry entries[] = {{"key", Value::List(elements)}};
  EXPECT_EQ(ValueSize(Value::Map(entries)), 3u + 1 + 3 + 8);
}

TEST(NestingLevels, AScalarIsOne) {
  EXPECT_EQ(NestingLevels(Value::String("x")), 1);
  EXPECT_EQ(NestingLevels(Value::List({})), 1);
  std::vector<Value> levels(40);
  levels[0] = Value::Bool(true);
  for (size_t i = 1; i < levels.size(); ++i) levels[i] = Value::List({&levels[i - 1], 1});
  EXPECT_EQ(NestingLevels(levels[31]), kMaxNestingLevels);
  EXPECT_EQ(NestingLevels(levels[39]), 40);
  const MapEntry entries[] = {{"a", Value::Null()}, {"b", levels[2]}};
  EXPECT_EQ(NestingLevels(Value::Map(entries)), 4);
}

}  // namespace
}  // namespace armature::model
