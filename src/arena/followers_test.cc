#include "arena/followers.h"

#include <gtest/gtest.h>

#include "arena/history/history_testing.h"

namespace armature::arena {
namespace {

class FollowersTest : public testing::Test {
 protected:
  FollowersTest() {
    built_.Add(0, 10, {Put(0, 1, 5)}).Add(20, 30, {Update(0, 2)}).Add(40, 50, {Put(1, 3)});
    built_.Add(60, 70, {Saw(Delete(1), Item({3}))}).Add(80, 90, {Put(2, 4)}, Outcome::kUnknown);
    built_.Add(80, 90, {Update(0, 9)}, Outcome::kFailed);
  }
  std::string Check() const { return CheckStream(built_.history(), records_, items_).findings.ToString(); }

  HistoryBuilder built_;
  std::vector<StreamRecord> records_{{0, "100", "INSERT", {}, Item({1}, 5)},
                                     {0, "101", "MODIFY", Item({1}, 5), Item({1, 2}, 5)},
                                     {1, "102", "INSERT", {}, Item({3})},
                                     {1, "103", "REMOVE", Item({3}), {}}};
  Items items_{{0, Item({1, 2}, 5)}};
};

TEST_F(FollowersTest, ARightStreamIsAccepted) {
  EXPECT_EQ(Check(), "");
  const auto orders = CheckStream(built_.history(), records_, items_).orders;
  EXPECT_EQ(orders[0], (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(orders[1], (std::vector<int64_t>{3, -3}));
}

TEST_F(FollowersTest, AnUnknownWriteMayHaveARecord) {
  records_.push_back({2, "104", "INSERT", {}, Item({4})});
  items_[2] = Item({4});
  EXPECT_EQ(Check(), "");
}

TEST_F(FollowersTest, AMissingRecordIsFound) {
  records_.erase(records_.begin() + 1);
  EXPECT_NE(Check().find("lacks the record of"), std::string::npos) << Check();
}

TEST_F(FollowersTest, AMissingRemovalIsFound) {
  records_.pop_back();
  EXPECT_NE(Check().find("lacks the record of"), std::string::npos) << Check();
}

TEST_F(FollowersTest, ReorderedRecordsAreFound) {
  std::swap(records_[0], records_[1]);
  EXPECT_NE(Check().find("on top of"), std::string::npos) << Check();
}

TEST_F(FollowersTest, ARepeatedRecordIsFound) {
  records_.push_back(records_[1]);
  EXPECT_NE(Check().find("twice"), std::string::npos) << Check();
  records_.back().sequence_number = "200";
  EXPECT_NE(Check().find("got version 2 twice"), std::string::npos) << Check();
}

TEST_F(FollowersTest, ARecordOfAFailedWriteIsFound) {
  records_.push_back({0, "105", "MODIFY", Item({1, 2}, 5), Item({1, 2, 9}, 5)});
  items_[0] = Item({1, 2, 9}, 5);
  EXPECT_NE(Check().find("has a record of"), std::string::npos) << Check();
}

TEST_F(FollowersTest, AnIndexIsComparedRowByRow) {
  const auto check = [&](const std::vector<std::pair<uint32_t, ItemState>>& rows) {
    return CheckIndex(built_.history(), "i", items_, rows).ToString();
  };
  EXPECT_EQ(check({{0, Item({1, 2}, 5)}}), "");
  EXPECT_NE(check({}).find("has no row"), std::string::npos);
  EXPECT_NE(check({{0, Item({1}, 5)}}).find("its row"), std::string::npos);
  EXPECT_NE(check({{0, Item({1, 2}, 5)}, {1, Item({3}, 4)}}).find("is left"), std::string::npos);
  EXPECT_NE(check({{0, Item({1, 2}, 5)}, {0, Item({1}, 4)}}).find("two rows"), std::string::npos);
}

// Asked at 140, allowed to be `staleness` old.
std::string CheckStale(Sighting sighting, Time staleness) {
  HistoryBuilder built;
  built.Add(0, 10, {Put(0, 1, 5)}).Add(20, 30, {Put(0, 2, 6)}).Add(100, 110, {Saw(Delete(0), Item({2}, 6))});
  built.Add(120, 130, {Put(0, 3, 5)});
  Access access;
  access.before = std::move(sighting);
  built.Add(140 - staleness, 150, {access});
  built.last().is_stale_read = true;
  const std::vector<StreamRecord> records{{0, "1", "INSERT", {}, Item({1}, 5)},
                                          {0, "2", "MODIFY", Item({1}, 5), Item({2}, 6)},
                                          {0, "3", "REMOVE", Item({2}, 6), {}},
                                          {0, "4", "INSERT", {}, Item({3}, 5)}};
  return CheckStaleReads(built.history(), records).ToString();
}

TEST(StaleReadTest, AReadMayBeAsOldAsItsIntervalSaysAndNoOlder) {
  EXPECT_EQ(CheckStale(Sighting::Whole(Item({3}, 5)), 0), "");
  EXPECT_EQ(CheckStale(Sighting::Whole({}), 15), "");
  EXPECT_NE(CheckStale(Sighting::Whole({}), 5).find("older than allowed"), std::string::npos);
  EXPECT_EQ(CheckStale(Sighting::Whole(Item({1}, 5)), 115), "");
  EXPECT_NE(CheckStale(Sighting::Whole(Item({1}, 5)), 105).find("older than allowed"), std::string::npos);
}

TEST(StaleReadTest, AnIndexMayLackWhatItLackedThen) {
  EXPECT_NE(CheckStale(Sighting::NotInGroup(5), 5).find("older than allowed"), std::string::npos);
  EXPECT_EQ(CheckStale(Sighting::NotInGroup(5), 15), "");
}

}  // namespace
}  // namespace armature::arena
