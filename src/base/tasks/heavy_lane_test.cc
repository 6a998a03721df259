#include "base/tasks/heavy_lane.h"

#include <string>

#include <gtest/gtest.h>

namespace armature {
namespace {

// Resumes what was posted, in order, when told to.
class StepExecutor final : public Executor {
 public:
  StepExecutor() { SetCurrent(this); }
  ~StepExecutor() override { SetCurrent(nullptr); }
  void Post(std::coroutine_handle<> handle) override { posted_.push_back(handle); }
  void RunAll() {
    while (!posted_.empty()) {
      const std::coroutine_handle<> handle = posted_.front();
      posted_.pop_front();
      handle.resume();
    }
  }

 private:
  std::deque<std::coroutine_handle<>> posted_;
};

Task<void> Work(char name, std::string& log, bool is_heavy) {
  HeavyLane::Pass pass;
  log += name;
  for (int i = 0; i < 2; ++i) {
    if (is_heavy) co_await pass.Take();
    co_await HeavyLane::Yield();
    log += name;
  }
}

TEST(HeavyLane, HeavyOnesFollowEachOtherAndLightOnesComeBetween) {
  StepExecutor executor;
  std::string log;
  for (const char name : {'a', 'b', 'c'}) Detach(Work(name, log, true));
  Detach(Work('x', log, false));
  EXPECT_EQ(log, "abcx") << "all have begun";
  executor.RunAll();
  EXPECT_EQ(log, "abcxaxaxbbcc");
}

TEST(HeavyLane, ThePassComesBackWhenItsHolderFails) {
  StepExecutor executor;
  std::string log;
  const auto fail = [](std::string& out) -> async_detail::Detached {
    try {
      HeavyLane::Pass pass;
      co_await pass.Take();
      co_await HeavyLane::Yield();
      throw 1;
    } catch (int) { out += '!'; }
  };
  fail(log);
  Detach(Work('b', log, true));
  executor.RunAll();
  EXPECT_EQ(log, "b!bb");
}

TEST(HeavyLane, NobodyWaitsWithoutAnExecutor) {
  std::string log;
  Detach(Work('a', log, true));
  EXPECT_EQ(log, "aaa");
}

}  // namespace
}  // namespace armature
