#include "table/journal/journal.h"

#include <map>

#include "model/names/arn.h"
#include "table/journal/journal_testing.h"
#include "table/keys/key_layout.h"
#include "table/system_records.h"
#include "table/write/pending_records.h"

namespace armature::table {

namespace {

using Strings = std::vector<std::string>;

// --- what is recorded

TEST_F(JournalTest, RecordsTellWhatBecameOfAnItem) {
  const auto table = CreateStream("t", "NEW_AND_OLD_IMAGES");
  EXPECT_EQ(Put(*table, "pk=S:a,n=N:1"), "ok");
  EXPECT_EQ(Put(*table, "pk=S:a,n=N:2"), "ok");
  EXPECT_EQ(Do(TestWrite::Update(*table, "pk=S:a", "SET m = :m", {}, {{":m", "S:x"}})), "ok");
  EXPECT_EQ(Delete(*table, "pk=S:a"), "ok");
  EXPECT_EQ(ReadAll(*table),
            (Strings{"INSERT pk=S:a new n=N:1,pk=S:a", "MODIFY pk=S:a old n=N:1,pk=S:a new n=N:2,pk=S:a",
                     "MODIFY pk=S:a old n=N:2,pk=S:a new m=S:x,n=N:2,pk=S:a", "REMOVE pk=S:a old m=S:x,n=N:2,pk=S:a"}));
}

TEST_F(JournalTest, OnlyTheImagesThatAreNeededAreKept) {
  const std::pair<std::string, Strings> kViews[] = {
      {"KEYS_ONLY", {"INSERT pk=S:a", "MODIFY pk=S:a", "REMOVE pk=S:a"}},
      {"NEW_IMAGE", {"INSERT pk=S:a new n=N:1,pk=S:a", "MODIFY pk=S:a new n=N:2,pk=S:a", "REMOVE pk=S:a"}},
      {"OLD_IMAGE", {"INSERT pk=S:a", "MODIFY pk=S:a old n=N:1,pk=S:a", "REMOVE pk=S:a old n=N:2,pk=S:a"}},
  };
  for (const auto& [view, expected] : kViews) {
    const auto table = CreateStream("t" + view, view);
    Put(*table, "pk=S:a,n=N:1");
    Put(*table, "pk=S:a,n=N:2");
    Delete(*table, "pk=S:a");
    EXPECT_EQ(ReadAll(*table), expected) << view;
  }
}

TEST_F(JournalTest, AReaderMayAskForLessThanIsKept) {
  const auto table = CreateStream("t", "NEW_AND_OLD_IMAGES");
  Put(*table, "pk=S:a,n=N:1");
  Put(*table, "pk=S:a,n=N:2");
  EXPECT_EQ(ReadAll(*table, model::kNoImages), (Strings{"INSERT pk=S:a", "MODIFY pk=S:a"}));
  EXPECT_EQ(ReadAll(*table, model::kNewImage),
            (Strings{"INSERT pk=S:a new n=N:1,pk=S:a", "MODIFY pk=S:a new n=N:2,pk=S:a"}));
}

TEST_F(JournalTest, WritesThatChangeNothingAreNotRecorded) {
  const auto table = CreateStream("t", "NEW_AND_OLD_IMAGES");
  Put(*table, "pk=S:a,n=N:1,s=SS[x,y],m=M{p=N:1,q=N:2}");
  Put(*table, "m=M{q=N:2.0,p=N:1},s=SS[y,x],pk=S:a,n=N:1.00");
  EXPECT_EQ(Do(TestWrite::Update(*table, "pk=S:a", "SET n = :n REMOVE absent", {}, {{":n", "N:1"}})), "ok");
  EXPECT_EQ(Do(TestWrite::Update(*table, "pk=S:b", "REMOVE absent")), "ok") << "creates nothing either";
  EXPECT_EQ(Delete(*table, "pk=S:missing"), "ok");
  EXPECT_EQ(Do(TestWrite::Put(*table, "pk=S:a,n=N:7", "attribute_not_exists(pk)")), "condition");
  EXPECT_EQ(ReadAll(*table).size(), 1u);
  EXPECT_EQ(JournalRows(*table), 1u);
}

TEST_F(JournalTest, BatchesAndTransactionsRecordEachEffectiveWrite) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  const auto other = CreateStream("u", "KEYS_ONLY");
  const auto plain = layer_->CreateTable("plain");
  Put(*table, "pk=S:same,n=N:1");
  const auto run = [&](bool is_transaction, const Strings& puts, const Strings& puts_elsewhere,
                       std::string_view condition) {
    Arena arena;
    std::vector<std::unique_ptr<TestWrite>> owned;
    for (const auto& put : puts) owned.push_back(TestWrite::Put(*table, put, condition));
    for (const auto& put : puts_elsewhere) owned.push_back(TestWrite::Put(*other, put));
    owned.push_back(TestWrite::Put(*plain, "pk=S:p"));
    const auto writes = std::make_unique<ItemWrite[]>(owned.size());
    for (size_t i = 0; i < owned.size(); ++i) {
      const ItemWrite& from = owned[i]->write();
      writes[i].kind = from.kind;
      writes[i].table = from.table;
      writes[i].key = from.key;
      writes[i].put_item = from.put_item;
      writes[i].put_item_size = from.put_item_size;
      writes[i].condition = from.condition;
    }
    const std::span<ItemWrite> all(writes.get(), owned.size());
    if (!is_transaction) return RunBlocking(layer_->writes.ExecuteBatch(all, arena)).has_value();
    const auto done = RunBlocking(layer_->writes.ExecuteTransaction(all, nullptr, arena));
    return done && *done;
  };
  EXPECT_TRUE(run(false, {"pk=S:same,n=N:1", "pk=S:b1,n=N:1", "pk=S:b2,n=N:1"}, {"pk=S:o1"}, {}));
  EXPECT_TRUE(run(true, {"pk=S:same,n=N:1", "pk=S:t1,n=N:1"}, {"pk=S:o1", "pk=S:o2"}, {}));
  EXPECT_FALSE(run(true, {"pk=S:c1,n=N:1", "pk=S:b1,n=N:2"}, {"pk=S:o3"}, "attribute_not_exists(pk)"));
  EXPECT_EQ(ReadAll(*table), (Strings{"INSERT pk=S:same", "INSERT pk=S:b1", "INSERT pk=S:b2", "INSERT pk=S:t1"}));
  EXPECT_EQ(ReadAll(*other), (Strings{"INSERT pk=S:o1", "INSERT pk=S:o2"}));
  EXPECT_EQ(JournalRows(*plain), 0u) << "a table nobody follows writes no records";
  Put(*table, "pk=S:last");
  EXPECT_EQ(ReadAll(*table).size(), 5u) << "a cancelled transaction does not hold up those behind it";
}

TEST_F(JournalTest, DeletionsByTtlAreMarked) {
  const auto table = CreateStream("t", "OLD_IMAGE");
  Put(*table, "pk=S:a,n=N:1");
  const auto enable_ttl = [](model::TableDef& def) -> model::ApiResult<void> {
    def.ttl = {model::TtlStatus::kEnabled, "n", 0};
    return {};
  };
  ASSERT_TRUE(RunBlocking(layer_->catalog.Update(kScope, "t", enable_ttl)).has_value());
  auto write = TestWrite::Delete(*table, "pk=S:a");
  write->write().by_ttl = true;
  EXPECT_EQ(Do(std::move(write)), "ok");
  EXPECT_EQ(ReadAll(*table).back(), "REMOVE pk=S:a old n=N:1,pk=S:a ttl");
}

// --- order and visibility

// A commit of a record whose time the test chooses.
class SlowCommit {
 public:
  SlowCommit(storage::Engine& engine, Table& table, std::string_view key)
      : engine_(engine), partition_(table.partitions().Find(0)) {
    records_.Add(table, {expr::MakeItem(arena_, key), {}, "new", false}, 1, batch_);
  }
  void Commit() {
    commit_.partition = &partition_->handle();
    commit_.batch = &batch_;
    engine_.Commit(commit_);
  }
  // The writer hears of it.
  void Settle() {
    partition_->NoteCommitted(commit_.mark);
    records_.Settle(*partition_, commit_.sequence);
  }

