#include "dax/translate/expressions/projected_item.h"

#include <deque>

#include <gtest/gtest.h>

#include "dax/translate/item_json.h"
#include "dax/translate/translate_testing.h"
#include "wire/json/json_document.h"

namespace armature::dax {
namespace {

// "m.a" and "l[2].x": names and indexes.
std::vector<PathElement> ParsePath(std::string_view text) {
  std::vector<PathElement> path;
  while (!text.empty()) {
    const bool is_index = text[0] == '[';
    const size_t end = is_index ? text.find(']') : std::min(text.find_first_of(".[", 1), text.size());
    const std::string_view element = text.substr(is_index ? 1 : 0, is_index ? end - 1 : end);
    if (is_index) path.push_back({.index = static_cast<uint32_t>(std::stoul(std::string(element))), .is_index = true});
    else path.push_back({.name = element});
    text.remove_prefix(std::min(text.size(), is_index ? end + 1 : end));
    if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  }
  return path;
}

// The map of ordinals as hexadecimal.
std::string Ordinals(std::initializer_list<std::string_view> paths, std::string_view item_json) {
  std::deque<std::vector<PathElement>> kept;
  std::vector<DocumentPath> views;
  for (const std::string_view path : paths) views.emplace_back(kept.emplace_back(ParsePath(path)));
  const auto document = wire::JsonDocument::Parse(item_json);
  Arena arena;
  const auto item = ItemOfJson(document->root(), arena);
  EXPECT_TRUE(item);
  std::string out;
  ItemProjection(views).AppendOrdinals(out, *item);
  return ToHex(out);
}

TEST(ProjectedItemTest, NamesOfTheItem) {
  EXPECT_EQ(Ordinals({"y", "Song"}, R"({"Song":{"S":"Hello"},"y":{"N":"1999"}})"), "a2001907cf016548656c6c6f");
  EXPECT_EQ(Ordinals({"y", "Song"}, R"({"Song":{"S":"Hello"}})"), "a1016548656c6c6f")
      << "what is not there is left out";
  EXPECT_EQ(Ordinals({"y"}, "{}"), "a0");
}

TEST(ProjectedItemTest, NestedNames) {
  EXPECT_EQ(Ordinals({"m.b", "m.a.x"}, R"({"m":{"M":{"a":{"M":{"x":{"N":"1"}}},"b":{"N":"2"}}}})"), "a200020101");
  EXPECT_EQ(Ordinals({"m.b", "m.a.x"}, R"({"m":{"M":{"a":{"M":{"x":{"N":"1"}}}}}})"), "a10101");
  EXPECT_EQ(Ordinals({"m"}, R"({"m":{"M":{"a":{"N":"1"}}}})"), "a100a1616101") << "a whole map";
}

TEST(ProjectedItemTest, ElementsOfAListComeInTheOrderOfTheirIndexes) {
  EXPECT_EQ(Ordinals({"l[5]", "l[1]"}, R"({"l":{"L":[{"S":"one"},{"S":"five"}]}})"), "a200646669766501636f6e65");
  EXPECT_EQ(Ordinals({"l[5]", "l[1]"}, R"({"l":{"L":[{"S":"one"}]}})"), "a101636f6e65") << "the list ends before 5";
}

TEST(ProjectedItemTest, ElementsAreToldByWhatIsInThem) {
  // The first element had no `a`: what came is the second one's.
  EXPECT_EQ(Ordinals({"l[0].a", "l[1].b"}, R"({"l":{"L":[{"M":{"b":{"N":"7"}}}]}})"), "a10107");
  EXPECT_EQ(Ordinals({"l[0].a", "l[1].a", "l[1].b"}, R"({"l":{"L":[{"M":{"a":{"N":"1"},"b":{"N":"2"}}}]}})"),
            "a201010202");
  EXPECT_EQ(Ordinals({"l[0].a", "l[1].a", "l[1].b"}, R"({"l":{"L":[{"M":{"a":{"N":"1"}}},{"M":{"b":{"N":"2"}}}]}})"),
            "a200010202");
  // Lists in lists.
  EXPECT_EQ(Ordinals({"l[0][3]", "l[2][0].x"}, R"({"l":{"L":[{"L":[{"M":{"x":{"N":"4"}}}]}]}})"), "a100a1617804");
  EXPECT_EQ(Ordinals({"l[0].y", "l[2][0].x"}, R"({"l":{"L":[{"L":[{"M":{"x":{"N":"4"}}}]}]}})"), "a10104");
}

}  // namespace
}  // namespace armature::dax
