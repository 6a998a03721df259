#include "net/transport/memory_ledger.h"

#include <thread>

#include <gtest/gtest.h>

#include "base/clock.h"

namespace armature::net {
namespace {

class Holder final : public MemoryHolder {
 public:
  Holder(Reactor& reactor, MemoryLedger& ledger) : MemoryHolder(reactor), ledger_(ledger) {}
  ~Holder() override { ledger_.HoldForClient(*this, 0, 0); }
  bool is_evicted() const { return is_evicted_; }

 private:
  void OnEvicted() override {
    is_evicted_ = true;
    ledger_.HoldForClient(*this, 0, 0);
  }
  MemoryLedger& ledger_;
  bool is_evicted_ = false;
};

// Time is what each call says; the reactor runs only to carry evictions out.
class MemoryLedgerTest : public testing::Test {
 protected:
  static constexpr size_t kMiB = 1 << 20;

  void SetUp() override { ASSERT_TRUE(reactor.Open().ok()); }
  std::unique_ptr<Holder> Make() { return std::make_unique<Holder>(reactor, ledger); }
  // Lets the reactor do what was posted to it until now.
  void RunEvictions() {
    [](Reactor& to) -> async_detail::Detached {
      co_await to.Enter();
      to.Stop();
    }(reactor);
    reactor.Run();
  }

