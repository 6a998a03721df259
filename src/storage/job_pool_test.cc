#include "storage/job_pool.h"

#include <atomic>
#include <latch>
#include <system_error>

#include <gtest/gtest.h>

namespace armature::storage {
namespace {

class Call final : public JobPool::Job {
 public:
  explicit Call(std::function<void()> call) : call_(std::move(call)) {}
  void Run() override { call_(); }

 private:
  const std::function<void()> call_;
};

bool Post(JobPool& pool, std::function<void()> call) {
  std::unique_ptr<JobPool::Job> job = std::make_unique<Call>(std::move(call));
  const bool is_taken = pool.TryPost(job);
  EXPECT_EQ(job == nullptr, is_taken) << "what is not taken stays with the caller";
  return is_taken;
}

TEST(JobPoolTest, JobsBlockAtTheSameTime) {
  JobPool pool("test", 3, 10);
  std::latch all_there(3);
  std::atomic<int> done = 0;
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(Post(pool, [&] {
      all_there.arrive_and_wait();
      ++done;
    }));
  pool.Stop();
  EXPECT_EQ(done, 3);
}

TEST(JobPoolTest, AFullQueueTakesNothingMore) {
  JobPool pool("test", 1, 2);
  std::latch begun(1), go_on(1);
  std::atomic<int> done = 0;
  EXPECT_TRUE(Post(pool, [&] {
    begun.count_down();
    go_on.wait();
  }));
  begun.wait();
  EXPECT_TRUE(Post(pool, [&] { ++done; }));
  EXPECT_TRUE(Post(pool, [&] { ++done; }));
  EXPECT_FALSE(Post(pool, [&] { ++done; }));
  go_on.count_down();
  pool.Stop();
  EXPECT_EQ(done, 2);
}

TEST(JobPoolTest, StopRunsWhatIsQueuedAndTakesNothingMore) {
  JobPool pool("test", 2, 100);
  std::atomic<int> done = 0;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Post(pool, [&] { ++done; }));
  pool.Stop();
  EXPECT_EQ(done, 100);
  EXPECT_FALSE(Post(pool, [&] { ++done; }));
  pool.Stop();
}

TEST(JobPoolTest, WithoutAThreadNothingIsTakenAndWithOneEverything) {
  int starts = 0;
  bool fails = true;
  JobPool pool("test", 2, 10, [&](std::function<void()> body) {
    ++starts;
    if (fails) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return std::thread(std::move(body));
  });
  EXPECT_FALSE(Post(pool, [] {}));
  fails = false;
  std::latch begun(1), go_on(1);
  std::atomic<int> done = 0;
  EXPECT_TRUE(Post(pool, [&] {
    begun.count_down();
    go_on.wait();
  }));
  begun.wait();
  fails = true;
  EXPECT_TRUE(Post(pool, [&] { ++done; })) << "the thread that there is will come to it";
  EXPECT_EQ(starts, 3);
  go_on.count_down();
  pool.Stop();
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace armature::storage
