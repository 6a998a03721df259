// What reaches a function, in which order, through splits, crashes and changes.
#include <algorithm>
#include <atomic>

#include "table/keys/key_layout.h"
#include "table/system_records.h"
#include "triggers/triggers_testing.h"

namespace armature::triggers {
namespace {

TEST_F(TriggersTest, DeliversParentsBeforeChildren) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  Strings expected;
  for (int number = 0; number < 60; ++number) {
    PutNumber(*table, number);
    expected.push_back(std::to_string(number));
    if (number % 20 == 10) SplitAll(table);
    // Lanes without a record in between, which are done before they are begun.
    if (number % 20 == 10) EndAll(table, false);
    if (number == 30) Create(On(*table));
  }
  EXPECT_TRUE(Delivers(expected)) << testing::PrintToString(Delivered());
}

TEST_F(TriggersTest, LatestStartsAtItsCreation) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  PutNumber(*table, 1);
  SplitAll(table);
  PutNumber(*table, 2);
  Mapping mapping = On(*table);
  mapping.starting_position = StartingPosition::kLatest;
  Create(mapping);
  PutNumber(*table, 3);
  EXPECT_TRUE(Delivers({"3"}));
}

TEST_F(TriggersTest, ProgressSurvivesACrash) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  const std::string uuid = Create(On(*table));
  PutNumber(*table, 1);
  SplitAll(table);
  PutNumber(*table, 2);
  ASSERT_TRUE(Delivers({"1", "2"})) << testing::PrintToString(Delivered());
  // The parent's end and the child's progress.
  ASSERT_TRUE(Eventually([&] { return CursorCount(*table, uuid) == 3; }));
  ASSERT_TRUE(Eventually([&] {
    const auto state = table->journal().state();
    const auto cursors = RunBlocking(journal_->LoadCursors(*table, "trigger/" + uuid));
    return std::all_of(cursors->begin(), cursors->end(), [&](const auto& cursor) {
      const table::Lane* lane = state->FindLane(cursor.lane);
      return cursor.next >= journal_->LatestNow(*table, lane->id);
    });
  }));
  CrashAll();
  const auto again = Find("t");
  PutNumber(*again, 3);
  EXPECT_TRUE(Delivers({"1", "2", "3"})) << testing::PrintToString(Delivered());
}

TEST_F(TriggersTest, WhatFailsComesAgainAfterACrash) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  Create(On(*table, "failing"));
  PutNumber(*table, 1);
  ASSERT_TRUE(Eventually([&] { return !Delivered("failing").empty(); }));
  CrashAll();
  PutNumber(*Find("t"), 2);
  std::ofstream(folder_ + "/mended") << "yes";
  ASSERT_TRUE(Eventually([&] { return !Delivered("failing").empty() && Delivered("failing").back() == "2"; }));
  const Strings all = Delivered("failing");
  EXPECT_EQ(all[all.size() - 2], "1") << testing::PrintToString(all);
}

TEST_F(TriggersTest, AnUpdatedMappingGoesOnWhereItWas) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  const std::string uuid = Create(On(*table, "failing"));
  PutNumber(*table, 1);
  ASSERT_TRUE(Eventually([&] { return !Delivered("failing").empty(); }));
  const auto edit = [](Mapping& mapping) -> model::ApiResult<void> {
    mapping.function_name = "log";
    return {};
  };
  ASSERT_TRUE(RunBlocking(triggers_->Update(table::kScope, uuid, edit)));
  PutNumber(*table, 2);
  EXPECT_TRUE(Delivers({"1", "2"}));
}

TEST_F(TriggersTest, ADeletedMappingLeavesNothing) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  const std::string uuid = Create(On(*table));
  PutNumber(*table, 1);
  ASSERT_TRUE(Eventually([&] { return CursorCount(*table, uuid) == 1; }));
  ASSERT_TRUE(RunBlocking(triggers_->Delete(table::kScope, uuid)));
  EXPECT_FALSE(triggers_->Find(table::kScope, uuid));
  EXPECT_TRUE(triggers_->List(table::kScope).empty());
  EXPECT_FALSE(RunBlocking(triggers_->Delete(table::kScope, uuid)));
  EXPECT_TRUE(Eventually([&] { return CursorCount(*table, uuid) == 0; }));
  CrashAll();
  EXPECT_TRUE(triggers_->List(table::kScope).empty());
}

TEST_F(TriggersTest, TheSameMappingTwiceIsRefused) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  Create(On(*table));
  const auto again = RunBlocking(triggers_->Create(On(*table)));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().name, "ResourceConflictException");
  EXPECT_EQ(again.error().http_status, 409);
  Mapping other = On(*table);
  other.event_source_arn += "x";
  EXPECT_EQ(RunBlocking(triggers_->Create(other)).error().name, "InvalidParameterValueException");
}

Mapping TriggerOfTheFile(const std::string& table) {
  Mapping trigger;
  trigger.account = table::kScope.account;
  trigger.region = table::kScope.region;
  trigger.trigger_name = "mine";
  trigger.table_name = table;
  trigger.function_name = "log";
  trigger.uuid = UuidOfTrigger(trigger.account, trigger.region, trigger.trigger_name);
  return trigger;
}

