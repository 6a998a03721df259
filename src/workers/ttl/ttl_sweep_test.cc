// What is deleted when it has expired, and what is not.
#include "workers/ttl/ttl_sweep.h"

#include <atomic>
#include <random>
#include <thread>

#include <gmock/gmock.h>

#include "workers/ttl/ttl_testing.h"

namespace armature::workers {
namespace {

using model::TtlStatus;
using storage::FaultyEngine;
using table::TestWrite;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class TtlSweepTest : public TtlFixture {
 protected:
  using TtlFixture::TtlFixture;
  void PutExpiring(const std::string& key, int64_t in_seconds) {
    Put(fmt::format("pk=S:{},ttl=N:{}", key, Now() + in_seconds));
  }
};

TEST_F(TtlSweepTest, ExpiredItemsGoAndOthersStay) {
  constexpr int64_t kFiveYears = TtlSweep::kFiveYearsSeconds;
  PutExpiring("old", -60);
  PutExpiring("future", 100);
  PutExpiring("older-than-five-years", -kFiveYears - 1);
  Enable();
  PutExpiring("new", -60);
  PutExpiring("nearly-five-years", -kFiveYears + 60);
  Put("pk=S:none");
  Put(fmt::format("pk=S:text,ttl=S:{}", Now() - 60));
  Put(fmt::format("pk=S:set,ttl=NS[{}]", Now() - 60));
  Put(fmt::format("pk=S:millis,ttl=N:{}", clock_.NowMillis() - 60'000));
  Put("pk=S:zero,ttl=N:0");
  Put("pk=S:negative,ttl=N:-5");
  Put(fmt::format("pk=S:exponent,ttl=N:{}E-1", (Now() - 60) * 10));
  Sweep();
  EXPECT_THAT(Items(),
              ElementsAre("future", "millis", "negative", "none", "older-than-five-years", "set", "text", "zero"));
  EXPECT_EQ(Rows(), ExpectedRows());
  EXPECT_EQ(table_->CountItems().rows, 8);
  EXPECT_THAT(metrics_->RenderPrometheus(),
              HasSubstr("armature_ttl_deleted_items_total{region=\"r\",table=\"tbl\"} 4"));
}

TEST_F(TtlSweepTest, NobodyPaysForWhatHasExpired) {
  Enable();
  Put(fmt::format("pk=S:a,ttl=N:{},b=S:{}", Now() - 60, std::string(1500, 'x')));
  const table::Meter& meter = table_->partitions().Find(0)->meter();
  const double written = meter.write_units(), read = meter.read_units();
  Sweep();
  EXPECT_THAT(Items(), IsEmpty());
  EXPECT_EQ(meter.write_units(), written);
  EXPECT_EQ(meter.read_units(), read);
  EXPECT_EQ(meter.background_write_units(), 2) << "but it is counted";
}

TEST_F(TtlSweepTest, WhoListensToWritesHearsOfIt) {
  struct Listener final : table::WriteListener {
    void OnWritten(const table::Table&, model::Item key) noexcept override { heard.push_back(expr::Show(key)); }
    std::vector<std::string> heard;
  } listener;
  Enable();
  PutExpiring("a", -60);
  PutExpiring("b", 60);
  layer_->writes.SetListener(&listener);
  Sweep();
  layer_->writes.SetListener(nullptr);
  EXPECT_THAT(listener.heard, ElementsAre("pk=S:a"));
}

TEST_F(TtlSweepTest, AnItemGoesWhenItsTimeHasCome) {
  Enable();
  PutExpiring("a", 10);
  Put(fmt::format("pk=S:b,ttl=N:{}.5", Now() + 10));
  Sweep();
  AdvanceSeconds(9);
  Sweep();
  EXPECT_THAT(Items(), ElementsAre("a", "b"));
  AdvanceSeconds(1);
  Sweep();
  EXPECT_THAT(Items(), ElementsAre("b"));
  AdvanceSeconds(1);
  Sweep();
  EXPECT_THAT(Items(), IsEmpty());
}

TEST_F(TtlSweepTest, AnItemWrittenExpiredIsFoundBehindThosePassedAlready) {
  Enable();
  PutExpiring("later", 1000);
  Sweep();
  PutExpiring("a", -500);
  Sweep();
  PutExpiring("b", -600);
  PutExpiring("c", -400);
  Sweep();
  EXPECT_THAT(Items(), ElementsAre("later"));
}

TEST_F(TtlSweepTest, RowsThatComeBehindAPassAreTheNextPass) {
  Enable();
  for (int i = 0; i < 10; ++i) PutExpiring(fmt::format("k{}", i), -100 + i);
  RunBlocking(sweep_->Step());
  PutExpiring("behind", -200);
  PutExpiring("same-second", -100 + static_cast<int>(kItemsPerPortion) - 1);
  PutExpiring("ahead", -50);
  RunBlocking(sweep_->Step());
  EXPECT_THAT(Items(), testing::Contains("behind"));
  Sweep();
  EXPECT_THAT(Items(), IsEmpty());
}

TEST_F(TtlSweepTest, ValuesNobodyWillEverExpireBotherNobody) {
  Enable();
  PutExpiring("later", 1000);
  Sweep();
  engine_->FailNext(FaultyEngine::Point::kScan, 1, Status::IoError("bad sector"));
  Put("pk=S:duration,ttl=N:3600");  // somebody's hour
  Sweep();
  PutExpiring("a", -1);
  Sweep();  // the first scan since: it fails
  EXPECT_THAT(Items(), ElementsAre("a", "duration", "later"));
  AdvanceSeconds(60);
  Sweep();
  EXPECT_THAT(Items(), ElementsAre("duration", "later"));
}

TEST_F(TtlSweepTest, ManyGoInPortions) {
  for (int i = 0; i < 10; ++i) PutExpiring(fmt::format("k{}", i), i / 4);  // several of one second
  Enable();
  AdvanceSeconds(100);
  const auto pause = RunBlocking(sweep_->Step());
  EXPECT_LT(pause, std::chrono::milliseconds(500));
  EXPECT_EQ(Items().size(), 10 - kItemsPerPortion);
  EXPECT_THAT(metrics_->RenderPrometheus(), HasSubstr("armature_ttl_lag_seconds 100"));
  Sweep();
  EXPECT_THAT(Items(), IsEmpty());
  EXPECT_THAT(Rows(), IsEmpty());
  EXPECT_THAT(metrics_->RenderPrometheus(), HasSubstr("armature_ttl_lag_seconds 0"));
}

TEST_F(TtlSweepTest, AKeyMayBeTheAttribute) {
  model::TableDef def = table::MakeTableDef("tbl", /*has_sort_key=*/true);
  MakeTable(def);
  Enable("sk");
  Put(fmt::format("pk=S:a,sk=N:{}", Now() - 1));
  Put(fmt::format("pk=S:b,sk=N:{}", Now() + 1));
  Sweep();
  EXPECT_THAT(Items(), ElementsAre("b"));
}

TEST_F(TtlSweepTest, ANumberMayBeTheHashKey) {
  model::TableDef def = table::MakeTableDef("tbl");
  def.attribute_definitions[0].type = def.key_schema.hash[0].type = model::Type::kN;
  MakeTable(def);
  Enable("pk");
  Put(fmt::format("pk=N:{}.25", Now() - 10));
  Put(fmt::format("pk=N:{}", Now() + 10));
  Sweep();
  EXPECT_EQ(Items().size(), 1u);
}

TEST_F(TtlSweepTest, IndexesAndCollectionsFollow) {
  model::TableDef def = table::MakeTableDef("tbl", /*has_sort_key=*/true);
  def.attribute_definitions.push_back({"w", model::Type::kN});
  model::IndexDef index;
  index.key_schema = {{{"pk", model::Type::kS}}, {{"w", model::Type::kN}}};
  for (const auto kind : {model::IndexKind::kLocal, model::IndexKind::kGlobal}) {
    index.kind = kind;
    index.name = kind == model::IndexKind::kLocal ? "local" : "global";
    index.id = def.next_index_id++;
    def.indexes.push_back(index);
  }
  MakeTable(def);
  Enable();
  for (int i = 0; i < 5; ++i) Put(fmt::format("pk=S:a,sk=N:{},w=N:{},ttl=N:{}", i, i, Now() + (i < 3 ? -1 : 100)));
  Sweep();
  EXPECT_EQ(Items().size(), 2u);
  const auto schema = table_->schema();
  for (const char* name : {"local", "global"}) {
    const auto* entries = schema->FindIndex(name);
    const auto partition = (entries->is_global() ? *entries->partitions : table_->partitions()).Find(0);
    EXPECT_EQ(Scan(table::AllRows(entries->keyspace), partition->handle()).size(), 2u);
    EXPECT_EQ(table_->CountRows(*entries).rows, 2);
  }
  EXPECT_EQ(Rows(), ExpectedRows());
}

TEST_F(TtlSweepTest, NothingIsReadWhileNothingIsDue) {
  Enable();
  PutExpiring("a", 10);
  Sweep();
  Sweep();  // knows the next expiry from here on
  engine_->FailNext(FaultyEngine::Point::kScan, 1, Status::IoError("bad sector"));
  for (int i = 0; i < 9; ++i) {
    AdvanceSeconds(1);
    PutExpiring(fmt::format("later{}", i), 1000);
    Sweep();
  }
  // Had there been a scan, it would have failed; this one does, and is tried again a minute later.
  AdvanceSeconds(1);
  Sweep();
  EXPECT_THAT(Items(), Not(IsEmpty()));
  EXPECT_EQ(Items().front(), "a");
  AdvanceSeconds(60);
  Sweep();
  EXPECT_EQ(Items().front(), "later0");
}

TEST_F(TtlSweepTest, AFailedPortionDoesNotStopTheOthersAndComesBack) {
  Enable();
  for (int i = 0; i < 7; ++i) PutExpiring(fmt::format("k{}", i), -100 + i);
  engine_->FailNext(FaultyEngine::Point::kCommit, 1, Status::IoError("bad sector"));
  Sweep();
  EXPECT_THAT(Items(), ElementsAre("k0", "k1", "k2"));
  EXPECT_EQ(table_->CountItems().rows, 3);
  AdvanceSeconds(60);
  Sweep();
  EXPECT_THAT(Items(), IsEmpty());
}

TEST_F(TtlSweepTest, ARestartLooksFromTheFirstRowOn) {
  Enable();
  for (int i = 0; i < 5; ++i) PutExpiring(fmt::format("k{}", i), i);
  AdvanceSeconds(2);
  RunBlocking(sweep_->Step());
  ASSERT_TRUE(engine_->Sync().ok());
  Crash();
  AdvanceSeconds(100);
  Sweep();
  EXPECT_THAT(Items(), IsEmpty());
  EXPECT_THAT(Rows(), IsEmpty());
}

TEST_F(TtlSweepTest, WhatIsDisabledAfterItWasFoundIsNotDeleted) {
  Enable();
  PutExpiring("a", -10);
  ChangeTtl(TtlStatus::kDisabling);
  auto late = TestWrite::Delete(*table_, "pk=S:a");
  late->write().by_ttl = true;
  EXPECT_EQ(RunBlocking(late->Execute(layer_->writes)), "condition");
  EXPECT_THAT(Items(), ElementsAre("a"));
  Announce();
  Sweep();
  EXPECT_THAT(Items(), ElementsAre("a"));
}

// Sessions that are prolonged while they are swept: whoever was told that one is prolonged finds it there.
TEST_F(TtlSweepTest, WhatIsProlongedInTimeIsNeverDeleted) {
  constexpr int kKeys = 400, kWriters = 3;
  for (int i = 0; i < kKeys; ++i) Put(fmt::format("pk=S:k{},exp=N:{}", i, Now() - 1));
  Enable("exp");
  std::vector<std::atomic<bool>> prolonged(kKeys);
  const auto prolong = [&](int writer) -> Task<void> {
    std::mt19937 random(static_cast<uint32_t>(writer));
    const std::string later = fmt::format("N:{}", Now() + 1000);
    for (int i = 0; i < kKeys / 2; ++i) {
      const size_t key = random() % kKeys;
      auto update = TestWrite::Update(*table_, fmt::format("pk=S:k{}", key), "SET exp = :t", "attribute_exists(pk)",
                                      {{":t", later}});
      const std::string outcome = co_await update->Execute(layer_->writes);
      if (outcome == "ok") prolonged[key] = true;
    }
  };
  WriteConcurrently(kWriters, prolong, [&] { Sweep(); });
  Sweep();
  const auto left = Items();
  size_t expected = 0;
  for (int i = 0; i < kKeys; ++i) {
    if (!prolonged[static_cast<size_t>(i)]) continue;
    ++expected;
    EXPECT_TRUE(std::binary_search(left.begin(), left.end(), fmt::format("k{}", i))) << i;
  }
  EXPECT_EQ(left.size(), expected);
  EXPECT_EQ(table_->CountItems().rows, static_cast<int64_t>(expected));
  EXPECT_EQ(Rows(), ExpectedRows("exp"));
}

class DelayedTtlSweepTest : public TtlSweepTest {
 protected:
  DelayedTtlSweepTest() : TtlSweepTest(0, 60'000) {}
};

TEST_F(DelayedTtlSweepTest, ExpiredItemsStayAsLongAsAsked) {
  Enable();
  PutExpiring("a", 10);
  AdvanceSeconds(69);
  Sweep();
  EXPECT_THAT(Items(), ElementsAre("a"));
  AdvanceSeconds(1);
  Sweep();
  EXPECT_THAT(Items(), IsEmpty());
}

}  // namespace
}  // namespace armature::workers
