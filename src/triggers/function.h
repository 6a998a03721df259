// Function: where events go, whatever it is made of: a handler process or an HTTP endpoint.
//
// A FunctionSpec says what a name stands for (from the trigger file or the command line); MakeFunction makes the thing.
// Invoke blocks the calling thread until the function has answered, failed, or taken too long. As many calls run at
// once as the spec allows: who wants to call takes a turn first, and is told when one is free instead of waiting for
// it. All functions together have no more handler processes than a HandlerLimit says. Thread-safe. Used by triggers/ on
// threads of its own.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http_client.h"
#include "base/result.h"

namespace armature::triggers {

class HandlerProcess;

struct FunctionSpec {
  std::string name;
  // Either: a program and its arguments, run as handler processes (protocol in docs/triggers.md) …
  std::vector<std::string> command;
  std::string directory;  // to run in; empty: the server's
  std::map<std::string, std::string> environment;
  // … or: an endpoint of the Lambda Invoke API.
  std::string url;

  int64_t timeout_millis = 60'000;
  int concurrency = 10;  // calls at once, and so processes
};

struct Invocation {
  bool is_ok = false;
  std::string payload;  // what the function answered: JSON, or nothing
  std::string error;    // if not ok: why, in words
};

// How many calls run at once.
class Turns {
 public:
  explicit Turns(int limit) : free_(limit) {}

  // False: there is none; `when_free` is called, once, when it is worth another try. It must not block, and may be
  // called by any thread that gives a turn back.
  bool TryTake(std::function<void()> when_free);
  void Give();

 private:
  std::mutex mutex_;
  int free_;                                    // guarded by mutex_
  std::vector<std::function<void()>> waiting_;  // guarded by mutex_
};

// Starts handler processes, and knows how many there are, of all functions together. When there are enough, or the
// machine has no more to give, an idle one of some function is ended first.
class HandlerLimit {
 public:
  explicit HandlerLimit(size_t most);
  ~HandlerLimit();

  // Gives its place back when it goes.
  class Place {
   public:
    explicit Place(HandlerLimit* limit) : limit_(limit) {}
    Place(Place&& other) noexcept : limit_(std::exchange(other.limit_, nullptr)) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(limit_, other.limit_);
      return *this;
    }
    ~Place() {
      if (limit_) --limit_->count_;
    }

   private:
    HandlerLimit* limit_;
  };

  // Nothing: all are at work.
  std::optional<Place> TryTake();
  Result<std::unique_ptr<HandlerProcess>> Start(const FunctionSpec& spec);
  size_t count() const { return count_; }

  // `end_idle` ends an idle process, with its Place; false: there is none. Called by any thread.
  void Register(const void* owner, std::function<bool()> end_idle);
  void Unregister(const void* owner);

 private:
  class Starter;

  // False: no function has an idle one.
  bool EndAnIdleOne();

  const size_t most_;
  const std::unique_ptr<Starter> starter_;  // outlives the processes
  std::atomic<size_t> count_{0};
  std::mutex mutex_;
  std::map<const void*, std::function<bool()>> owners_;  // guarded by mutex_
};

class Function {
 public:
  virtual ~Function() = default;

  // Null: any number of calls may run.
  virtual Turns* turns() { return nullptr; }

  // REQUIRES: a turn. `event` is JSON without line breaks. Once `stop` is requested a call under way has a few seconds
  // left.
  virtual Invocation Invoke(std::string_view event, const std::stop_token& stop) = 0;

  // Ends what is idle, and everything once the last call is over. No call may follow.
  virtual void Close() {}
};

// `http` and `limit` must outlive the function.
std::unique_ptr<Function> MakeFunction(FunctionSpec spec, HttpClient& http, HandlerLimit& limit);

// Where an endpoint's Invoke API is: its URL, with the path of the API if it has none yet.
std::string InvokeUrl(std::string_view url, std::string_view function_name);

// Whether an answer's text is that of a function that failed: {"errorMessage": …} or {"errorType": …}. Then the reason.
Result<std::string> ErrorInAnswer(std::string_view payload);

// How long a call may go on once the server is to stop.
inline constexpr int64_t kStopGraceMillis = 3000;

}  // namespace armature::triggers
