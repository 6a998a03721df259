#include "triggers/triggers.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include <gmock/gmock.h>
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
        TriggersDeps{*engine_, house_->catalog, *journal_, clock_, random_, metrics_, kDefaultCalls, start_thread_},
        config_);
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
    if (++threads > 3) {
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
  ASSERT_TRUE(Eventually([&] { return delivered() >= size_t{kMappings} * kItems; }));
  EXPECT_EQ(delivered(), size_t{kMappings} * kItems);
  triggers_.reset();  // and they end
}

TEST_F(TriggersTest, WithoutAnyThreadMappingsSayThatTheyWait) {
  std::atomic<bool> may_start{false};
  start_thread_ = [&](std::function<void()> body) {
    if (!may_start) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return std::thread(std::move(body));
  };
  const auto table = CreateStream("T", "NEW_IMAGE");
  StartTriggers();
  const std::string uuid = Create(On(*table));
  EXPECT_EQ(Put(*table, "pk=S:a,n=N:1"), "ok");
  const auto result = [&] { return triggers_->LastResultOf(*triggers_->Find(table::kScope, uuid)); };
  ASSERT_TRUE(Eventually([&] { return result() == "PROBLEM: Waiting for a free thread"; }));
  may_start = true;
  ASSERT_TRUE(Eventually([&] { return result() == "OK"; }));
  EXPECT_EQ(Calls().size(), 1u);
  triggers_.reset();
}

}  // namespace
}  // namespace armature::triggers
