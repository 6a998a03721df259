#include "model/value.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace armature::model {
namespace {

Number Num(std::string_view text) { return Number::Parse(text).value(); }

TEST(Value, IsSixteenBytesAndTrivial) {
  static_assert(sizeof(Value) == 16 && std::is_trivially_copyable_v<Value>);
  static_assert(std::is_trivially_destructible_v<MapEntry> && std::is_trivially_destructible_v<Number>);
}

TEST(Value, TypeNamesRoundTrip) {
  for (int i = 0; i <= static_cast<int>(Type::kM); ++i) {
    Type type{};
    ASSERT_TRUE(ParseTypeName(TypeName(static_cast<Type>(i)), &type));
    EXPECT_EQ(static_cast<int>(type), i);
  }
  Type type{};
  EXPECT_FALSE(ParseTypeName("s", &type));
  EXPECT_FALSE(ParseTypeName("", &type));
  EXPECT_EQ(TypeName(Type::kBool), "BOOL");
}

TEST(Value, EqualityIsByTypeAndValue) {
  Arena arena;
  EXPECT_EQ(Value::String("a"), Value::String(std::string("a")));
  EXPECT_FALSE(Value::String("a") == Value::Binary("a"));
  EXPECT_FALSE(Value::String("a") == Value::String("b"));
  EXPECT_EQ(Value::String(""), Value::String({}));
  EXPECT_EQ(Value::OfNumber(Num("1e3"), arena), Value::OfNumber(Num("1000.0"), arena));
  EXPECT_FALSE(Value::Bool(true) == Value::Bool(false));
  EXPECT_EQ(Value::Null(), Value());
}

TEST(Value, SetsAreEqualWhateverTheInputOrder) {
  std::vector<std::string_view> one = {"b", "a", "c"}, two = {"c", "b", "a"};
  ASSERT_TRUE(SortStringSet(one) && SortStringSet(two));
  EXPECT_EQ(Value::StringSet(one), Value::StringSet(two));
  EXPECT_FALSE(Value::StringSet(one) == Value::BinarySet(two));
  std::vector<Number> three = {Num("10"), Num("9"), Num("-1")}, four = {Num("-1.0"), Num("1e1"), Num("9.0")};
  ASSERT_TRUE(SortNumberSet(three) && SortNumberSet(four));
  EXPECT_EQ(Value::NumberSet(three), Value::NumberSet(four));
  EXPECT_EQ(three.front(), Num("-1"));
}

TEST(Value, SetSortersTellDuplicates) {
  std::vector<std::string_view> strings = {"b", "a", "b"};
  EXPECT_FALSE(SortStringSet(strings));
  std::vector<Number> numbers = {Num("1"), Num("2"), Num("1.0")};
  EXPECT_FALSE(SortNumberSet(numbers));
}

TEST(Value, SetsSortByUnsignedBytes) {
  std::vector<std::string_view> members = {"\xFF", "\x7F", ""};
  ASSERT_TRUE(SortStringSet(members));
  EXPECT_EQ(members, (std::vector<std::string_view>{"", "\x7F", "\xFF"}));
}

TEST(Value, NestedEquality) {
  Arena arena;
  const auto document = [&](std::string_view leaf) {
    auto list = arena.NewArray<Value>(2);
    list[0] = Value::Bool(true);
    list[1] = Value::String(arena.Copy(leaf));
    auto entries = arena.NewArray<MapEntry>(1);
    entries[0] = {"list", Value::List(list)};
    return Value::Map(entries);
  };
  EXPECT_EQ(document("x"), document("x"));
  EXPECT_FALSE(document("x") == document("y"));
  EXPECT_NE(document("x").Find("list"), nullptr);
  EXPECT_EQ(document("x").Find("lost"), nullptr);
}

TEST(Map, SortKeepsTheLastOfEqualNames) {
  for (size_t copies : {size_t{1}, size_t{40}}) {  // the small sort and the large one
    std::vector<std::string> names;
    for (size_t i = 0; i < copies; ++i) names.insert(names.end(), {"b" + std::to_string(i), "a" + std::to_string(i)});
    std::vector<MapEntry> entries;
    for (const auto& name : names) entries.push_back({name, Value::String("first")});
    for (const auto& name : names) entries.push_back({name, Value::String("second")});
    const auto sorted = SortMap(entries);
    ASSERT_EQ(sorted.size(), names.size());
    for (size_t i = 0; i < sorted.size(); ++i) {
      EXPECT_TRUE(i == 0 || sorted[i - 1].name < sorted[i].name);
      EXPECT_EQ(sorted[i].value.str(), "second");
    }
  }
  EXPECT_TRUE(SortMap({}).empty());
}

TEST(Map, FindsEveryNameInSmallAndLargeMaps) {
  for (size_t count = 0; count < 40; ++count) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back("n" + std::to_string(i * 7 % 40));
    std::vector<MapEntry> entries;
    for (const auto& name : names) entries.push_back({name, Value::String(name)});
    const Item item = SortMap(entries);
    for (const auto& name : names) {
      const Value* found = FindAttribute(item, name);
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(found->str(), name);
    }
    EXPECT_EQ(FindAttribute(item, "n"), nullptr);
    EXPECT_EQ(FindAttribute(item, "zzz"), nullptr);
    EXPECT_EQ(FindAttribute(item, ""), nullptr);
  }
}

TEST(Value, DeepCopySharesNothing) {
  Arena copies;
  Value copy;
  {
    std::string text = "text", member = "member", name = "name";
    Arena arena;
    std::vector<std::string_view> members = {member};
    std::vector<Number> numbers = {Num("1"), Num("2")};
    std::vector<Value> list = {Value::String(text),
                               Value::Binary(text),
                               Value::OfNumber(Num("7"), arena),
                               Value::StringSet(members),
                               Value::BinarySet(members),
                               Value::NumberSet(numbers),
                               Value::Bool(true),
                               Value::Null()};
    std::vector<MapEntry> entries = {{name, Value::List(list)}};
    const Value original = Value::Map(entries);
    copy = DeepCopy(original, copies);
    EXPECT_EQ(copy, original);
    text = "TEXT", member = "MEMBER", name = "NAME";
  }
  const Value* list = copy.Find("name");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->list()[0].str(), "text");
  EXPECT_EQ(list->list()[2].number(), Num("7"));
  EXPECT_EQ(list->list()[3].strings()[0], "member");
  EXPECT_EQ(list->list()[5].numbers()[1], Num("2"));
}

}  // namespace
}  // namespace armature::model
