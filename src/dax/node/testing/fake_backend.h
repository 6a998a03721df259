// FakeBackend: a DynamoDB that answers what a test tells it, when the test wants. Test support only.
//
// It knows the tables of the protocol's examples, Music {Artist S, Song S} and Ids {id N}; everything else is the
// test's to say. What a call is answered is fixed when it comes, so that one that is held answers what the table had
// then. Thread-safe.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/mutex.h"
#include "dax/backend/backend.h"

namespace armature::dax {

inline BackendError ErrorNamed(std::string name, int http_status = 400, bool is_outcome_unknown = false) {
  return {.name = std::move(name),
          .message = "so it is",
          .http_status = http_status,
          .is_outcome_unknown = is_outcome_unknown};
}

// What DescribeTable says. `keys`: names and types, "Artist:S", of one attribute or two.
inline std::string TableJson(std::string_view id, const std::vector<std::string>& keys) {
  std::string schema, types;
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::string name = keys[i].substr(0, keys[i].find(':'));
    if (i > 0) schema += ",", types += ",";
    schema += fmt::format(R"({{"AttributeName":"{}","KeyType":"{}"}})", name, i == 0 ? "HASH" : "RANGE");
    types += fmt::format(R"({{"AttributeName":"{}","AttributeType":"{}"}})", name, keys[i].back());
  }
  return fmt::format(R"({{"Table":{{"TableId":"{}","KeySchema":[{}],"AttributeDefinitions":[{}]}}}})", id, schema,
                     types);
}

class FakeBackend final : public Backend {
 public:
  using Script = std::function<BackendReply(std::string_view json)>;

  FakeBackend() {
    SetTable("Music", TableJson("m", {"Artist:S", "Song:S"}));
    SetTable("Ids", TableJson("i", {"id:N"}));
  }
  // Coroutines that were cut off stay allocated, as documented. They stay known, too, so that the leak checker does not
  // report what is meant to be.
  ~FakeBackend() override {
    for (auto& [operation, held] : held_) Kept().insert(Kept().end(), held.begin(), held.end());
  }

  // --- What it says, from now on

  void SetTable(const std::string& name, BackendReply description) {
    MutexLock lock(mutex_);
    tables_.insert_or_assign(name, std::move(description));
  }
  void Answer(const std::string& operation, std::string json) {
    SetScript(operation, [json = std::move(json)](std::string_view) { return BackendReply(json); });
  }
  void Fail(const std::string& operation, const BackendError& error) {
    SetScript(operation, [error](std::string_view) { return BackendReply(error); });
  }
  void SetScript(const std::string& operation, Script script) {
    MutexLock lock(mutex_);
    scripts_[operation] = std::move(script);
  }
  // Once each, in turn, before what is said from now on.
  void AnswerOnce(const std::string& operation, BackendReply reply) {
    MutexLock lock(mutex_);
    once_[operation].push_back(std::move(reply));
  }

  // --- When

  // Calls wait from now on, until LetGo, which is for those that have come.
  void Hold(const std::string& operation) {
    MutexLock lock(mutex_);
    held_.try_emplace(operation);
  }
  void LetGo(const std::string& operation) {
    std::vector<Completion*> held;
    {
      MutexLock lock(mutex_);
      held.swap(held_[operation]);
      held_.erase(operation);
    }
    for (Completion* const call : held) call->Finish();
  }

  // The one that came last only; later ones still wait.
  void LetGoLast(const std::string& operation) {
    Completion* last = nullptr;
    {
      MutexLock lock(mutex_);
      last = held_[operation].back();
      held_[operation].pop_back();
    }
    last->Finish();
  }

  // --- What it was asked

  // The JSON of all calls.
  std::vector<std::string> asked(const std::string& operation) const {
    MutexLock lock(mutex_);
    const auto found = asked_.find(operation);
    return found == asked_.end() ? std::vector<std::string>() : found->second;
  }
  size_t calls(const std::string& operation) const { return asked(operation).size(); }
  // False: so many did not come in ten seconds.
  bool AwaitCalls(const std::string& operation, size_t count) {
    MutexLock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10),
                             [&]() ARMATURE_WITH_LOCK(mutex_) { return asked_[operation].size() >= count; });
  }
  // For which account and Region the last call was.
  std::string last_scope() const {
    MutexLock lock(mutex_);
    return last_scope_;
  }

  Task<BackendReply> Call(std::string_view operation, std::string_view json, const Scope& scope) override {
    Completion go;
    bool must_wait = false;
    BackendReply reply = Take(std::string(operation), json, scope, go, must_wait);
    if (must_wait) co_await go;
    co_return reply;
  }

 private:
  static std::vector<Completion*>& Kept() {
    static auto* const kept = new std::vector<Completion*>;
    return *kept;
  }
  BackendReply Take(const std::string& operation, std::string_view json, const Scope& scope, Completion& go,
                    bool& must_wait) {
    Script script;
    {
      MutexLock lock(mutex_);
      asked_[operation].emplace_back(json);
      last_scope_ = fmt::format("{}/{}", scope.account, scope.region);
      changed_.notify_all();
      if (const auto held = held_.find(operation); held != held_.end()) {
        held->second.push_back(&go);
        must_wait = true;
      }
      if (auto& once = once_[operation]; !once.empty()) {
        BackendReply reply = std::move(once.front());
        once.pop_front();
        return reply;
      }
      if (const auto found = scripts_.find(operation); found != scripts_.end()) script = found->second;
      else if (operation == "DescribeTable") return Describe(json);
    }
    return script ? script(json) : BackendReply(ErrorNamed("UnknownOperationException"));
  }
  BackendReply Describe(std::string_view json) const ARMATURE_WITH_LOCK(mutex_) {
    for (const auto& [name, description] : tables_)
      if (json == fmt::format(R"({{"TableName":"{}"}})", name)) return description;
    return ErrorNamed("ResourceNotFoundException");
  }

  mutable Mutex mutex_;
  Condition changed_;
  std::map<std::string, BackendReply> tables_ ARMATURE_GUARDED_BY(mutex_);
  std::map<std::string, Script> scripts_ ARMATURE_GUARDED_BY(mutex_);
  std::map<std::string, std::deque<BackendReply>> once_ ARMATURE_GUARDED_BY(mutex_);
  std::map<std::string, std::vector<Completion*>> held_ ARMATURE_GUARDED_BY(mutex_);
  std::map<std::string, std::vector<std::string>> asked_ ARMATURE_GUARDED_BY(mutex_);
  std::string last_scope_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::dax