TEST_F(TriggersTest, ATriggerOfTheFileIsBoundToTheStreamOfItsTable) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  PutNumber(*table, 1);
  const Mapping trigger = TriggerOfTheFile("t");
  config_.triggers.push_back(trigger);
  StartTriggers();
  ASSERT_TRUE(Delivers({"1"}));
  // What is left of the old stream comes before the new one.
  PutNumber(*table, 2);
  SetStream("t", "");
  SetStream("t", "NEW_IMAGE");
  PutNumber(*table, 3);
  EXPECT_TRUE(Delivers({"1", "2", "3"}));
  const auto mapping = triggers_->Find(table::kScope, trigger.uuid);
  ASSERT_TRUE(mapping);
  EXPECT_EQ(triggers_->StateOf(*mapping), "Enabled");
  EXPECT_EQ(RunBlocking(triggers_->Delete(table::kScope, trigger.uuid)).error().name, "ResourceInUseException");
  // Out of the file it rests, and may be deleted.
  config_.triggers.clear();
  triggers_.reset();
  StartTriggers();
  const auto left_over = triggers_->Find(table::kScope, trigger.uuid);
  ASSERT_TRUE(left_over);
  EXPECT_EQ(triggers_->StateOf(*left_over), "Disabled");
  EXPECT_TRUE(RunBlocking(triggers_->Delete(table::kScope, trigger.uuid)));
}

// The old stream was passed over when its progress could not be read just then.
TEST_F(TriggersTest, WhatIsLeftOfAnOldStreamWaitsUntilItsProgressCanBeRead) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  const Mapping trigger = TriggerOfTheFile("t");
  config_.triggers.push_back(trigger);
  StartTriggers();
  PutNumber(*table, 1);
  ASSERT_TRUE(Delivers({"1"}));
  triggers_.reset();
  PutNumber(*table, 2);
  SetStream("t", "");
  SetStream("t", "NEW_IMAGE");
  PutNumber(*table, 3);
  // The first scan of the triggers' own thread, which is the first to be started.
  std::atomic<bool> is_first{true};
  start_thread_ = [&](std::function<void()> body) {
    if (is_first.exchange(false)) disk().FailNext(storage::FaultyEngine::Point::kScan, 1, Status::IoError("not now"));
    return std::thread(std::move(body));
  };
  StartTriggers();
  EXPECT_TRUE(Delivers({"1", "2", "3"})) << testing::PrintToString(Delivered());
}

TEST_F(TriggersTest, PartsOfALaneKeepTheOrderOfTheirItems) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  Mapping mapping = On(*table);
  mapping.parallelization_factor = 4;
  mapping.batch_size = 3;
  Create(mapping);
  for (int number = 0; number < 100; ++number) PutNumber(*table, number, "key" + std::to_string(number % 10));
  ASSERT_TRUE(Eventually([&] { return Delivered().size() == 100; }));
  std::vector<int> last(10, -1);
  for (const std::string& text : Delivered()) {
    const int number = std::stoi(text);
    EXPECT_EQ(number,
              last[static_cast<size_t>(number % 10)] < 0 ? number % 10 : last[static_cast<size_t>(number % 10)] + 10);
    last[static_cast<size_t>(number % 10)] = number;
  }
  for (const Strings& call : Calls()) EXPECT_LE(call.size(), 3u);
}

TEST_F(TriggersTest, CursorsOfTrimmedLanesGo) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  const std::string uuid = Create(On(*table));
  PutNumber(*table, 1);
  SplitAll(table);
  PutNumber(*table, 2);
  ASSERT_TRUE(Delivers({"1", "2"}));
  ASSERT_TRUE(Eventually([&] { return CursorCount(*table, uuid) == 3; }));
  clock_.AdvanceMillis(options_.retention_millis * 2);
  ASSERT_TRUE(Eventually([&] {
    EXPECT_TRUE(RunBlocking(journal_->KeepHouse()).ok());
    const auto state = table->journal().state();
    const auto cursors = RunBlocking(journal_->LoadCursors(*table, "trigger/" + uuid));
    return std::all_of(cursors->begin(), cursors->end(),
                       [&](const auto& cursor) { return state->FindLane(cursor.lane); }) &&
           state->lanes.front().id != 1;
  }));
}

TEST_F(TriggersTest, FilteredRecordsCountAsDone) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  Mapping mapping = On(*table);
  mapping.filters = {R"({"dynamodb":{"NewImage":{"n":{"N":["5"]}}}})"};
  const std::string uuid = Create(mapping);
  for (int number = 0; number < 10; ++number) PutNumber(*table, number);
  ASSERT_TRUE(Delivers({"5"}));
  EXPECT_TRUE(Eventually([&] {
    const auto cursors = RunBlocking(journal_->LoadCursors(*table, "trigger/" + uuid));
    return cursors->size() == 1 && cursors->front().next == journal_->LatestNow(*table, cursors->front().lane);
  }));
}

TEST_F(TriggersTest, AMappingThatCannotBeReadCostsNoOther) {
  const auto table = CreateStream("T", "KEYS_ONLY");
  StartTriggers();
  const std::string lost = Create(On(*table)), kept = Create(On(*table, "failing"));
  triggers_.reset();
  storage::Batch damage;
  damage.Put(table::TriggerKey(lost), "\xff");
  ASSERT_TRUE(RunBlocking(table::WriteSystemRecordsDurably(*engine_, damage)).ok());
  CrashAll();
  EXPECT_EQ(triggers_->Find(table::kScope, lost), nullptr);
  EXPECT_EQ(triggers_->MissingMapping(lost).name, "ServiceException");
  EXPECT_EQ(triggers_->MissingMapping("another").name, "ResourceNotFoundException");
  EXPECT_EQ(RunBlocking(triggers_->Delete(table::kScope, lost)).error().name, "ServiceException");
  ASSERT_NE(triggers_->Find(table::kScope, kept), nullptr);
  EXPECT_EQ(triggers_->List(table::kScope).size(), 1u);
}

}  // namespace
}  // namespace armature::triggers
