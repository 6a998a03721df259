// Time to Live turned on and off under a live table: states, portions, concurrent writers, crashes.
#include "workers/ttl/ttl_setup.h"

#include <random>

#include <gmock/gmock.h>

#include "base/codec/hex.h"
#include "table/keys/key_layout.h"
#include "workers/ttl/ttl_testing.h"

namespace armature::workers {
namespace {

using model::TtlStatus;
using table::TestWrite;
using testing::HasSubstr;
using testing::IsEmpty;

class TtlSetupTest : public TtlFixture {
 protected:
  using TtlFixture::TtlFixture;
  void ExpectEnabled() {
    EXPECT_EQ(State(), "ENABLED");
    EXPECT_EQ(Rows(), ExpectedRows());
    EXPECT_EQ(Records(), 0u);
  }
};

TEST_F(TtlSetupTest, ASmallTableIsDoneByTheAnnouncement) {
  PutNumbered(3);
  EXPECT_THAT(Rows(), IsEmpty());
  ChangeTtl(TtlStatus::kEnabling);
  Announce();
  ExpectEnabled();
  EXPECT_EQ(Rows().size(), 2u);
  EXPECT_FALSE(SetupStep());
}

TEST_F(TtlSetupTest, LargerTablesGoInPortions) {
  PutNumbered(10);
  ChangeTtl(TtlStatus::kEnabling);
  Announce();
  EXPECT_EQ(State(), "ENABLING");
  EXPECT_EQ(Records(), 1u);
  EXPECT_EQ(FinishSetup(), 2);
  ExpectEnabled();
  EXPECT_THAT(metrics_->RenderPrometheus(), HasSubstr("armature_ttl_backfill_items_total 10"));
}

TEST_F(TtlSetupTest, WritesMeanwhileAreKept) {
  PutNumbered(12);
  ChangeTtl(TtlStatus::kEnabling);
  Announce();
  for (int i = 0; i < 4; ++i) Put(fmt::format("pk=S:k{},ttl=N:{}", i, Now() + 100 + i));
  for (int i = 4; i < 6; ++i) Put(fmt::format("pk=S:k{},ttl=S:never", i));
  for (int i = 6; i < 9; ++i)
    EXPECT_EQ(RunBlocking(TestWrite::Delete(*table_, fmt::format("pk=S:k{}", i))->Execute(layer_->writes)), "ok");
  Put(fmt::format("pk=S:k10,ttl=N:{},more=S:x", Now() + 10));  // the same expiry as before
  FinishSetup();
  ExpectEnabled();
}

TEST_F(TtlSetupTest, ConcurrentWritersLoseNothing) {
  constexpr int kKeys = 200, kWriters = 4, kWritesEach = 400;
  PutNumbered(kKeys);
  const auto write = [&](int writer) -> Task<void> {
    std::mt19937 random(static_cast<uint32_t>(writer));
    for (int i = 0; i < kWritesEach; ++i) {
      const std::string key = fmt::format("pk=S:k{}", random() % kKeys);
      std::unique_ptr<TestWrite> change;
      switch (random() % 4) {
        case 0: change = TestWrite::Delete(*table_, key); break;
        case 1: change = TestWrite::Put(*table_, key); break;
        default: change = TestWrite::Put(*table_, fmt::format("{},ttl=N:{}", key, 1700000000 + random() % 50)); break;
      }
      const std::string outcome = co_await change->Execute(layer_->writes);
      EXPECT_EQ(outcome, "ok");
    }
  };
  for (int round = 0; round < 3; ++round) {
    WriteConcurrently(kWriters, write, [&] { Enable(); });
    ExpectEnabled();
    Disable();
    EXPECT_THAT(Rows(), IsEmpty());
  }
}

TEST_F(TtlSetupTest, GoesOnAfterACrashWhereItWas) {
  PutNumbered(18);
  ChangeTtl(TtlStatus::kEnabling);
  Announce();
  SetupStep();
  ASSERT_TRUE(engine_->Sync().ok());
  Crash();
  EXPECT_EQ(State(), "ENABLING");
  EXPECT_EQ(FinishSetup(), 3);
  ExpectEnabled();
  EXPECT_THAT(metrics_->RenderPrometheus(), HasSubstr("armature_ttl_backfill_items_total 10"));
}

TEST_F(TtlSetupTest, ACrashThatTakesRowsTakesTheRecordOfThemToo) {
  PutNumbered(20);
  ChangeTtl(TtlStatus::kEnabling);
  Announce();
  CrashDuring(*setup_);
  FinishSetup();
  ExpectEnabled();
}

// The example of docs/design/formats.md.
TEST_F(TtlSetupTest, BytesAsDocumented) {
  PutNumbered(6);
  ChangeTtl(TtlStatus::kEnabling);
  Announce();  // the first portion
  const auto records = Scan(table::ExpiryBuildRange(), engine_->system());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(ToHex(records.front().first),
            "4c"
            "0000000000000001");
  EXPECT_EQ(ToHex(records.front().second),
            "01"
            "10c7064b7e18f0a2eb6b31000100");
}

TEST_F(TtlSetupTest, ARecordThatSurvivedItsWorkIsForgotten) {
  storage::Batch batch;
  batch.Put(table::ExpiryBuildKey(table_->id()), "\x01zzz");
  ASSERT_TRUE(RunBlocking(table::WriteSystemRecords(*engine_, batch)).ok());
  Start();
  EXPECT_EQ(Records(), 0u);
}

TEST_F(TtlSetupTest, AFailureIsTriedAgain) {
  PutNumbered(3);
  ChangeTtl(TtlStatus::kEnabling);
  engine_->FailNext(storage::FaultyEngine::Point::kScan, 1, Status::IoError("bad sector"));
  Announce();
  EXPECT_EQ(State(), "ENABLING");
  EXPECT_FALSE(SetupStep());
  ExpectEnabled();
}

TEST_F(TtlSetupTest, DisablingTakesTheRowsAndAnotherAttributeCanFollow) {
  PutNumbered(3);
  Put(fmt::format("pk=S:other,until=N:{}", Now()));
  Enable();
  Disable();
  EXPECT_THAT(Rows(), IsEmpty());
  EXPECT_EQ(table_->def()->ttl.attribute, "");
  Put(fmt::format("pk=S:k9,ttl=N:{}", Now()));
  EXPECT_THAT(Rows(), IsEmpty());
  Enable("until");
  EXPECT_EQ(Rows(), ExpectedRows("until"));
  EXPECT_EQ(Rows().size(), 1u);
}

TEST_F(TtlSetupTest, ACrashDuringDisablingIsFinishedAtTheNextStart) {
  PutNumbered(3);
  Enable();
  ChangeTtl(TtlStatus::kDisabling);
  Crash();
  EXPECT_EQ(State(), "DISABLING");
  EXPECT_FALSE(SetupStep());
  EXPECT_EQ(State(), "DISABLED");
  EXPECT_THAT(Rows(), IsEmpty());
}

TEST_F(TtlSetupTest, ATableDeletedMeanwhileIsLeftAlone) {
  PutNumbered(10);
  ChangeTtl(TtlStatus::kEnabling);
  Announce();
  EXPECT_EQ(Records(), 1u);
  const auto agree = [](model::TableDef&) -> model::ApiResult<void> { return {}; };
  ASSERT_TRUE(RunBlocking(layer_->catalog.Delete(table::kScope, "tbl", agree)).has_value());
  EXPECT_FALSE(SetupStep());
  EXPECT_EQ(Records(), 0u);
}

class SlowTtlSetupTest : public TtlSetupTest {
 protected:
  SlowTtlSetupTest() : TtlSetupTest(1000) {}
};

TEST_F(SlowTtlSetupTest, StatesLastAsLongAsTheControlPlaneSays) {
  PutNumbered(3);
  int woken = 0;
  setup_->OnWork([&] { ++woken; });
  ChangeTtl(TtlStatus::kEnabling);
  Announce();
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(State(), "ENABLING");
  EXPECT_EQ(SetupStep(), std::chrono::milliseconds(1000));
  clock_.AdvanceMillis(600);
  EXPECT_EQ(SetupStep(), std::chrono::milliseconds(400));
  clock_.AdvanceMillis(400);
  EXPECT_FALSE(SetupStep());
  ExpectEnabled();
  ChangeTtl(TtlStatus::kDisabling);
  Announce();
  EXPECT_EQ(State(), "DISABLING");
  clock_.AdvanceMillis(1000);
  EXPECT_FALSE(SetupStep());
  EXPECT_EQ(State(), "DISABLED");
}

TEST_F(SlowTtlSetupTest, NothingIsDeletedBeforeItIsEnabled) {
  Put(fmt::format("pk=S:a,ttl=N:{}", Now() - 10));
  ChangeTtl(TtlStatus::kEnabling);
  Announce();
  Sweep();
  EXPECT_EQ(Items().size(), 1u);
  clock_.AdvanceMillis(1000);
  SetupStep();
  Sweep();
  EXPECT_THAT(Items(), IsEmpty());
}

}  // namespace
}  // namespace armature::workers
