// One read for many: who leads, who waits, what an error and a lost leader mean, and whose read nobody shares.
#include "dax/cache/flights.h"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/testing/executor_testing.h"

namespace armature::dax {
namespace {

using TextFlights = Flights<std::string>;
using Seat = TextFlights::Seat;

TextFlights::AnswerPtr Text(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

class FlightsTest : public testing::Test {
 protected:
  // One request: what it got, or that it leads.
  struct Request {
    Request(TextFlights& flights, uint64_t version, std::string_view key = "key")
        : seat(std::in_place, flights, EntryKind::kItem, 1, key, version) {}
    std::optional<Seat> seat;
    bool is_done = false;
    TextFlights::AnswerPtr got;
  };
  Task<void> Wait(Request& request) {
    request.got = co_await request.seat->Wait();
    request.is_done = true;
  }

  TextFlights flights_{5};
  StepExecutor executor_;
};

TEST_F(FlightsTest, WhoComesMeanwhileGetsTheAnswer) {
  Request leader(flights_, 1);
  Request second(flights_, 1), third(flights_, 1), late(flights_, 1);
  EXPECT_TRUE(leader.seat->leads());
  EXPECT_FALSE(second.seat->leads());
  executor_.Start(Wait(second));
  executor_.Start(Wait(third));
  EXPECT_FALSE(second.is_done);
  leader.seat->Land(Text("answer"));
  EXPECT_FALSE(leader.seat->leads());
  executor_.RunQueued();
  EXPECT_EQ(*second.got, "answer");
  EXPECT_EQ(second.got, third.got);
  executor_.Start(Wait(late));  // it had not waited yet
  EXPECT_EQ(late.got, third.got);
  EXPECT_EQ(flights_.flights(), 0u);
}

TEST_F(FlightsTest, OtherKeysAndTablesAndKindsFlyByThemselves) {
  Request leader(flights_, 1);
  Request other(flights_, 1, "other");
  const Seat other_table(flights_, EntryKind::kItem, 2, "key", 1);
  const Seat other_kind(flights_, EntryKind::kQuery, 1, "key", 1);
  EXPECT_TRUE(other.seat->leads());
  EXPECT_TRUE(other_table.leads());
  EXPECT_TRUE(other_kind.leads());
  EXPECT_EQ(flights_.flights(), 4u);
}

TEST_F(FlightsTest, NobodySharesAReadFromBeforeAWrite) {
  Request before(flights_, 1), with_it(flights_, 1);
  executor_.Start(Wait(with_it));
  Request behind(flights_, 2), with_that(flights_, 2);
  EXPECT_TRUE(behind.seat->leads());
  EXPECT_FALSE(with_that.seat->leads());
  executor_.Start(Wait(with_that));
  before.seat->Land(Text("old"));
  executor_.RunQueued();
  EXPECT_EQ(*with_it.got, "old");
  EXPECT_FALSE(with_that.is_done);
  // The newer flight is still to be joined.
  Request late(flights_, 2);
  EXPECT_FALSE(late.seat->leads());
  behind.seat->Land(Text("new"));
  executor_.RunQueued();
  EXPECT_EQ(*with_that.got, "new");
  EXPECT_EQ(flights_.flights(), 0u);
}

TEST_F(FlightsTest, OneOfThoseWhoWaitTakesOverFromALostLeader) {
  std::optional<Request> leader(std::in_place, flights_, 1);
  std::vector<std::unique_ptr<Request>> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.push_back(std::make_unique<Request>(flights_, 1));
    executor_.Start(Wait(*waiting.back()));
  }
  leader.reset();
  executor_.RunQueued();
  Request* next = nullptr;
  for (const auto& request : waiting) {
    if (!request->is_done) continue;
    EXPECT_EQ(next, nullptr);
    next = request.get();
  }
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(next->got, nullptr);
  EXPECT_TRUE(next->seat->leads());
  EXPECT_FALSE(Request(flights_, 1).seat->leads());  // comes, and goes at once
  next->seat->Land(Text("answer"));
  executor_.RunQueued();
  for (const auto& request : waiting) {
    EXPECT_TRUE(request->is_done);
    EXPECT_TRUE(request.get() == next || *request->got == "answer");
  }
  EXPECT_EQ(flights_.flights(), 0u);
}

TEST_F(FlightsTest, WhoGoesBeforeWaitingIsNotMissed) {
  std::optional<Request> leader(std::in_place, flights_, 1);
  std::optional<Request> chosen(std::in_place, flights_, 1);
  leader.reset();  // the other one leads now, though it has not heard of it
  chosen.reset();
  EXPECT_EQ(flights_.flights(), 0u);
  EXPECT_TRUE(Request(flights_, 1).seat->leads());

  leader.emplace(flights_, 1);
  chosen.emplace(flights_, 1);
  leader->seat->Land(Text("answer"));
  chosen.reset();
  EXPECT_EQ(flights_.flights(), 0u);
}

// A request as a node makes them: leads or waits, now and then is cut off, and reads only if it leads.
struct Herd {
  TextFlights flights{9};
  std::atomic<uint64_t> reads{0}, answers{0};
  std::atomic<uint64_t> version{0};  // odd and even: the table's content is this number

  Task<void> Ask(ThreadExecutor& executor, uint64_t seed) {
    SeededRandom random(seed);
    const uint64_t began = version.load();
    Seat seat(flights, EntryKind::kItem, 1, std::to_string(random.Below(3)), began);
    if (!seat.leads()) {
      if (const auto got = co_await seat.Wait(); got != nullptr) {
        EXPECT_EQ(Executor::Current(), &executor);
        EXPECT_GE(std::stoull(*got), began);
        ++answers;
        co_return;
      }
    }
    EXPECT_TRUE(seat.leads());
    const uint64_t read = version.load();
    if (random.Below(3) == 0) co_await SwitchTo{executor};
    if (random.Below(8) == 0) version.fetch_add(1);
    if (random.Below(5) == 0) co_return;  // cut off
    ++reads;
    seat.Land(Text(std::to_string(read)));
  }
};

TEST(FlightsThreadsTest, EverybodyIsAnsweredWhereHeIs) {
  constexpr uint64_t kAsked = 4'000;
  Herd herd;
  {
    ThreadExecutor executors[3];
    for (uint64_t i = 0; i < kAsked; ++i) {
      ThreadExecutor& executor = executors[i % 3];
      executor.Spawn(herd.Ask(executor, i));
    }
    for (ThreadExecutor& executor : executors) executor.WaitIdle();
  }
  EXPECT_EQ(herd.flights.flights(), 0u);
  EXPECT_GT(herd.reads.load(), 0u);
  EXPECT_LE(herd.reads.load() + herd.answers.load(), kAsked);
}

}  // namespace
}  // namespace armature::dax
