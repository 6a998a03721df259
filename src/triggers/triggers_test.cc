#include "triggers/triggers.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include "table/journal/journal_testing.h"
#include "table/key_layout.h"
#include "table/system_records.h"

namespace armature::triggers {
namespace {

using Strings = std::vector<std::string>;

[[maybe_unused]] const auto kIgnoreSigpipe = signal(SIGPIPE, SIG_IGN);

// A journal's house with triggers over it. The function `log` is a shell that writes each event down.
class TriggersTest : public table::JournalTest {
 protected:
  TriggersTest() : folder_(testing::TempDir() + "/armature-triggers-" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    AddFunction("log", R"(while read -r line; do echo "$line" >> log; echo {}; done)");
    AddFunction(
        "failing",
        R"(while read -r line; do echo "$line" >> failing; [ -e mended ] && echo {} || echo '{"errorType":"E"}'; done)");
  }
  ~TriggersTest() override {
    triggers_.reset();
    std::filesystem::remove_all(folder_);
  }

  void AddFunction(const std::string& name, const std::string& script) {
    FunctionSpec spec;
    spec.name = name;
    spec.command = {"/bin/sh", "-c", script};
    spec.directory = folder_;
    config_.functions[name] = spec;
  }

  void StartTriggers() {
    triggers_.emplace(
        TriggersDeps{*engine_, house_->catalog, *journal_, clock_, random_, metrics_, calls_, start_thread_}, config_);
    ASSERT_TRUE(RunBlocking(triggers_->Load()).ok());
    triggers_->Start("http://127.0.0.1:1");
  }
  // A crash: nothing that was not on disk remains.
  void CrashAll() {
    triggers_.reset();
    Restart();
    StartTriggers();
  }

  Mapping On(const table::Table& table, const std::string& function = "log") {
    Mapping mapping;
    mapping.account = table::kScope.account;
    mapping.region = table::kScope.region;
    mapping.function_name = function;
    const auto state = table.journal().state();
    mapping.event_source_arn = table::MakeStreamArn(table.def()->Arn(), state->streams.back().label);
    return mapping;
  }
  std::string Create(Mapping mapping) {
    const auto created = RunBlocking(triggers_->Create(std::move(mapping)));
    EXPECT_TRUE(created) << (created ? "" : created.error().message);
    return created ? (*created)->uuid : std::string();
  }