 private:
  storage::Engine& engine_;
  const std::shared_ptr<Partition> partition_;
  Arena arena_;
  storage::Batch batch_;
  storage::CommitOp commit_;
  PendingRecords records_;
};

TEST_F(JournalTest, NoRecordAppearsBehindAReader) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  Put(*table, "pk=S:before");
  SlowCommit first(*engine_, *table, "pk=S:first"), second(*engine_, *table, "pk=S:second");
  const LaneId lane = table->journal().state()->lanes.front().id;
  first.Commit();
  second.Commit();
  auto lines = ReadLane(*table, lane, 0);
  EXPECT_EQ(lines.records, (Strings{"INSERT pk=S:before"})) << "nobody has heard of the others";
  second.Settle();
  lines = ReadLane(*table, lane, lines.next);
  EXPECT_EQ(lines.records, (Strings{"INSERT pk=S:first", "INSERT pk=S:second"})) << "with one come all before it";
  first.Settle();
  EXPECT_EQ(ReadLane(*table, lane, lines.next).records, Strings{});
}

TEST_F(OnDiskJournalTest, WhatIsReadIsDurable) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  disk().SetAutoSync(false);
  SlowCommit commit(*engine_, *table, "pk=S:a");
  commit.Commit();
  commit.Settle();
  const LaneId lane = table->journal().state()->lanes.front().id;
  StepExecutor executor;
  std::optional<Strings> seen;
  const auto read = [&]() -> Task<void> {
    Arena arena;
    auto page = co_await journal_->Read(*table, lane, 0, {}, model::kNoImages, arena);
    EXPECT_TRUE(page.has_value());
    seen.emplace();
    for (const auto& record : page->records) seen->push_back(Show(record));
  };
  executor.Start(read());
  EXPECT_FALSE(seen) << "not on disk yet";
  EXPECT_TRUE(disk().Sync().ok());
  executor.RunUntil([&] { return seen.has_value(); });
  EXPECT_EQ(*seen, (Strings{"INSERT pk=S:a"}));
}

