#include "iam/state/cow_map.h"

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace armature::iam {
namespace {

using Model = std::map<std::string, int>;

Model Contents(const CowMap<int>& map) {
  Model contents;
  map.ForEach([&](const std::string& key, int value) { contents[key] = value; });
  return contents;
}

TEST(CowMap, AnEmptyOneHasNothing) {
  CowMap<int> map;
  EXPECT_EQ(map.Find("a"), nullptr);
  EXPECT_EQ(map.Find(""), nullptr);
  map.Erase("a");
  EXPECT_TRUE(map.empty());
  map.VisitFrom("", [](const auto&, int) { return ADD_FAILURE(), true; });
}

// Random changes against a std::map; every version that was kept stays what it was.
TEST(CowMap, DoesWhatAMapDoesAndCopiesStay) {
  SeededRandom random(3);
  CowMap<int> map;
  Model model;
  std::vector<std::pair<CowMap<int>, Model>> kept;
  for (int step = 0; step < 20'000; ++step) {
    const std::string key = fmt::format("{}", random.Below(700));
    if (random.Below(5) < (step < 10'000 ? 2u : 3u)) {
      map.Erase(key);
      model.erase(key);
    } else {
      map.Set(key, step);
      model[key] = step;
    }
    ASSERT_EQ(map.size(), model.size());
    const std::string other = fmt::format("{}", random.Below(700));
    const int* const found = map.Find(other);
    ASSERT_EQ(found != nullptr, model.contains(other));
    if (found) { ASSERT_EQ(*found, model[other]); }
    if (step % 1000 == 0) kept.emplace_back(map, model);
  }
  EXPECT_EQ(Contents(map), model);
  for (const auto& [copy, expected] : kept) EXPECT_EQ(Contents(copy), expected);
}

TEST(CowMap, IsVisitedInOrderFromAnyPlace) {
  CowMap<int> map;
  for (int i = 0; i < 1000; ++i) map.Set(fmt::format("{:03}", (i * 7) % 1000), i);
  for (const int from : {0, 1, 63, 64, 500, 999}) {
    int next = from;
    map.VisitFrom(fmt::format("{:03}", from), [&](const std::string& key, int) {
      EXPECT_EQ(key, fmt::format("{:03}", next));
      return ++next < from + 100;
    });
    EXPECT_EQ(next, std::min(from + 100, 1000));
  }
  int seen = 0;
  map.VisitFrom("0005", [&](const std::string& key, int) {
    EXPECT_EQ(key, "001");
    return ++seen, false;
  });
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace armature::iam