  // The value of attribute n of every record that was delivered, call by call.
  std::vector<Strings> Calls(const std::string& file = "log") const {
    std::vector<Strings> calls;
    std::ifstream lines(folder_ + "/" + file);
    simdjson::dom::parser parser;
    // A line without an end is still being written.
    for (std::string line; std::getline(lines, line) && !lines.eof();) {
      Strings numbers;
      for (const auto record : parser.parse(line)["Records"].get_array())
        numbers.emplace_back(record["dynamodb"]["NewImage"]["n"]["N"].get_string().value());
      calls.push_back(numbers);
    }
    return calls;
  }
  Strings Delivered(const std::string& file = "log") const {
    Strings all;
    for (const Strings& call : Calls(file)) all.insert(all.end(), call.begin(), call.end());
    return all;
  }
  template <class Condition>
  static bool Eventually(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  static int CountOf(std::string_view what, std::string_view text) {
    int count = 0;
    for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++count;
    return count;
  }
  bool Delivers(const Strings& expected, const std::string& file = "log") {
    return Eventually([&] { return Delivered(file) == expected; });
  }
  void PutNumber(table::Table& table, int number, const std::string& key = "a") {
    EXPECT_EQ(Put(table, "pk=S:" + key + ",n=N:" + std::to_string(number)), "ok");
  }
  void SplitAll(const std::shared_ptr<table::Table>& table) {
    const auto state = table->journal().state();
    for (const table::Lane& lane : state->lanes) {
      if (!lane.is_open()) continue;
      ASSERT_TRUE(RunBlocking(journal_->SplitLane(table, lane.id, true)).ok());
    }
  }
  size_t CursorCount(const table::Table& table, const std::string& uuid) {
    const auto cursors = RunBlocking(journal_->LoadCursors(table, "trigger/" + uuid));
    return cursors ? cursors->size() : 0;
  }

  const std::string folder_;
  SeededRandom random_{7};
  TriggerConfig config_;
  size_t calls_ = kDefaultCalls;
  TaskPool::StartThread start_thread_ = TaskPool::RealThread;
  std::optional<Triggers> triggers_;
};

TEST_F(TriggersTest, DeliversParentsBeforeChildren) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  Strings expected;
  for (int number = 0; number < 60; ++number) {
    PutNumber(*table, number);
    expected.push_back(std::to_string(number));
    if (number % 20 == 10) SplitAll(table);
    if (number == 30) Create(On(*table));
  }
  EXPECT_TRUE(Delivers(expected)) << testing::PrintToString(Delivered());
}

TEST_F(TriggersTest, LatestStartsAtItsCreation) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  PutNumber(*table, 1);
  SplitAll(table);
  PutNumber(*table, 2);
  Mapping mapping = On(*table);
  mapping.starting_position = StartingPosition::kLatest;
  Create(mapping);
  PutNumber(*table, 3);
  EXPECT_TRUE(Delivers({"3"}));
}

TEST_F(TriggersTest, ProgressSurvivesACrash) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  const std::string uuid = Create(On(*table));
  PutNumber(*table, 1);
  SplitAll(table);
  PutNumber(*table, 2);
  ASSERT_TRUE(Delivers({"1", "2"}));
  // The parent's end and the child's progress.
  ASSERT_TRUE(Eventually([&] { return CursorCount(*table, uuid) == 3; }));
  ASSERT_TRUE(Eventually([&] {
    const auto state = table->journal().state();
    const auto cursors = RunBlocking(journal_->LoadCursors(*table, "trigger/" + uuid));
    return std::all_of(cursors->begin(), cursors->end(), [&](const auto& cursor) {
      const table::Lane* lane = state->FindLane(cursor.lane);
      return cursor.next >= (lane->is_open() ? journal_->Latest(*table) : lane->end);
    });
  }));
  CrashAll();
  const auto again = Find("t");
  PutNumber(*again, 3);
  EXPECT_TRUE(Delivers({"1", "2", "3"})) << testing::PrintToString(Delivered());
}

TEST_F(TriggersTest, WhatFailsComesAgainAfterACrash) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  Create(On(*table, "failing"));
  PutNumber(*table, 1);
  ASSERT_TRUE(Eventually([&] { return !Delivered("failing").empty(); }));
  CrashAll();
  PutNumber(*Find("t"), 2);
  std::ofstream(folder_ + "/mended") << "yes";
  ASSERT_TRUE(Eventually([&] { return !Delivered("failing").empty() && Delivered("failing").back() == "2"; }));
  const Strings all = Delivered("failing");
  EXPECT_EQ(all[all.size() - 2], "1") << testing::PrintToString(all);
}

TEST_F(TriggersTest, AnUpdatedMappingGoesOnWhereItWas) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  const std::string uuid = Create(On(*table, "failing"));
  PutNumber(*table, 1);
  ASSERT_TRUE(Eventually([&] { return !Delivered("failing").empty(); }));
  const auto edit = [](Mapping& mapping) -> model::ApiResult<void> {
    mapping.function_name = "log";
    return {};
  };
  ASSERT_TRUE(RunBlocking(triggers_->Update(table::kScope, uuid, edit)));
  PutNumber(*table, 2);
  EXPECT_TRUE(Delivers({"1", "2"}));
}