TEST_F(JournalTest, PagesAreFullAndContinue) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  for (int i = 0; i < 25; ++i) Put(*table, fmt::format("pk=S:k{}", i));
  const LaneId lane = table->journal().state()->lanes.front().id;
  Arena arena;
  auto page = RunBlocking(journal_->Read(*table, lane, 0, {10, 1 << 20}, 0, arena));
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->records.size(), 10u);
  EXPECT_FALSE(page->is_caught_up);
  EXPECT_EQ(page->next, page->records.back().position + 1);
  EXPECT_EQ(ReadLane(*table, lane, 0, 10).records.size(), 25u);
  page = RunBlocking(journal_->Read(*table, lane, 0, {1000, 1}, 0, arena));
  EXPECT_EQ(page->records.size(), 1u) << "at least one, however small the page";
}

// --- streams

TEST_F(JournalTest, AStreamIsAWindow) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  Put(*table, "pk=S:first");
  SetStream("t", "");
  Put(*table, "pk=S:unseen");
  SetStream("t", "NEW_IMAGE");
  Put(*table, "pk=S:second");
  const auto state = table->journal().state();
  ASSERT_EQ(state->streams.size(), 2u);
  EXPECT_FALSE(state->streams[0].is_enabled());
  const auto old_lanes = state->LanesOf(state->streams[0]);
  ASSERT_EQ(old_lanes.size(), 1u);
  const auto old = ReadLane(*table, old_lanes[0]->id, 0);
  EXPECT_EQ(old.records, (Strings{"INSERT pk=S:first"}));
  EXPECT_TRUE(old.is_done);
  EXPECT_EQ(ReadAll(*table), (Strings{"INSERT pk=S:second new pk=S:second"}));
}

