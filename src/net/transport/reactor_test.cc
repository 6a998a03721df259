#include "net/transport/reactor.h"

#include <atomic>
#include <filesystem>
#include <future>
#include <iterator>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/tasks/pause.h"

namespace armature::net {
namespace {

class ReactorTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(reactor_.Open().ok());
    thread_ = std::thread([this] { reactor_.Run(); });
  }
  void TearDown() override {
    reactor_.Stop();
    thread_.join();
  }

  ManualClock clock_{1'000'000};
  Reactor reactor_{clock_};
  std::thread thread_;
};

TEST_F(ReactorTest, EnterMovesACoroutineToTheLoop) {
  std::promise<std::thread::id> where;
  Detach([](Reactor& reactor, std::promise<std::thread::id>& promise) -> Task<void> {
    co_await reactor.Enter();
    EXPECT_EQ(Executor::Current(), &reactor);
    promise.set_value(std::this_thread::get_id());
  }(reactor_, where));
  EXPECT_EQ(where.get_future().get(), thread_.get_id());
}

TEST_F(ReactorTest, PostsFromManyThreadsAllArrive) {
  static constexpr int kThreads = 4, kPosts = 5'000;
  int arrived = 0;  // only touched on the reactor
  std::promise<void> all;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kPosts; ++i)
        Detach([](Reactor& reactor, int& count, std::promise<void>& promise) -> Task<void> {
          co_await reactor.Enter();
          if (++count == kThreads * kPosts) promise.set_value();
        }(reactor_, arrived, all));
    });
  for (auto& thread : threads) thread.join();
  all.get_future().get();
  EXPECT_EQ(arrived, kThreads * kPosts);
}

TEST_F(ReactorTest, ACompletionFinishedElsewhereResumesOnTheLoop) {
  Completion completion;
  std::promise<void> waiting, resumed;
  Detach([](Reactor& reactor, Completion& event, std::promise<void>& before, std::promise<void>& after) -> Task<void> {
    co_await reactor.Enter();
    before.set_value();
    co_await event;
    EXPECT_TRUE(reactor.IsCurrent());
    after.set_value();
  }(reactor_, completion, waiting, resumed));
  waiting.get_future().get();
  completion.Finish();
  resumed.get_future().get();
}

// Whatever waits for the end of a turn is done before the loop sleeps, and what it resumes runs in the same turn.
TEST_F(ReactorTest, WorkAtTheEndOfATurnIsDoneBeforeTheLoopSleeps) {
  struct Finish final : Turn::Work {
    void EndOfTurn() override { done.Finish(); }
    Completion done;
  };
  std::promise<int> rounds;
  Detach([](Reactor& reactor, std::promise<int>& promise) -> Task<void> {
    co_await reactor.Enter();
    int round = 0;
    for (; round < 3; ++round) {
      Finish finish;
      Turn::Current()->AtEnd(finish);
      co_await finish.done;
    }
    promise.set_value(round);
  }(reactor_, rounds));
  EXPECT_EQ(rounds.get_future().get(), 3);
  EXPECT_EQ(Turn::Current(), nullptr);
}

