// Attribute lists among the house's records: what is read back, and what stops a start.
#include "server/dax/list_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/async.h"
#include "base/metrics.h"
#include "dax/attributes/attribute_lists.h"
#include "storage/faulty/faulty_engine.h"
#include "table/keys/key_layout.h"
#include "table/system_records.h"

namespace armature::server {
namespace {

using dax::AttributeList;
using dax::AttributeNames;
using storage::FaultyEngine;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kOwnListAccount = "111122223333";
const std::string kOtherListAccount = "444455556666";

class ListRecordsTest : public testing::Test {
 protected:
  static std::shared_ptr<const AttributeList> List(AttributeNames names, std::string account = kOwnListAccount) {
    return std::make_shared<const AttributeList>(AttributeList{std::move(account), std::move(names)});
  }
  static Status Append(ListRecords& records, std::vector<std::shared_ptr<const AttributeList>> lists) {
    return records.Append(lists);
  }
  void Change(const std::function<void(storage::Batch&)>& change) {
    storage::Batch batch;
    change(batch);
    ASSERT_TRUE(RunBlocking(table::WriteSystemRecordsDurably(*engine_, batch)).ok());
  }
  // What the next start says of them.
  std::string WhyNot() {
    ListRecords again(*engine_, kOwnListAccount);
    const auto loaded = again.Load();
    return loaded ? "ok" : loaded.error().message();
  }

  Metrics metrics_;
  std::unique_ptr<FaultyEngine> engine_ = storage::OpenFaultyEngine({}, metrics_);
};

TEST_F(ListRecordsTest, WhatWasAppendedIsReadInItsOrder) {
  ListRecords records(*engine_, kOwnListAccount);
  EXPECT_THAT(*records.Load(), IsEmpty());
  EXPECT_TRUE(Append(records, {List({"a", "b"}), List({"größe", ""}, kOtherListAccount)}).ok());
  EXPECT_TRUE(Append(records, {List({std::string(70'000, 'n')})}).ok());
  ListRecords again(*engine_, kOwnListAccount);
  const auto loaded = again.Load();
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_THAT(*loaded,
              ElementsAre(AttributeList{kOwnListAccount, {"a", "b"}}, AttributeList{kOtherListAccount, {"größe", ""}},
                          AttributeList{kOwnListAccount, {std::string(70'000, 'n')}}));
  EXPECT_TRUE(Append(again, {List({"c"})}).ok());
  EXPECT_EQ(ListRecords(*engine_, kOwnListAccount).Load()->size(), 4u);
}

TEST_F(ListRecordsTest, HundredsKeepTheirOrder) {
  ListRecords records(*engine_, kOwnListAccount);
  ASSERT_TRUE(records.Load());
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(Append(records, {List({std::to_string(i)})}).ok());
  const auto loaded = ListRecords(*engine_, kOwnListAccount).Load();
  ASSERT_TRUE(loaded);
  for (int i = 0; i < 300; ++i) EXPECT_EQ((*loaded)[static_cast<size_t>(i)].names, AttributeNames{std::to_string(i)});
}

TEST_F(ListRecordsTest, WhatFailedIsAppendedAgainAtItsPlace) {
  ListRecords records(*engine_, kOwnListAccount);
  ASSERT_TRUE(records.Load());
  ASSERT_TRUE(Append(records, {List({"a"})}).ok());
  engine_->FailNext(FaultyEngine::Point::kCommit, 1, Status::NoSpace("full"));
  EXPECT_FALSE(Append(records, {List({"b"})}).ok());
  EXPECT_TRUE(Append(records, {List({"b"}), List({"c"})}).ok());
  EXPECT_THAT(*ListRecords(*engine_, kOwnListAccount).Load(),
              ElementsAre(AttributeList{kOwnListAccount, {"a"}}, AttributeList{kOwnListAccount, {"b"}},
                          AttributeList{kOwnListAccount, {"c"}}));
}

// Whoever wrote them knew no accounts.
TEST_F(ListRecordsTest, ListsOfBeforeAreTheServersOwnAccounts) {
  Change([](storage::Batch& batch) { batch.Put(table::DaxListKey(0), std::string("\1\2\1a\1b", 6)); });
  ListRecords records(*engine_, kOwnListAccount);
  ASSERT_THAT(*records.Load(), ElementsAre(AttributeList{kOwnListAccount, {"a", "b"}}));
  EXPECT_TRUE(Append(records, {List({"c"}, kOtherListAccount)}).ok());
  EXPECT_THAT(*ListRecords(*engine_, kOwnListAccount).Load(),
              ElementsAre(AttributeList{kOwnListAccount, {"a", "b"}}, AttributeList{kOtherListAccount, {"c"}}));
}

// A number that has lost its names would be given to others, and items be shown under these.
TEST_F(ListRecordsTest, AGapStopsTheStart) {
  ListRecords records(*engine_, kOwnListAccount);
  ASSERT_TRUE(records.Load());
  ASSERT_TRUE(Append(records, {List({"a"}), List({"b"}), List({"c"})}).ok());
  Change([](storage::Batch& batch) { batch.Delete(table::DaxListKey(1)); });
  EXPECT_EQ(WhyNot(), "the record of DAX's attribute list 1 is missing");
  dax::AttributeLists lists(&records);
  EXPECT_FALSE(lists.Load().ok());
}

TEST_F(ListRecordsTest, DamageStopsTheStart) {
  ListRecords records(*engine_, kOwnListAccount);
  ASSERT_TRUE(records.Load());
  ASSERT_TRUE(Append(records, {List({"a", "b"})}).ok());
  const std::string whole("\2\1x\2\1a\1b", 8);
  Change([&](storage::Batch& batch) { batch.Put(table::DaxListKey(0), whole); });
  EXPECT_EQ(WhyNot(), "ok");
  for (size_t size = 1; size < whole.size(); ++size) {
    Change([&](storage::Batch& batch) { batch.Put(table::DaxListKey(0), whole.substr(0, size)); });
    EXPECT_EQ(WhyNot(), "the record of DAX's attribute list 0 is damaged") << size;
  }
  Change([&](storage::Batch& batch) { batch.Put(table::DaxListKey(0), whole + "x"); });
  EXPECT_THAT(WhyNot(), HasSubstr("damaged"));
  Change([&](storage::Batch& batch) { batch.Put(table::DaxListKey(0), "\3" + whole.substr(1)); });
  EXPECT_THAT(WhyNot(), HasSubstr("newer form"));
  // It says that there are more names than there could be.
  Change(
      [&](storage::Batch& batch) { batch.Put(table::DaxListKey(0), std::string("\2\0\xff\xff\xff\xff\xff\x7f", 8)); });
  EXPECT_THAT(WhyNot(), HasSubstr("damaged"));
}

}  // namespace
}  // namespace armature::server