TEST_F(JournalTest, StreamsAreFoundByArnAndListed) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  CreateStream("s", "KEYS_ONLY");
  SetStream("t", "");
  SetStream("t", "NEW_IMAGE");
  const std::string arn = model::MakeStreamArn(table->def()->Arn(), "label-3");
  ASSERT_TRUE(journal_->FindStream(arn));
  EXPECT_EQ(journal_->FindStream(arn)->stream->images, model::kNewImage);
  EXPECT_FALSE(journal_->FindStream(model::MakeStreamArn(table->def()->Arn(), "label-9")));
  EXPECT_FALSE(journal_->FindStream("nonsense"));
  Strings labels;
  for (const auto& ref : journal_->ListStreams(kScope, {})) labels.push_back(ref.stream->label);
  EXPECT_EQ(labels, (Strings{"label-2", "label-1", "label-3"}));
  EXPECT_EQ(journal_->ListStreams(kScope, "s").size(), 1u);

  clock_.AdvanceMillis(options_.retention_millis - 1);
  EXPECT_TRUE(journal_->FindStream(model::MakeStreamArn(table->def()->Arn(), "label-1")));
  clock_.AdvanceMillis(1);
  EXPECT_FALSE(journal_->FindStream(model::MakeStreamArn(table->def()->Arn(), "label-1")))
      << "a day after it was disabled";
  EXPECT_TRUE(journal_->FindStream(arn));
}

TEST_F(JournalTest, StreamsOfADeletedTableStayForADay) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  Put(*table, "pk=S:a");
  const std::string arn = table->def()->StreamArn();
  const auto remove = [](model::TableDef&) -> model::ApiResult<void> { return {}; };
  ASSERT_TRUE(RunBlocking(layer_->catalog.Delete(kScope, "t", remove)).has_value());
  EXPECT_EQ(Find("t"), nullptr);
  ASSERT_TRUE(RunBlocking(journal_->KeepHouse()).ok());
  const auto again = CreateStream("t", "KEYS_ONLY");  // of the same name
  Put(*again, "pk=S:b");
  Restart();

  auto ref = journal_->FindStream(arn);
  ASSERT_TRUE(ref);
  EXPECT_FALSE(ref->stream->is_enabled());
  const auto lanes = ref->state->LanesOf(*ref->stream);
  ASSERT_EQ(lanes.size(), 1u);
  const auto lines = ReadLane(*ref->table, lanes[0]->id, 0);
  EXPECT_EQ(lines.records, (Strings{"INSERT pk=S:a"}));
  EXPECT_TRUE(lines.is_done);
  EXPECT_EQ(journal_->ListStreams(kScope, "t").size(), 2u);
  EXPECT_EQ(RunBlocking(engine_->ListPartitions())->size(), 3u);

  clock_.AdvanceMillis(options_.retention_millis);
  ASSERT_TRUE(RunBlocking(journal_->KeepHouse()).ok());
  EXPECT_FALSE(journal_->FindStream(arn));
  EXPECT_EQ(RunBlocking(engine_->ListPartitions())->size(), 2u) << "the system's and the new table's";
  ref.reset();
  Restart();
  EXPECT_EQ(ReadAll(*Find("t")), (Strings{"INSERT pk=S:b"}));
}

// --- restarts

TEST_F(JournalTest, NumbersGoOnAfterARestart) {
  auto table = CreateStream("t", "KEYS_ONLY");
  Put(*table, "pk=S:a");
  const LaneId lane = table->journal().state()->lanes.front().id;
  const auto before = ReadLane(*table, lane, 0);
  const Position latest = Latest(*table, lane);
  table.reset();
  Restart();
  table = Find("t");
  Put(*table, "pk=S:b");
  const auto after = ReadLane(*table, lane, 0);
  EXPECT_EQ(after.records, (Strings{"INSERT pk=S:a", "INSERT pk=S:b"}));
  EXPECT_EQ(after.positions[0], before.positions[0]);
  EXPECT_GE(after.positions[1], latest);
  EXPECT_EQ(ReadLane(*table, lane, before.next).records, (Strings{"INSERT pk=S:b"})) << "a reader goes on where it was";
}