TEST_F(TriggersTest, ADeletedMappingLeavesNothing) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  const std::string uuid = Create(On(*table));
  PutNumber(*table, 1);
  ASSERT_TRUE(Eventually([&] { return CursorCount(*table, uuid) == 1; }));
  ASSERT_TRUE(RunBlocking(triggers_->Delete(table::kScope, uuid)));
  EXPECT_FALSE(triggers_->Find(table::kScope, uuid));
  EXPECT_TRUE(triggers_->List(table::kScope).empty());
  EXPECT_FALSE(RunBlocking(triggers_->Delete(table::kScope, uuid)));
  EXPECT_TRUE(Eventually([&] { return CursorCount(*table, uuid) == 0; }));
  CrashAll();
  EXPECT_TRUE(triggers_->List(table::kScope).empty());
}

TEST_F(TriggersTest, TheSameMappingTwiceIsRefused) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  Create(On(*table));
  const auto again = RunBlocking(triggers_->Create(On(*table)));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().name, "ResourceConflictException");
  EXPECT_EQ(again.error().http_status, 409);
  Mapping other = On(*table);
  other.event_source_arn += "x";
  EXPECT_EQ(RunBlocking(triggers_->Create(other)).error().name, "InvalidParameterValueException");
}

TEST_F(TriggersTest, ATriggerOfTheFileIsBoundToTheStreamOfItsTable) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  PutNumber(*table, 1);
  Mapping trigger;
  trigger.account = table::kScope.account;
  trigger.region = table::kScope.region;
  trigger.trigger_name = "mine";
  trigger.table_name = "t";
  trigger.function_name = "log";
  trigger.uuid = UuidOfTrigger(trigger.account, trigger.region, trigger.trigger_name);
  config_.triggers.push_back(trigger);
  StartTriggers();
  ASSERT_TRUE(Delivers({"1"}));
  // What is left of the old stream comes before the new one.
  PutNumber(*table, 2);
  SetStream("t", "");
  SetStream("t", "NEW_IMAGE");
  PutNumber(*table, 3);
  EXPECT_TRUE(Delivers({"1", "2", "3"}));
  const auto mapping = triggers_->Find(table::kScope, trigger.uuid);
  ASSERT_TRUE(mapping);
  EXPECT_EQ(triggers_->StateOf(*mapping), "Enabled");
  EXPECT_EQ(RunBlocking(triggers_->Delete(table::kScope, trigger.uuid)).error().name, "ResourceInUseException");
  // Out of the file it rests, and may be deleted.
  config_.triggers.clear();
  triggers_.reset();
  StartTriggers();
  const auto left_over = triggers_->Find(table::kScope, trigger.uuid);
  ASSERT_TRUE(left_over);
  EXPECT_EQ(triggers_->StateOf(*left_over), "Disabled");
  EXPECT_TRUE(RunBlocking(triggers_->Delete(table::kScope, trigger.uuid)));
}

// The old stream was passed over when its progress could not be read just then.
TEST_F(TriggersTest, WhatIsLeftOfAnOldStreamWaitsUntilItsProgressCanBeRead) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  Mapping trigger;
  trigger.account = table::kScope.account;
  trigger.region = table::kScope.region;
  trigger.trigger_name = "mine";
  trigger.table_name = "t";
  trigger.function_name = "log";
  trigger.uuid = UuidOfTrigger(trigger.account, trigger.region, trigger.trigger_name);
  config_.triggers.push_back(trigger);
  StartTriggers();
  PutNumber(*table, 1);
  ASSERT_TRUE(Delivers({"1"}));
  triggers_.reset();
  PutNumber(*table, 2);
  SetStream("t", "");
  SetStream("t", "NEW_IMAGE");
  PutNumber(*table, 3);
  // The first scan of the triggers' own thread, which is the first to be started.
  std::atomic<bool> is_first{true};
  start_thread_ = [&](std::function<void()> body) {
    if (is_first.exchange(false)) engine_->FailNext(storage::FaultyEngine::Point::kScan, 1, Status::IoError("not now"));
    return std::thread(std::move(body));
  };
  StartTriggers();
  EXPECT_TRUE(Delivers({"1", "2", "3"})) << testing::PrintToString(Delivered());
}

