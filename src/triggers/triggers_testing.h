// What the tests of Triggers share: tables with a journal and triggers over it, and functions that write down their
// calls.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <simdjson.h>
#include <unistd.h>

#include "model/names/arn.h"
#include "table/journal/journal_testing.h"
#include "triggers/triggers.h"

namespace armature::triggers {

using Strings = std::vector<std::string>;

[[maybe_unused]] inline const auto kIgnoreSigpipe = signal(SIGPIPE, SIG_IGN);

// Tables with a journal and triggers over it. The function `log` is a shell that writes each event down.
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
        TriggersDeps{*engine_, layer_->catalog, *journal_, clock_, random_, metrics_, calls_, start_thread_}, config_);
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
    mapping.event_source_arn = model::MakeStreamArn(table.def()->Arn(), state->streams.back().label);
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
  void EndAll(const std::shared_ptr<table::Table>& table, bool is_split) {
    const auto state = table->journal().state();
    for (const table::Lane& lane : state->lanes) {
      if (!lane.is_open()) continue;
      ASSERT_TRUE(table::EndLane(*journal_, table, lane.id, is_split).ok());
    }
  }
  void SplitAll(const std::shared_ptr<table::Table>& table) { EndAll(table, true); }
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

}  // namespace armature::triggers