// Commits that record nothing take numbers too, and a crash may take them back.
TEST_F(OnDiskJournalTest, NoReaderIsSentBehindNumbersThatCameToNothing) {
  auto table = CreateStream("t", "KEYS_ONLY");
  Put(*table, "pk=S:a");
  const LaneId lane = table->journal().state()->lanes.front().id;
  const Position told = ReadLane(*table, lane, 0).next;
  disk().SetAutoSync(false);
  for (int i = 0; i < 3; ++i) {
    SlowCommit lost(*engine_, *table, "pk=S:lost");
    lost.Commit();
  }
  EXPECT_EQ(Latest(*table, lane), told);
  EXPECT_EQ(ReadLane(*table, lane, 0).next, told);
  table.reset();
  disk().SetAutoSync(true);
  Restart();
  table = Find("t");
  Put(*table, "pk=S:b");
  EXPECT_EQ(ReadLane(*table, lane, told).records, (Strings{"INSERT pk=S:b"}));
}

// A reader that stores where it is would otherwise have somewhere to go for ever.
TEST_F(OnDiskJournalTest, WhatReadersStoreDoesNotMoveTheEnd) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  Put(*table, "pk=S:a");
  const LaneId lane = table->journal().state()->lanes.front().id;
  const Position next = ReadLane(*table, lane, 0).next;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(RunBlocking(journal_->StoreCursors(*table, "r", {{lane, next}})).ok());
  EXPECT_EQ(ReadLane(*table, lane, next).next, next);
}

TEST_F(OnDiskJournalTest, NobodyIsSentBehindARecordThatACrashCanTakeBack) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  const LaneId lane = table->journal().state()->lanes.front().id;
  disk().SetAutoSync(false);
  SlowCommit commit(*engine_, *table, "pk=S:a");
  commit.Commit();
  commit.Settle();
  StepExecutor executor;
  std::optional<Position> told;
  const auto ask = [&]() -> Task<void> {
    const auto latest = co_await journal_->Latest(*table, lane);
    EXPECT_TRUE(latest.has_value());
    told = latest.value();
  };
  executor.Start(ask());
  EXPECT_FALSE(told) << "not on disk yet";
  EXPECT_TRUE(disk().Sync().ok());
  executor.RunUntil([&] { return told.has_value(); });
  EXPECT_EQ(told, journal_->LatestNow(*table, lane));
  disk().SetAutoSync(true);
}

TEST_F(JournalTest, AStreamThatWasNotOpenedBeforeTheCrashIsOpenedAtStart) {
  layer_->CreateTable("t");
  ASSERT_TRUE(RunBlocking(layer_->catalog.Update(kScope, "t", [](model::TableDef& def) -> model::ApiResult<void> {
                def.stream = {true, "KEYS_ONLY", "label"};
                return {};
              })).has_value());
  Restart();
  Put(*Find("t"), "pk=S:a");
  EXPECT_EQ(ReadAll(*Find("t")), (Strings{"INSERT pk=S:a"}));
}

TEST_F(OnDiskJournalTest, AChangeThatCannotBeStoredChangesNothing) {
  for (const bool is_split : {false, true}) {
    const auto table = CreateStream(is_split ? "split" : "renewed", "KEYS_ONLY");
    Put(*table, "pk=S:a");
    const LaneId lane = table->journal().state()->lanes.front().id;
    disk().FailNext(storage::FaultyEngine::Point::kCommit, 1, Status::IoError("test"));
    EXPECT_FALSE(EndLane(*journal_, table, lane, is_split).ok());
    Put(*table, "pk=S:b");
    EXPECT_EQ(ReadLane(*table, lane, 0).records.size(), 2u);
    EXPECT_FALSE(ReadLane(*table, lane, 0).is_done);
    EXPECT_TRUE(EndLane(*journal_, table, lane, is_split).ok());
    EXPECT_TRUE(ReadLane(*table, lane, 0).is_done);
  }
}

// --- splits

