// Reactor: one thread's event loop. Sockets, timers, and the coroutines that wait for other threads.
//
// Owns an epoll set, a wake-up eventfd, a timer wheel and the queue of posted coroutines. Post and Stop are
// thread-safe; all else belongs to the thread inside Run. Sources are edge-triggered: a source must
// remember what it has not yet used up. A burst of posts costs at most one wake-up, and none while the
// loop is awake. Used by transports and servers; api/ may sleep on it. Knows nothing of HTTP.
#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/async.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/tasks/turn.h"
#include "net/transport/timers/timer_wheel.h"

struct epoll_event;

namespace armature::net {

class EventSource {
 public:
  virtual ~EventSource() = default;
  // `events` as epoll reports them.
  virtual void OnEvents(uint32_t events) = 0;
};

// What somebody has one of on each reactor: connections to another server, say.
class ReactorLocal {
 public:
  virtual ~ReactorLocal() = default;
};

// Milliseconds of a clock that never jumps; cheap and coarse (a few milliseconds).
class CoarseMonotonicClock final : public Clock {
 public:
  int64_t NowMillis() const override;
};

class Reactor final : public Executor {
 public:
  // `clock` drives the timers and must outlive the reactor.
  explicit Reactor(const Clock& clock);
  ~Reactor() override;
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // Creates the kernel objects; before anything else.
  Status Open();
  // After a turn with work to do the loop looks for more that long before it sleeps: who comes meanwhile needs not wait
  // until it is woken, and the processor is taken from others. 0: it sleeps at once. Before Run.
  void SetBusyPoll(std::chrono::microseconds span) { busy_poll_ = span; }
  // Runs the loop on the calling thread until Stop.
  void Run();
  // Makes Run return after the current turn. What is posted later is never resumed.
  void Stop();
  // Ends a wait, so that timers are compared with the clock now.
  void Wake();
  // Gives the kernel's objects back, of one that has to stay because somebody may still post to it. REQUIRES: Run has
  // returned; from here on nothing but Post is called.
  void Release();

  void Post(std::coroutine_handle<> handle) override;
  void PostAfter(std::coroutine_handle<> handle, std::chrono::milliseconds pause) override;
  // True on the thread inside Run.
  bool IsCurrent() const { return Executor::Current() == this; }
  // The one whose Run the calling thread is in; null: it is in none.
  static Reactor* Current();

  // What `owner` has put here; null: nothing yet. REQUIRES: on this reactor's thread.
  ReactorLocal* FindLocal(const void* owner) const;
  // Keeps it until the reactor goes, which runs no more then. REQUIRES: the same, and that `owner` outlives the
  // reactor.
  void AddLocal(const void* owner, std::unique_ptr<ReactorLocal> local);

  Status Add(int fd, uint32_t events, EventSource& source);
  void Remove(int fd);
  // Reports again whatever is ready now, as if it had just become so.
  void Rearm(int fd, uint32_t events, EventSource& source);

  // The timer clock, read once per turn.
  int64_t now_millis() const { return now_millis_; }
  void Schedule(Timer& timer, int64_t due_millis) { timers_.Schedule(timer, due_millis); }

  // Deletes an event source at the end of the turn, when no pending event can name it any more.
  void DeleteLater(EventSource* source) { graveyard_.push_back(source); }

  // `co_await reactor.SleepUntil(t)`: goes on at that time of the timer clock, at most a tick late.
  // REQUIRES: awaited on this reactor.
  auto SleepUntil(int64_t due_millis) {
    struct Awaiter final : Timer {
      Awaiter(Reactor& r, int64_t d) : reactor(r), due(d) {}
      bool await_ready() const noexcept { return due <= reactor.now_millis(); }
      void await_suspend(std::coroutine_handle<> caller) {
        handle = caller;
        reactor.Schedule(*this, due);
      }
      void await_resume() const noexcept {}
      void OnTimer(int64_t) override { handle.resume(); }
      Reactor& reactor;
      int64_t due;
      std::coroutine_handle<> handle;
    };
    return Awaiter(*this, due_millis);
  }

  // `co_await reactor.Enter()`: goes on upon this reactor's thread.
  auto Enter() {
    struct Awaiter {
      Reactor& reactor;
      bool await_ready() const noexcept { return reactor.IsCurrent(); }
      void await_suspend(std::coroutine_handle<> caller) { reactor.Post(caller); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }

 private:
  // A coroutine that was posted for later.
  struct Sleeper final : Timer {
    void OnTimer(int64_t now_millis) override;
    Reactor* reactor = nullptr;
    std::coroutine_handle<> handle;
    std::list<Sleeper>::iterator place;  // in sleepers_
  };

  int WaitMillis() const;
  void AwaitPosters() const;
  // How many events have come; looks for them without sleeping first.
  int PollBusily(std::span<epoll_event> events);
  // How many there were.
  size_t RunPosted();

  const Clock& clock_;
  int epoll_fd_ = -1;
  int wake_fd_ = -1;
  std::chrono::microseconds busy_poll_{0};
  int64_t now_millis_;
  TimerWheel timers_;
  std::list<Sleeper> sleepers_;
  std::vector<EventSource*> graveyard_;
  std::vector<std::pair<const void*, std::unique_ptr<ReactorLocal>>> locals_;
  std::vector<std::coroutine_handle<>> own_posts_;  // posted from the loop's own thread
  std::vector<std::coroutine_handle<>> running_;    // the batch being resumed
  Turn turn_;

  std::atomic<bool> stopping_{false};
  // True while the loop sleeps or is about to: the first poster that takes it wakes the loop.
  std::atomic<bool> is_sleeping_{false};
  std::atomic<int> posters_{0};  // who is in Post: the reactor and its descriptors stay until they have left
  std::atomic<bool> has_posts_{false};
  Mutex mutex_;
  std::vector<std::coroutine_handle<>> posts_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::net
