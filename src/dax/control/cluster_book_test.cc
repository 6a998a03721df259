#include "dax/control/cluster_book.h"

#include <gtest/gtest.h>

#include "dax/control/control_testing.h"

namespace armature::dax::control {
namespace {

using model::ApiResult;

class ClusterBookTest : public testing::Test {
 protected:
  ApiResult<void> Change(ClusterBook::Edit edit) { return RunBlocking(book_->Change(kPlace, std::move(edit))); }
  ApiResult<void> Make(std::string name) {
    return Change([&](Draft& draft) -> ApiResult<void> {
      draft.Put(ClusterOf(name));
      return {};
    });
  }
  void Restart() {
    book_ = std::make_unique<ClusterBook>(store_, clock_);
    ASSERT_TRUE(RunBlocking(book_->Load()).ok());
  }

  ManualClock clock_;
  MemoryClusterStore store_;
  std::unique_ptr<ClusterBook> book_ = std::make_unique<ClusterBook>(store_, clock_);
};

TEST_F(ClusterBookTest, APlaceHasItsDefaultGroups) {
  const auto state = book_->Current(kPlace);
  EXPECT_EQ(Find(state->parameter_groups, kDefaultParameterGroup)->values, ParameterValues());
  EXPECT_EQ(Find(state->subnet_groups, kDefaultSubnetGroup)->subnets.size(), kZones);
  EXPECT_TRUE(book_->Places().empty()) << "asking makes nothing";
}

TEST_F(ClusterBookTest, AChangeIsStoredBeforeItIsShown) {
  ASSERT_TRUE(Make("c"));
  EXPECT_TRUE(Find(book_->Current(kPlace)->clusters, "c"));
  Restart();
  EXPECT_TRUE(Find(book_->Current(kPlace)->clusters, "c"));
  EXPECT_FALSE(Find(book_->Current({"111122223333", "us-east-1"})->clusters, "c"));
  EXPECT_TRUE(Find(book_->Current(kPlace)->parameter_groups, kDefaultParameterGroup));
}

TEST_F(ClusterBookTest, WhatCannotBeStoredIsNotThere) {
  store_.is_full = true;
  EXPECT_FALSE(Make("c"));
  EXPECT_FALSE(Find(book_->Current(kPlace)->clusters, "c"));
  store_.is_full = false;
  EXPECT_TRUE(Make("c"));
}

TEST_F(ClusterBookTest, ARefusedChangeLeavesNothing) {
  const auto refused = Change([&](Draft& draft) -> ApiResult<void> {
    draft.Put(ClusterOf("c"));
    return model::ValidationException("no");
  });
  EXPECT_EQ(refused.error().message, "no");
  EXPECT_TRUE(book_->Current(kPlace)->clusters.empty());
  EXPECT_EQ(store_.writes, 0);
}

TEST_F(ClusterBookTest, OnlyAChangeIsToldOf) {
  int told = 0;
  book_->OnChange([&] { ++told; });
  ASSERT_TRUE(Change([](Draft&) -> ApiResult<void> { return {}; }));
  EXPECT_EQ(told, 0);
  ASSERT_TRUE(Make("c"));
  EXPECT_EQ(told, 1);
  EXPECT_EQ(store_.writes, 1);
}

TEST_F(ClusterBookTest, OldEventsGo) {
  const auto tell = [&](std::string message) {
    return Change([&](Draft& draft) -> ApiResult<void> {
      draft.Tell(SourceType::kCluster, "c", message);
      return {};
    });
  };
  ASSERT_TRUE(tell("first"));
  clock_.AdvanceMillis(kEventsKeptMillis + 1);
  ASSERT_TRUE(tell("second"));
  EXPECT_EQ(book_->Current(kPlace)->events.size(), 1u);
  EXPECT_EQ(book_->Current(kPlace)->events.begin()->second->message, "second");
  ASSERT_TRUE(Change([&](Draft& draft) -> ApiResult<void> {
    for (size_t i = 0; i < kMostEvents + 5; ++i) draft.Tell(SourceType::kCluster, "c", "many");
    return {};
  }));
  Restart();
  EXPECT_EQ(book_->Current(kPlace)->events.size(), kMostEvents);
  EXPECT_EQ(store_.records.size(), kMostEvents);
}

TEST_F(ClusterBookTest, ARecordThatCannotBeReadIsKeptAndNothingTakesItsPlace) {
  ASSERT_TRUE(Make("c"));
  ASSERT_EQ(store_.records.size(), 1u);
  store_.records.begin()->second = "garbage";
  store_.records["what"] = "else";
  Restart();
  EXPECT_FALSE(Find(book_->Current(kPlace)->clusters, "c"));
  EXPECT_FALSE(Make("c"));
  EXPECT_TRUE(Make("d"));
  EXPECT_EQ(store_.records.begin()->second, "garbage");
  EXPECT_EQ(store_.records.size(), 3u);
}

}  // namespace
}  // namespace armature::dax::control
