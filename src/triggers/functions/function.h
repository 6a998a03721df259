// Function: where events go, whatever it is made of: a handler process or an HTTP endpoint.
//
// A FunctionSpec says what a name stands for (from the trigger file or the command line); MakeFunction makes the thing.
// Invoke blocks the calling thread until the function has answered, failed, or taken too long. As many calls run at
// once as the spec allows: who wants to call takes a turn first, and is told when it is given one instead of waiting
// for it. All functions together have no more handler processes than a HandlerLimit says. Thread-safe. Used by
// triggers/ on threads of its own.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http_client.h"
#include "base/mutex.h"
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
  // False: nobody has seen the event, because there is no process or thread for it just now. That is no failure of the
  // function.
  bool has_run = true;
};

// How many calls run at once. Who has to wait gets a turn in the order of asking: one that is given back is kept for
// whoever waits longest, and nobody else is woken for it.
class Turns {
 public:
  using Who = const void*;  // any address of the caller's own
  explicit Turns(int limit) : free_(limit) {}

  // False: there is none; `when_kept` is called, once, when one is kept for `who`, who then takes it by asking again.
  // It must not block, and may be called by any thread that gives a turn back. To ask again earlier changes nothing.
  bool TryTake(Who who, std::function<void()> when_kept);
  void Give();
  // Waits no more. REQUIRES, before who goes: this, unless `who` never found none.
  void Leave(Who who);

 private:
  struct Waiting {
    Who who;
    std::function<void()> when_kept;
  };
  Mutex mutex_;
  int free_ ARMATURE_GUARDED_BY(mutex_);                     // none while somebody waits
  std::deque<Waiting> waiting_ ARMATURE_GUARDED_BY(mutex_);  // the longest first
  std::set<Who> waiters_ ARMATURE_GUARDED_BY(mutex_);        // the same
  std::set<Who> kept_for_;
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

  struct Handler {
    Handler(Place p, std::unique_ptr<HandlerProcess> running);
    Handler(Handler&&) noexcept;
    Handler& operator=(Handler&&) noexcept;
    ~Handler();

    Place place;  // given back when the process has ended
    std::unique_ptr<HandlerProcess> process;
  };

  // Nothing: all are at work.
  std::optional<Place> TryTake();
  // kUnavailable: there is none to be had just now.
  Result<std::unique_ptr<HandlerProcess>> Start(const FunctionSpec& spec);
  size_t count() const { return count_; }

  // `take_idle` hands over an idle process; nothing: there is none. Called by any thread.
  using TakeIdle = std::function<std::optional<Handler>()>;
  void Register(const void* owner, TakeIdle take_idle);
  void Unregister(const void* owner);

  // Ends the idle ones of all functions side by side: together they have the time one has.
  void EndAllIdle();

 private:
  class Starter;

  std::optional<Handler> TakeAnIdleOne();
  // False: no function has an idle one.
  bool EndAnIdleOne() { return TakeAnIdleOne().has_value(); }

  const size_t most_;
  const std::unique_ptr<Starter> starter_;  // outlives the processes
  std::atomic<size_t> count_{0};
  Mutex mutex_;
  std::map<const void*, TakeIdle> owners_ ARMATURE_GUARDED_BY(mutex_);
};

class Function {
 public:
  virtual ~Function() = default;

  // Null: any number of calls may run.
  virtual Turns* turns() { return nullptr; }

  // REQUIRES: a turn. `event` is JSON without line breaks. Once `stop` is requested a call under way has a few seconds
  // left.
  virtual Invocation Invoke(std::string_view event, const std::stop_token& stop) = 0;
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