TEST_F(JournalTest, AnItemsOrderHoldsOverSplits) {
  auto table = CreateStream("t", "NEW_IMAGE");
  std::map<std::string, int> versions;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 40; ++i) {
      const std::string key = fmt::format("pk=S:k{}", i % 20);
      ASSERT_EQ(Put(*table, fmt::format("n=N:{},{}", ++versions[key], key)), "ok");
    }
    const auto state = table->journal().state();
    for (const Lane& lane : state->lanes) {
      if (!lane.is_open() || (lane.id + round) % 2 != 0) continue;
      ASSERT_TRUE(EndLane(*journal_, table, lane.id, true).ok());
    }
    if (round == 2) {
      table.reset();
      Restart();
      table = Find("t");
    }
  }
  EXPECT_GT(table->partitions().list()->size(), 3u);
  // Lanes are read parents first: then each item's records come in its order.
  std::map<std::string, int> seen;
  size_t records = 0;
  const auto state = table->journal().state();
  for (const Lane* lane : state->LanesOf(state->streams.back())) {
    for (const std::string& record : ReadLane(*table, lane->id, 0).records) {
      const std::string key = record.substr(7, record.find(' ', 7) - 7);
      EXPECT_NE(record.find(fmt::format("n=N:{},", ++seen[key])), std::string::npos) << record;
      ++records;
    }
  }
  EXPECT_EQ(seen, versions);
  EXPECT_EQ(records, 160u);
}

TEST_F(JournalTest, ACrashBetweenASplitAndItsLanesIsMadeUpFor) {
  auto table = CreateStream("t", "KEYS_ONLY");
  for (int i = 0; i < 10; ++i) Put(*table, fmt::format("pk=S:a{}", i));
  const storage::PartitionId id = table->partitions().Find(0)->id();
  ASSERT_TRUE(RunBlocking(engine_->SplitPartition(id, uint64_t{1} << 63, 90, 91)).ok());
  // Writers find the children before anybody has made lanes for them, and a reader of the parent gets on.
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Put(*table, fmt::format("pk=S:b{}", i)), "ok");
  const LaneId parent = table->journal().state()->lanes.front().id;
  for (Position next = 1; next < 6; ++next)
    ASSERT_TRUE(RunBlocking(journal_->StoreCursors(*table, "reader", {{parent, next}})).ok());
  table.reset();
  Restart();
  table = Find("t");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Put(*table, fmt::format("pk=S:c{}", i)), "ok");
  EXPECT_EQ(table->journal().state()->lanes.size(), 3u);
  EXPECT_EQ(ReadAll(*table).size(), 30u);
}

TEST_F(JournalTest, WhatWasSplitGoesWhenNobodyNeedsItsRecords) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  Put(*table, "pk=S:a");
  const auto plain = layer_->CreateTable("plain");
  ASSERT_TRUE(EndLane(*journal_, table, 1, true).ok());
  ASSERT_TRUE(RunBlocking(journal_->SplitPartition(plain, plain->partitions().Find(0)->id())).ok());
  ASSERT_TRUE(RunBlocking(journal_->KeepHouse()).ok());
  EXPECT_EQ(plain->partitions().ended()->size(), 0u) << "nobody follows";
  EXPECT_EQ(table->partitions().ended()->size(), 1u);
  EXPECT_EQ(ReadAll(*table).size(), 1u);
  clock_.AdvanceMillis(options_.retention_millis + 1);
  ASSERT_TRUE(RunBlocking(journal_->KeepHouse()).ok());
  ASSERT_TRUE(RunBlocking(journal_->KeepHouse()).ok());
  EXPECT_EQ(table->partitions().ended()->size(), 0u);
  EXPECT_EQ(ReadItem(layer_->reads, *table, "pk=S:a"), "pk=S:a");
}

// --- followers and cursors

TEST_F(JournalTest, CursorsAreDurableAndByReader) {
  auto table = CreateStream("t", "KEYS_ONLY");
  ASSERT_TRUE(EndLane(*journal_, table, 1, true).ok());
  ASSERT_TRUE(RunBlocking(journal_->StoreCursors(*table, "a", {{1, 10}, {2, 20}})).ok());
  ASSERT_TRUE(RunBlocking(journal_->StoreCursors(*table, "ab", {{1, 99}})).ok());
  ASSERT_TRUE(RunBlocking(journal_->StoreCursors(*table, "a", {{2, 21}})).ok());
  Restart();
  table = Find("t");
  const auto show = [&](const std::string& reader) {
    std::string text;
    const auto cursors = RunBlocking(journal_->LoadCursors(*table, reader));
    EXPECT_TRUE(cursors.has_value());
    for (const auto& cursor : *cursors) text += fmt::format("{}:{} ", cursor.lane, cursor.next);
    return text;
  };
  EXPECT_EQ(show("a"), "1:10 2:21 ");
  EXPECT_EQ(show("ab"), "1:99 ");
  ASSERT_TRUE(RunBlocking(journal_->RemoveCursors(*table, "a")).ok());
  EXPECT_EQ(show("a"), "");
  EXPECT_EQ(show("ab"), "1:99 ");
}

