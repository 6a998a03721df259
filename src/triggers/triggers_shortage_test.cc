// Hundreds of mappings, and not enough of something: threads, turns, processes, space on the disk.
#include <algorithm>
#include <atomic>
#include <system_error>

#include <fcntl.h>
#include <sys/resource.h>

#include "triggers/triggers_testing.h"

namespace armature::triggers {
namespace {

// Each once had a thread of its own and one for each part: the server ended when there were no more, and ended again at
// every start.
TEST_F(TriggersTest, HundredsOfMappingsShareTheThreadsThereAre) {
  constexpr int kMappings = 200, kItems = 3;
  std::atomic<int> threads{0};
  start_thread_ = [&](std::function<void()> body) {
    if (++threads > 4) {  // the triggers' own, and three
      --threads;
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    }
    return std::thread([&threads, body = std::move(body)] {
      body();
      --threads;
    });
  };
  const auto table = CreateStream("T", "NEW_IMAGE");
  StartTriggers();
  for (int i = 0; i < kMappings; ++i) {
    Mapping mapping = On(*table);
    mapping.function_qualifier = "v" + std::to_string(i);
    mapping.parallelization_factor = 10;
    Create(std::move(mapping));
  }
  for (int i = 0; i < kItems; ++i) EXPECT_EQ(Put(*table, "pk=S:" + std::to_string(i) + ",n=N:1"), "ok");
  const auto delivered = [this] {
    size_t count = 0;
    for (const Strings& call : Calls()) count += call.size();
    return count;
  };
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(Eventually([&] { return delivered() >= size_t{kMappings} * kItems; }));
  // Idle threads of one kind once kept those away that had work for the other, for ten seconds.
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(8));
  EXPECT_EQ(delivered(), size_t{kMappings} * kItems);
  triggers_.reset();  // and they end
}

// A call takes a turn of its function, and a mapping that goes gives up the one it was to have.
TEST_F(TriggersTest, MappingsThatGoWhileTheyWaitForATurnHoldUpNobody) {
  AddFunction("slow",
              R"(while read -r line; do echo "$line" >> slow; while [ ! -e go ]; do sleep 0.01; done; echo {}; done)");
  config_.functions["slow"].concurrency = 1;
  const auto table = CreateStream("T", "NEW_IMAGE");
  StartTriggers();
  Strings uuids;
  for (int i = 0; i < 30; ++i) {
    Mapping mapping = On(*table, "slow");
    mapping.function_qualifier = "v" + std::to_string(i);
    uuids.push_back(Create(std::move(mapping)));
  }
  PutNumber(*table, 1);
  ASSERT_TRUE(Eventually([&] { return Calls("slow").size() == 1; }));
  for (size_t i = 0; i < 25; ++i) ASSERT_TRUE(RunBlocking(triggers_->Delete(table::kScope, uuids[i])));
  std::ofstream(folder_ + "/go") << "yes";
  // Whose call was under way may be one of those that stay, or one of those that go.
  ASSERT_TRUE(Eventually([&] {
    return std::all_of(uuids.begin() + 25, uuids.end(), [&](const std::string& uuid) {
      return triggers_->LastResultOf(*triggers_->Find(table::kScope, uuid)) == "OK";
    });
  }));
}

TEST_F(TriggersTest, WithoutAnyThreadMappingsSayThatTheyWait) {
  std::atomic<bool> may_start{true};
  start_thread_ = [&](std::function<void()> body) {
    if (!may_start) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return std::thread(std::move(body));
  };
  const auto table = CreateStream("T", "NEW_IMAGE"), quiet = CreateStream("Quiet", "NEW_IMAGE");
  StartTriggers();
  may_start = false;
  testing::internal::CaptureStderr();
  const std::string uuid = Create(On(*table));
  Strings others;
  for (int i = 0; i < 30; ++i) {
    Mapping mapping = On(*quiet);
    mapping.function_qualifier = "v" + std::to_string(i);
    others.push_back(Create(std::move(mapping)));
  }
  EXPECT_EQ(Put(*table, "pk=S:a,n=N:1"), "ok");
  const auto result = [&](const std::string& of) {
    return triggers_->LastResultOf(*triggers_->Find(table::kScope, of));
  };
  const auto all_others = [&](const std::string& expected) {
    return std::all_of(others.begin(), others.end(),
                       [&](const std::string& other) { return result(other) == expected; });
  };
  ASSERT_TRUE(Eventually([&] { return result(uuid) == "PROBLEM: Waiting for a free thread"; }));
  ASSERT_TRUE(Eventually([&] { return all_others("PROBLEM: Waiting for a free thread"); }));
  may_start = true;
  ASSERT_TRUE(Eventually([&] { return result(uuid) == "OK"; }));
  // Who had nothing to deliver has no problem any more either.
  ASSERT_TRUE(Eventually([&] { return all_others("No records processed"); }));
  EXPECT_EQ(Calls().size(), 1u);
  triggers_.reset();
  EXPECT_LE(CountOf("waits for a free thread", testing::internal::GetCapturedStderr()), 1) << "one line speaks for all";
}

TEST_F(TriggersTest, ThatTheirOwnThreadCouldNotBeStartedIsNotForGood) {
  std::atomic<bool> may_start{false};
  start_thread_ = [&](std::function<void()> body) {
    if (!may_start) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return std::thread(std::move(body));
  };
  const auto table = CreateStream("T", "NEW_IMAGE");
  StartTriggers();
  const std::string uuid = Create(On(*table));
  PutNumber(*table, 1);
  triggers_->Tend();
  EXPECT_EQ(triggers_->LastResultOf(*triggers_->Find(table::kScope, uuid)), "PROBLEM: No thread can be started");
  may_start = true;
  triggers_->Tend();
  EXPECT_TRUE(Delivers({"1"}));
}

// Ten times a second each of them tried, and said that it had failed.
TEST_F(TriggersTest, ADiskThatTakesNothingIsToldOfOnceForAll) {
  const auto table = CreateStream("T", "NEW_IMAGE");
  StartTriggers();
  Strings uuids;
  for (int i = 0; i < 20; ++i) {
    Mapping mapping = On(*table);
    mapping.function_qualifier = "v" + std::to_string(i);
    uuids.push_back(Create(std::move(mapping)));
  }
  PutNumber(*table, 1);
  ASSERT_TRUE(Eventually([&] { return CursorCount(*table, uuids.back()) == 1 && Delivered().size() == 20; }));
  testing::internal::CaptureStderr();
  PutNumber(*table, 2);
  disk().FailNext(storage::FaultyEngine::Point::kCommit, 200, Status(StatusCode::kNoSpace, "the disk is full"));
  ASSERT_TRUE(Eventually([&] {
    const auto cursors = RunBlocking(journal_->LoadCursors(*table, "trigger/" + uuids.back()));
    return Delivered().size() == 40 && cursors->front().next == journal_->LatestNow(*table, cursors->front().lane);
  }));
  triggers_.reset();
  EXPECT_LE(CountOf("storing progress", testing::internal::GetCapturedStderr()), 2);
}

// No more files, and so no pipes to a handler, as long as this lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int free = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(free);
    const rlimit none{static_cast<rlim_t>(free), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

// Lambda, too, counts a call that it could not make as no retry.
TEST_F(TriggersTest, RecordsAreNotGivenUpForWantOfAProcess) {
  const auto table = CreateStream("T", "NEW_IMAGE");
  StartTriggers();
  Mapping mapping = On(*table);
  mapping.max_retry_attempts = 0;
  const std::string uuid = Create(mapping);
  const auto result = [&] { return triggers_->LastResultOf(*triggers_->Find(table::kScope, uuid)); };
  {
    const NoDescriptors scarcity;
    PutNumber(*table, 1);
    ASSERT_TRUE(Eventually([&] { return result() == "PROBLEM: Function cannot be started"; })) << result();
  }
  EXPECT_TRUE(Delivers({"1"}));
  EXPECT_TRUE(Eventually([&] { return result() == "OK"; }));
}

}  // namespace
}  // namespace armature::triggers
