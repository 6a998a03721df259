#include "workers/periodic.h"

#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

namespace armature::workers {
namespace {

TEST(Periodic, RunsItsStepAgainAndAgainAndStopsBetweenSteps) {
  std::mutex mutex;
  std::condition_variable ran;
  int steps = 0;
  Periodic periodic(std::chrono::milliseconds(1), [&] {
    std::lock_guard lock(mutex);
    ++steps;
    ran.notify_all();
  });
  periodic.Start();
  {
    std::unique_lock lock(mutex);
    ran.wait(lock, [&] { return steps >= 3; });
  }
  periodic.Stop();
  const int after_stop = steps;
  periodic.Stop();  // stopping twice is harmless
  EXPECT_EQ(steps, after_stop);
}

TEST(Periodic, StopDoesNotWaitForTheInterval) {
  bool ran = false;
  Periodic periodic(std::chrono::hours(1), [&] { ran = true; });
  periodic.Start();
  periodic.Stop();
  EXPECT_FALSE(ran);
}

TEST(Periodic, RunSoonDoesNotWaitForTheIntervalEither) {
  std::mutex mutex;
  std::condition_variable ran;
  int steps = 0;
  Periodic periodic(std::chrono::hours(1), [&] {
    std::lock_guard lock(mutex);
    ++steps;
    ran.notify_all();
    if (steps < 3) periodic.RunSoon(std::chrono::milliseconds(1));
  });
  periodic.Start();
  periodic.RunSoon();
  std::unique_lock lock(mutex);
  ran.wait(lock, [&] { return steps == 3; });
}

}  // namespace
}  // namespace armature::workers