  ManualClock clock;
  Reactor reactor{clock};
  MemoryLedger ledger{100 * kMiB};
};

TEST_F(MemoryLedgerTest, AddsUpWhatIsHeldAndForWhom) {
  auto a = Make(), b = Make();
  ledger.HoldForClient(*a, 10 * kMiB, 0);
  ledger.HoldForServer(*b, 20 * kMiB, 0);
  EXPECT_EQ(ledger.total_bytes(), 30 * kMiB);
  EXPECT_EQ(ledger.in_flight_bytes(), 20 * kMiB);
  ledger.HoldForServer(*a, 15 * kMiB, 0);
  ledger.HoldForClient(*b, 5 * kMiB, 0);
  EXPECT_EQ(ledger.total_bytes(), 20 * kMiB);
  EXPECT_EQ(ledger.in_flight_bytes(), 15 * kMiB);
  a.reset();
  b.reset();
  EXPECT_EQ(ledger.total_bytes(), 0u);
  EXPECT_EQ(ledger.in_flight_bytes(), 0u);
}

TEST_F(MemoryLedgerTest, NobodyIsSentAwayWhileThereIsRoom) {
  auto a = Make(), b = Make();
  ledger.HoldForClient(*a, 40 * kMiB, 0);
  ledger.HoldForClient(*b, 30 * kMiB, 1'000'000);
  EXPECT_TRUE(ledger.HasRoomFor(5 * kMiB, 2'000'000));
  RunEvictions();
  EXPECT_FALSE(a->is_evicted() || b->is_evicted());
}

TEST_F(MemoryLedgerTest, WhoLagsGoesFirstTheLargestOfThemBeforeTheOthers) {
  auto small = Make(), large = Make(), quick = Make(), next = Make();
  ledger.HoldForClient(*small, 10 * kMiB, 0);
  ledger.HoldForClient(*large, 30 * kMiB, 0);
  ledger.HoldForClient(*quick, 35 * kMiB, 0);
  ledger.NoteProgress(*quick, 5 * kMiB, 5'000);
  ledger.HoldForClient(*next, 20 * kMiB, 5'000);
  RunEvictions();
  EXPECT_TRUE(large->is_evicted());
  EXPECT_FALSE(small->is_evicted()) << "one was enough";
  EXPECT_FALSE(quick->is_evicted() || next->is_evicted());
  EXPECT_EQ(ledger.total_bytes(), 65 * kMiB);
}

TEST_F(MemoryLedgerTest, ATrickleIsNoProgress) {
  auto trickling = Make(), steady = Make(), next = Make();
  ledger.HoldForClient(*trickling, 30 * kMiB, 0);
  ledger.HoldForClient(*steady, 30 * kMiB, 0);
  for (int64_t now = 100; now <= 5'000; now += 100) {
    ledger.NoteProgress(*trickling, 1'000, now);
    ledger.NoteProgress(*steady, kMiB / 10, now);
  }
  ledger.HoldForClient(*next, 30 * kMiB, 5'000);
  RunEvictions();
  EXPECT_TRUE(trickling->is_evicted());
  EXPECT_FALSE(steady->is_evicted());
}

TEST_F(MemoryLedgerTest, AtTheLimitSomebodyGoesEvenIfNobodyLagsYet) {
  auto first = Make(), second = Make(), third = Make();
  ledger.HoldForClient(*first, 45 * kMiB, 0);
  ledger.HoldForClient(*second, 45 * kMiB, 100);
  ledger.HoldForClient(*third, 45 * kMiB, 200);
  EXPECT_TRUE(ledger.HasRoomFor(kMiB, 200)) << "who is on his way out counts no longer";
  RunEvictions();
  EXPECT_TRUE(first->is_evicted()) << "it has waited longest";
  EXPECT_FALSE(second->is_evicted() || third->is_evicted());
}

TEST_F(MemoryLedgerTest, AtTheLimitWhoAsksGetsTheRoomOfWhoStandsStillNotOfWhoKeepsThePace) {
  auto standing = Make(), moving = Make();
  ledger.HoldForClient(*standing, 50 * kMiB, 0);
  ledger.HoldForClient(*moving, 50 * kMiB, 0);
  EXPECT_FALSE(ledger.HasRoomFor(kMiB, 10)) << "nobody can be told from the others yet";
  ledger.NoteProgress(*moving, kMiB / 10, 100);
  EXPECT_TRUE(ledger.HasRoomFor(kMiB, 100));
  EXPECT_FALSE(ledger.HasRoomFor(60 * kMiB, 100));
  RunEvictions();
  EXPECT_TRUE(standing->is_evicted());
  EXPECT_FALSE(moving->is_evicted());
}

TEST_F(MemoryLedgerTest, RequestsInFlightAreNotSentAwayAndTakeTheRoomOfNewOnes) {
  auto busy = Make();
  ledger.HoldForServer(*busy, 95 * kMiB, 0);
  EXPECT_TRUE(ledger.HasRoomFor(5 * kMiB, 10'000));
  EXPECT_FALSE(ledger.HasRoomFor(6 * kMiB, 10'000));
  ledger.HoldForServer(*busy, 120 * kMiB, 10'000);
  RunEvictions();
  EXPECT_FALSE(busy->is_evicted());
}

TEST_F(MemoryLedgerTest, WhoMovesOnBeforeItsEndIsSpared) {
  auto slow = Make(), next = Make();
  ledger.HoldForClient(*slow, 60 * kMiB, 0);
  ledger.HoldForClient(*next, 30 * kMiB, 5'000);
  ledger.HoldForClient(*slow, 0, 5'000);  // it has read everything
  ledger.HoldForClient(*slow, 10 * kMiB, 5'000);
  RunEvictions();
  EXPECT_FALSE(slow->is_evicted());
  EXPECT_EQ(ledger.total_bytes(), 40 * kMiB);
  EXPECT_TRUE(ledger.HasRoomFor(60 * kMiB, 5'000)) << "nothing is taken for doomed that is not";
}

TEST_F(MemoryLedgerTest, WhoIsGoneBeforeItsEndIsNotLookedAt) {
  auto slow = Make(), next = Make();
  ledger.HoldForClient(*slow, 60 * kMiB, 0);
  ledger.HoldForClient(*next, 30 * kMiB, 5'000);
  slow.reset();
  RunEvictions();
  EXPECT_EQ(ledger.total_bytes(), 30 * kMiB);
}

TEST_F(MemoryLedgerTest, ReliefIsGivenOnlyIfMemoryCameBack) {
  auto slow = Make(), quick = Make();
  EXPECT_FALSE(ledger.Relieve(0));
  ledger.HoldForClient(*slow, 10 * kMiB, 0);
  ledger.HoldForClient(*quick, 10 * kMiB, 4'500);
  EXPECT_TRUE(ledger.Relieve(5'000));
  EXPECT_TRUE(ledger.Relieve(5'000 + MemoryLedger::kReliefMillis - 1)) << "for a while";
  EXPECT_TRUE(ledger.Relieve(5'000 + MemoryLedger::kReliefMillis)) << "meanwhile the other lags";
  EXPECT_FALSE(ledger.Relieve(50'000)) << "nobody is left";
  RunEvictions();
  EXPECT_TRUE(slow->is_evicted() && quick->is_evicted());
}

TEST_F(MemoryLedgerTest, HoldersOfManyThreadsAddUp) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2'000; ++i) {
        Holder holder(reactor, ledger);
        ledger.HoldForClient(holder, kMiB, i);
        ledger.HoldForServer(holder, 2 * kMiB, i);
        EXPECT_TRUE(ledger.HasRoomFor(kMiB, i));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ledger.total_bytes(), 0u);
  EXPECT_EQ(ledger.in_flight_bytes(), 0u);
}

}  // namespace
}  // namespace armature::net
