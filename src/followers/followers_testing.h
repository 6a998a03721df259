// What the tests of followers share: tables with a journal, and somebody who follows one and writes down what he gets.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "followers/lane_walker.h"
#include "table/journal/journal_testing.h"

namespace armature::followers {

// Takes on at most so many records at a time, and finishes them when he is told to.
class TestFollower {
 public:
  struct Taken {
    std::shared_ptr<FollowedLane> lane;
    table::Position position = 0;
  };

  Deliver deliver() {
    return [this](const std::shared_ptr<FollowedLane>& lane, LaneBatch& batch) -> Task<Status> {
      return TakeOn(lane, batch);
    };
  }
  // Of each record its value of n, in the order they were taken on.
  std::vector<std::string> seen;
  std::deque<Taken> under_way;
  size_t room = SIZE_MAX;
  std::function<void(const model::ChangeRecord&)> on_record;

  void Finish(size_t index) {
    const Taken taken = under_way.at(index);
    under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(index));
    taken.lane->Finished(taken.position);
  }
  void FinishAll() {
    while (!under_way.empty()) Finish(0);
  }

 private:
  Task<Status> TakeOn(std::shared_ptr<FollowedLane> lane, LaneBatch& batch) {
    for (; !batch.left().empty() && under_way.size() < room; batch.TakeFirst()) {
      const model::ChangeRecord& record = batch.left().front();
      for (const auto& entry : record.new_image)
        if (entry.name == "n") seen.push_back(expr::Show(entry.value));
      if (on_record) on_record(record);
      under_way.push_back({lane, record.position});
    }
    co_return Status::Ok();
  }
};

class FollowersTest : public table::JournalTest {
 protected:
  using JournalTest::JournalTest;

  std::shared_ptr<table::Table> CreateFollowed(const std::string& name) {
    auto table = layer_->CreateTable("t");
    EXPECT_TRUE(RunBlocking(journal_->Follow(table, name, model::kBothImages, table::Retention::kAtMostADay)).ok());
    return table;
  }
  std::unique_ptr<LaneWalker> Open(const std::shared_ptr<table::Table>& table, const std::string& name) {
    auto walker = RunBlocking(LaneWalker::Open(*journal_, FollowingOf(table, name, model::kBothImages)));
    EXPECT_TRUE(walker.has_value());
    return std::move(*walker);
  }
  LaneWalker::Walked Walk(LaneWalker& walker, TestFollower& follower, size_t records = 1000) {
    const Deliver deliver = follower.deliver();
    const auto walked = RunBlocking(walker.Walk({.records = records}, deliver));
    EXPECT_TRUE(walked.has_value()) << (walked ? "" : walked.error().ToString());
    return walked ? *walked : LaneWalker::Walked{};
  }
  // Until there is nothing more.
  void WalkAll(LaneWalker& walker, TestFollower& follower, size_t records = 1000) {
    while (Walk(walker, follower, records).has_news) follower.FinishAll();
  }
  void PutNumber(table::Table& table, int number, const std::string& key = "a") {
    EXPECT_EQ(Put(table, fmt::format("pk=S:{},n=N:{}", key, number)), "ok");
  }
  // Each open lane goes on in one child, or in two.
  void EndAll(const std::shared_ptr<table::Table>& table, bool into_two) {
    const auto state = table->journal().state();
    for (const table::Lane& lane : state->lanes) {
      if (!lane.is_open()) continue;
      ASSERT_TRUE(table::EndLane(*journal_, table, lane.id, into_two).ok());
    }
  }
};

}  // namespace armature::followers
