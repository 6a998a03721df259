#include "api/item/distinct_items.h"

#include <string>

#include <gtest/gtest.h>

namespace armature::api {
namespace {

using model::MapEntry;
using model::Value;

bool AddText(DistinctItems& items, uint64_t table, std::string_view pk, std::string_view sk) {
  const MapEntry key[] = {{"pk", Value::String(pk)}, {"sk", Value::String(sk)}};
  return items.Add(table, key);
}

bool AddNumber(DistinctItems& items, std::string_view number) {
  const auto parsed = model::Number::Parse(number, model::NumberReading::kCurrent);
  const MapEntry key[] = {{"pk", Value::PointingTo(&*parsed)}};
  return items.Add(1, key);
}

TEST(DistinctItemsTest, AnItemIsItsTableAndItsWholeKey) {
  DistinctItems items;
  EXPECT_TRUE(AddText(items, 1, "a", "b"));
  EXPECT_FALSE(AddText(items, 1, "a", "b"));
  EXPECT_TRUE(AddText(items, 2, "a", "b"));
  EXPECT_TRUE(AddText(items, 1, "a", "c"));
  // The same bytes, divided otherwise.
  EXPECT_TRUE(AddText(items, 1, "ab", ""));
  EXPECT_TRUE(AddText(items, 1, "", "ab"));
  EXPECT_FALSE(AddText(items, 1, "", "ab"));
}

TEST(DistinctItemsTest, ANumberHasManySpellings) {
  DistinctItems items;
  EXPECT_TRUE(AddNumber(items, "100"));
  EXPECT_FALSE(AddNumber(items, "1e2"));
  EXPECT_FALSE(AddNumber(items, "0100.00"));
  EXPECT_TRUE(AddNumber(items, "-100"));
}

TEST(DistinctItemsTest, ManyAreAllFoundAgain) {
  DistinctItems items;
  const auto name = [](int i) { return "key " + std::to_string(i); };
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(AddText(items, 1, name(i), "")) << i;
  for (int i = 0; i < 10'000; ++i) ASSERT_FALSE(AddText(items, 1, name(i), "")) << i;
}

}  // namespace
}  // namespace armature::api
