#include "dax/control/page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace armature::dax::control {
namespace {

std::vector<std::string> Keys(int count) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) keys.push_back(fmt::format("key-{:03}", i));
  return keys;
}

wire::Opt<int64_t> Most(int64_t number) { return {number, true}; }
wire::Opt<std::string_view> After(std::string_view token) { return {token, true}; }

TEST(PageTest, PagesFollowEachOther) {
  auto first = PageOf(Keys(45), Most(20), {});
  ASSERT_TRUE(first && first->next_token);
  EXPECT_EQ(first->keys.size(), 20u);
  auto second = PageOf(Keys(45), Most(20), After(*first->next_token));
  EXPECT_EQ(second->keys.front(), "key-020");
  auto third = PageOf(Keys(45), Most(20), After(*second->next_token));
  EXPECT_EQ(third->keys.size(), 5u);
  EXPECT_FALSE(third->next_token);
}

TEST(PageTest, AFullLastPageHasNoNext) {
  EXPECT_FALSE(PageOf(Keys(20), Most(20), {})->next_token);
  EXPECT_FALSE(PageOf(Keys(100), {}, {})->next_token);
  EXPECT_TRUE(PageOf(Keys(101), {}, {})->next_token);
}

TEST(PageTest, WhatWasShownLastMayBeGone) {
  const auto first = PageOf(Keys(45), Most(20), {});
  auto keys = Keys(45);
  keys.erase(keys.begin() + 10, keys.begin() + 25);
  EXPECT_EQ(PageOf(keys, Most(20), After(*first->next_token))->keys.front(), "key-025");
}

TEST(PageTest, BadNumbersAndTokensAreRefused) {
  for (const int64_t number : {int64_t{-1}, int64_t{0}, int64_t{19}, int64_t{101}, INT64_MAX})
    EXPECT_EQ(PageOf(Keys(1), Most(number), {}).error().name, "InvalidParameterValueException");
  for (const std::string_view token : {"", "x", "zz"})
    EXPECT_EQ(PageOf(Keys(1), {}, After(token)).error().name, "InvalidParameterValueException");
}

}  // namespace
}  // namespace armature::dax::control
