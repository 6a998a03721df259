#include "base/tasks/pause.h"

#include <vector>

#include <gtest/gtest.h>

namespace armature {
namespace {

using std::chrono::milliseconds;

Task<void> Pause(milliseconds pause) { co_await PauseFor{pause}; }

TEST(PauseTest, ABlockingExecutorWaitsAsLong) {
  const auto before = std::chrono::steady_clock::now();
  RunBlocking(Pause(milliseconds(20)));
  EXPECT_GE(std::chrono::steady_clock::now() - before, milliseconds(20));
}

TEST(PauseTest, WhatIsPostedMeanwhileIsNotHeldUp) {
  struct Behind {  // whatever is queued
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) const { Executor::Current()->Post(caller); }
    void await_resume() const noexcept {}
  };
  std::vector<int> order;
  RunBlocking([](std::vector<int>& ended) -> Task<void> {
    Completion paused;
    Detach([](std::vector<int>& by, Completion& done) -> Task<void> {
      co_await PauseFor{milliseconds(10)};
      by.push_back(2);
      done.Finish();
    }(ended, paused));
    co_await Behind();
    ended.push_back(1);
    co_await paused;
  }(order));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

// As tests have.
class ExecutorWithoutClock final : public Executor {
 public:
  void Post(std::coroutine_handle<> handle) override { posted_.push_back(handle); }
  void Start(Task<void> task) {
    SetCurrent(this);
    Detach(std::move(task));
    SetCurrent(nullptr);
  }
  size_t posted() const { return posted_.size(); }
  void Resume() { posted_.front().resume(); }

 private:
  std::vector<std::coroutine_handle<>> posted_;
};

TEST(PauseTest, WithoutAClockNobodyWaits) {
  bool has_ended = false;
  const auto pause = [](bool& ended) -> Task<void> {
    co_await PauseFor{std::chrono::hours(1)};
    ended = true;
  };
  ExecutorWithoutClock executor;
  executor.Start(pause(has_ended));
  ASSERT_EQ(executor.posted(), 1u);
  executor.Resume();
  EXPECT_TRUE(has_ended);
  // Outside of an executor, too.
  has_ended = false;
  Detach(pause(has_ended));
  EXPECT_TRUE(has_ended);
}

}  // namespace
}  // namespace armature