TEST_F(JournalTest, AFollowerGetsRecordsWithoutAStream) {
  auto table = layer_->CreateTable("t");
  Put(*table, "pk=S:before");
  ASSERT_TRUE(RunBlocking(journal_->Follow(table, "kinesis", model::kBothImages, Retention::kAtMostADay)).ok());
  Put(*table, "pk=S:a,n=N:1");
  Put(*table, "pk=S:a,n=N:2");
  table.reset();
  Restart();
  table = Find("t");
  Put(*table, "pk=S:a,n=N:3");
  const auto state = table->journal().state();
  const Follower* follower = state->FindFollower("kinesis");
  ASSERT_NE(follower, nullptr);
  const auto lanes = state->LanesOf(*follower);
  ASSERT_EQ(lanes.size(), 1u);
  EXPECT_EQ(ReadLane(*table, lanes[0]->id, lanes[0]->first).records.size(), 3u);
  EXPECT_TRUE(journal_->ListStreams(kScope, {}).empty());

  ASSERT_TRUE(RunBlocking(journal_->Unfollow(table, "kinesis")).ok());
  EXPECT_FALSE(table->journal().is_followed());
  Put(*table, "pk=S:after");
  EXPECT_EQ(JournalRows(*table), 3u);
}

TEST_F(JournalTest, AFollowerThatNeedsMoreGetsItFromItsFirstRecordOn) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  Put(*table, "pk=S:a,n=N:1");
  ASSERT_TRUE(RunBlocking(journal_->Follow(table, "kinesis", model::kBothImages, Retention::kAtMostADay)).ok());
  Put(*table, "pk=S:a,n=N:2");
  const auto state = table->journal().state();
  const auto lanes = state->LanesOf(state->followers.front());
  ASSERT_EQ(lanes.size(), 1u);
  EXPECT_EQ(ReadLane(*table, lanes[0]->id, lanes[0]->first).records,
            (Strings{"MODIFY pk=S:a old n=N:1,pk=S:a new n=N:2,pk=S:a"}));
  EXPECT_EQ(ReadAll(*table, model::kNoImages), (Strings{"INSERT pk=S:a", "MODIFY pk=S:a"}));
}

TEST_F(JournalTest, SleepersAreWokenByRecords) {
  const auto table = CreateStream("t", "KEYS_ONLY");
  uint64_t seen = journal_->AwaitRecords(0, std::chrono::milliseconds(0));
  EXPECT_EQ(journal_->AwaitRecords(seen, std::chrono::milliseconds(0)), seen);
  std::thread writer([&] { Put(*table, "pk=S:a"); });
  const uint64_t now = journal_->AwaitRecords(seen, std::chrono::minutes(1));
  EXPECT_GT(now, seen);
  writer.join();
}

TEST_F(JournalTest, AStateThatCannotBeReadCostsItsTableAlone) {
  const auto lost = CreateStream("Lost", "KEYS_ONLY"), kept = CreateStream("Kept", "KEYS_ONLY");
  EXPECT_EQ(Put(*kept, "pk=S:a"), "ok");
  for (const std::string_view record : {"", "{", "\xff", R"({"version":99})"}) {
    storage::Batch damage;
    damage.Put(JournalStateKey(lost->id()), record);
    ASSERT_TRUE(RunBlocking(WriteSystemRecordsDurably(*engine_, damage)).ok());
    Restart();
    EXPECT_EQ(Find("Lost"), nullptr);
    EXPECT_TRUE(layer_->catalog.WhyUnreadable(kScope, "Lost"));
    ASSERT_NE(Find("Kept"), nullptr);
    EXPECT_EQ(Put(*Find("Kept"), "pk=S:b"), "ok");
  }
}

}  // namespace
}  // namespace armature::table