TEST_F(TriggersTest, PartsOfAShardKeepTheOrderOfTheirItems) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  Mapping mapping = On(*table);
  mapping.parallelization_factor = 4;
  mapping.batch_size = 3;
  Create(mapping);
  for (int number = 0; number < 100; ++number) PutNumber(*table, number, "key" + std::to_string(number % 10));
  ASSERT_TRUE(Eventually([&] { return Delivered().size() == 100; }));
  std::vector<int> last(10, -1);
  for (const std::string& text : Delivered()) {
    const int number = std::stoi(text);
    EXPECT_EQ(number,
              last[static_cast<size_t>(number % 10)] < 0 ? number % 10 : last[static_cast<size_t>(number % 10)] + 10);
    last[static_cast<size_t>(number % 10)] = number;
  }
  for (const Strings& call : Calls()) EXPECT_LE(call.size(), 3u);
}

TEST_F(TriggersTest, CursorsOfTrimmedShardsGo) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  const std::string uuid = Create(On(*table));
  PutNumber(*table, 1);
  SplitAll(table);
  PutNumber(*table, 2);
  ASSERT_TRUE(Delivers({"1", "2"}));
  ASSERT_TRUE(Eventually([&] { return CursorCount(*table, uuid) == 3; }));
  clock_.AdvanceMillis(options_.retention_millis * 2);
  ASSERT_TRUE(Eventually([&] {
    EXPECT_TRUE(RunBlocking(journal_->KeepHouse()).ok());
    const auto state = table->journal().state();
    const auto cursors = RunBlocking(journal_->LoadCursors(*table, "trigger/" + uuid));
    return std::all_of(cursors->begin(), cursors->end(),
                       [&](const auto& cursor) { return state->FindLane(cursor.lane); }) &&
           state->lanes.front().id != 1;
  }));
}

TEST_F(TriggersTest, FilteredRecordsCountAsDone) {
  const auto table = CreateStream("t", "NEW_IMAGE");
  StartTriggers();
  Mapping mapping = On(*table);
  mapping.filters = {R"({"dynamodb":{"NewImage":{"n":{"N":["5"]}}}})"};
  const std::string uuid = Create(mapping);
  for (int number = 0; number < 10; ++number) PutNumber(*table, number);
  ASSERT_TRUE(Delivers({"5"}));
  EXPECT_TRUE(Eventually([&] {
    const auto cursors = RunBlocking(journal_->LoadCursors(*table, "trigger/" + uuid));
    return cursors->size() == 1 && cursors->front().next == journal_->Latest(*table);
  }));
}

TEST_F(TriggersTest, AMappingThatCannotBeReadCostsNoOther) {
  const auto table = CreateStream("T", "KEYS_ONLY");
  StartTriggers();
  const std::string lost = Create(On(*table)), kept = Create(On(*table, "failing"));
  triggers_.reset();
  storage::Batch damage;
  damage.Put(table::TriggerKey(lost), "\xff");
  ASSERT_TRUE(RunBlocking(table::WriteSystemRecordsDurably(*engine_, damage)).ok());
  CrashAll();
  EXPECT_EQ(triggers_->Find(table::kScope, lost), nullptr);
  EXPECT_EQ(triggers_->MissingMapping(lost).name, "ServiceException");
  EXPECT_EQ(triggers_->MissingMapping("another").name, "ResourceNotFoundException");
  EXPECT_EQ(RunBlocking(triggers_->Delete(table::kScope, lost)).error().name, "ServiceException");
  ASSERT_NE(triggers_->Find(table::kScope, kept), nullptr);
  EXPECT_EQ(triggers_->List(table::kScope).size(), 1u);
}

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
  engine_->FailNext(storage::FaultyEngine::Point::kCommit, 200, Status(StatusCode::kNoSpace, "the disk is full"));
  ASSERT_TRUE(Eventually([&] {
    const auto cursors = RunBlocking(journal_->LoadCursors(*table, "trigger/" + uuids.back()));
    return Delivered().size() == 40 && cursors->front().next == journal_->Latest(*table);
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
