#include "workers/periodic.h"

#include <gtest/gtest.h>

#include "base/mutex.h"

namespace armature::workers {
namespace {

TEST(Periodic, RunsItsStepAgainAndAgainAndStopsBetweenSteps) {
  Mutex mutex;
  Condition ran;
  int steps = 0;
  Periodic periodic(std::chrono::milliseconds(1), [&] {
    MutexLock lock(mutex);
    ++steps;
    ran.notify_all();
  });
  periodic.Start();
  {
    MutexLock lock(mutex);
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
  Mutex mutex;
  Condition ran;
  int steps = 0;
  Periodic periodic(std::chrono::hours(1), [&] {
    MutexLock lock(mutex);
    ++steps;
    ran.notify_all();
    if (steps < 3) periodic.RunSoon(std::chrono::milliseconds(1));
  });
  periodic.Start();
  periodic.RunSoon();
  MutexLock lock(mutex);
  ran.wait(lock, [&] { return steps == 3; });
}

}  // namespace
}  // namespace armature::workers