TEST_F(ReactorTest, SleepFollowsTheInjectedClock) {
  std::promise<void> asleep;
  std::promise<int64_t> woken;
  Detach([](Reactor& reactor, std::promise<void>& before, std::promise<int64_t>& after) -> Task<void> {
    co_await reactor.Enter();
    before.set_value();
    co_await reactor.SleepUntil(1'005'000);
    after.set_value(reactor.now_millis());
  }(reactor_, asleep, woken));
  asleep.get_future().get();
  auto future = woken.get_future();
  clock_.AdvanceMillis(4'000);
  reactor_.Wake();
  EXPECT_EQ(future.wait_for(std::chrono::milliseconds(0)), std::future_status::timeout);
  clock_.AdvanceMillis(1'010);
  reactor_.Wake();
  EXPECT_GE(future.get(), 1'005'000);
}

TEST_F(ReactorTest, APauseFollowsTheInjectedClockAndEndsInATurn) {
  std::promise<void> paused;
  std::promise<bool> ended;
  Detach([](Reactor& reactor, std::promise<void>& before, std::promise<bool>& after) -> Task<void> {
    co_await reactor.Enter();
    before.set_value();
    co_await PauseFor{std::chrono::milliseconds(40)};
    after.set_value(reactor.IsCurrent() && Turn::Current());
  }(reactor_, paused, ended));
  paused.get_future().get();
  auto future = ended.get_future();
  clock_.AdvanceMillis(30);
  reactor_.Wake();
  EXPECT_EQ(future.wait_for(std::chrono::milliseconds(0)), std::future_status::timeout);
  clock_.AdvanceMillis(20);
  reactor_.Wake();
  EXPECT_TRUE(future.get());
}

TEST_F(ReactorTest, SleepIntoThePastDoesNotSuspend) {
  std::promise<void> done;
  Detach([](Reactor& reactor, std::promise<void>& promise) -> Task<void> {
    co_await reactor.Enter();
    co_await reactor.SleepUntil(5);
    promise.set_value();
  }(reactor_, done));
  done.get_future().get();
}

TEST(Reactor, WhatIsLocalToItGoesWithIt) {
  struct Local final : ReactorLocal {
    explicit Local(int& to) : gone(to) {}
    ~Local() override { ++gone; }
    int& gone;
  };
  SystemClock clock;
  int gone = 0;
  const int mine = 0, others = 0;
  auto reactor = std::make_unique<Reactor>(clock);
  ASSERT_TRUE(reactor->Open().ok());
  Detach([](Reactor& r, int& count, const int& owner, const int& other) -> Task<void> {
    EXPECT_EQ(Reactor::Current(), nullptr);
    co_await r.Enter();
    EXPECT_EQ(Reactor::Current(), &r);
    EXPECT_EQ(r.FindLocal(&owner), nullptr);
    r.AddLocal(&owner, std::make_unique<Local>(count));
    EXPECT_NE(r.FindLocal(&owner), nullptr);
    EXPECT_EQ(r.FindLocal(&other), nullptr);
    r.Stop();
  }(*reactor, gone, mine, others));
  reactor->Run();
  EXPECT_EQ(Reactor::Current(), nullptr);
  EXPECT_EQ(gone, 0);
  reactor.reset();
  EXPECT_EQ(gone, 1);
}

// How often the loop's thread has slept so far.
long SleepsOf(Reactor& reactor) {
  std::promise<long> sleeps;
  Detach([](Reactor& of, std::promise<long>& promise) -> Task<void> {
    co_await of.Enter();
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    promise.set_value(usage.ru_nvcsw);
  }(reactor, sleeps));
  return sleeps.get_future().get();
}

struct CountedEvents final : EventSource {
  void OnEvents(uint32_t) override { ++count; }
  std::atomic<int> count{0};
};

TEST(Reactor, ABusyOneDoesNotSleepBetweenEvents) {
  static constexpr int kEvents = 200;
  const ManualClock clock(0);
  for (const bool is_busy : {false, true}) {
    Reactor reactor(clock);
    CountedEvents events;
    if (is_busy) reactor.SetBusyPoll(std::chrono::hours(1));
    ASSERT_TRUE(reactor.Open().ok());
    const int bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    ASSERT_TRUE(reactor.Add(bell, EPOLLIN | EPOLLET, events).ok());
    std::thread loop([&] { reactor.Run(); });
    const auto before = SleepsOf(reactor);
    for (int i = 0; i < kEvents; ++i) {
      ASSERT_EQ(eventfd_write(bell, 1), 0);
      while (events.count <= i) std::this_thread::yield();
    }
    const auto slept = SleepsOf(reactor) - before;
    if (is_busy) EXPECT_LT(slept, kEvents / 4) << "it was put aside, at the most";
    else EXPECT_GT(slept, 0);
    reactor.Stop();
    loop.join();
    close(bell);
  }
}

// TSan and ASan see a poster that touches it after it is gone.
TEST(Reactor, MayGoAsSoonAsWhatWasPostedIsDone) {
  const ManualClock clock(0);
  for (int round = 0; round < 500; ++round) {
    auto reactor = std::make_unique<Reactor>(clock);
    ASSERT_TRUE(reactor->Open().ok());
    std::thread poster([&of = *reactor] {
      Detach([](Reactor& r) -> Task<void> {
        co_await r.Enter();
        r.Stop();
      }(of));
    });
    reactor->Run();
    reactor.reset();
    poster.join();
  }
}

size_t OpenDescriptors() {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator()));
}

TEST(Reactor, OneThatWasReleasedHasNoDescriptorsAndMayStillBePostedTo) {
  const size_t before = OpenDescriptors();
  const ManualClock clock(0);
  Reactor reactor(clock);
  ASSERT_TRUE(reactor.Open().ok());
  EXPECT_EQ(OpenDescriptors(), before + 2);
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> posts{0};
  std::vector<std::thread> posters;
  std::thread loop([&] { reactor.Run(); });
  for (int i = 0; i < 3; ++i)
    posters.emplace_back([&] {
      for (; !is_over; ++posts) reactor.Post(std::noop_coroutine());
    });
  const auto await_posts = [&posts] {
    for (const uint64_t seen = posts; posts < seen + 1'000;) std::this_thread::yield();
  };
  await_posts();
  reactor.Stop();
  loop.join();
  reactor.Release();
  EXPECT_EQ(OpenDescriptors(), before);
  await_posts();
  is_over = true;
  for (std::thread& poster : posters) poster.join();
}

TEST(Reactor, ACoroutineMayPostToItsOwnLoopWithoutAWakeUp) {
  SystemClock clock;
  Reactor reactor(clock);
  ASSERT_TRUE(reactor.Open().ok());
  int rounds = 0;
  struct Yield {
    Reactor& r;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> handle) { r.Post(handle); }
    void await_resume() {}
  };
  Detach([](Reactor& r, int& count) -> Task<void> {
    co_await r.Enter();
    for (; count < 1'000; ++count) co_await Yield{r};
    r.Stop();
  }(reactor, rounds));
  reactor.Run();
  EXPECT_EQ(rounds, 1'000);
}

}  // namespace
}  // namespace armature::net
