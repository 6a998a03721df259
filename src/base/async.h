// Task, Executor, Completion: how an operation reads from top to bottom and never blocks a reactor.
//
// Task<T> is a lazy coroutine, awaited once. An Executor is where a suspended coroutine goes on: a
// reactor in the server, a BlockingExecutor in tests and start-up code. Completion is the one-shot
// event behind every asynchronous engine call: finished by any thread, awaited by one coroutine,
// which continues on the executor it was running on. When it is finished before it is awaited (the
// usual case for the embedded engines) nothing suspends and nothing is allocated.
#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <utility>

#include "base/mutex.h"

namespace armature {

class Executor {
 public:
  virtual ~Executor() = default;
  // Resumes `handle` soon on the executor's own thread. Callable from any thread.
  virtual void Post(std::coroutine_handle<> handle) = 0;
  // The same, not before so long (base/tasks/pause.h): called by what runs on the executor, on its thread. One without
  // a clock, as tests have, resumes it at once.
  virtual void PostAfter(std::coroutine_handle<> handle, std::chrono::milliseconds) { Post(handle); }

  // The executor of the calling thread; null outside one.
  static Executor* Current();

 protected:
  // A thread that runs an executor's loop declares it, once.
  static void SetCurrent(Executor* executor);
};

template <class T>
class Task;

namespace async_detail {

// A callee returns to its caller by symmetric transfer, which is a tail call in optimised code only. Where the compiler
// makes none (g++ under a sanitizer or without optimisation), a long loop of awaits would grow the stack until it
// overflows; there caller and callee meet at a flag instead, and whoever comes second goes on.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
inline constexpr bool kHasTailCalls = true;
#else
inline constexpr bool kHasTailCalls = false;
#endif

struct FinalAwaiter {
  bool await_ready() noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> handle) noexcept {
    auto& promise = handle.promise();
    const auto continuation = promise.continuation;
    if (!kHasTailCalls && !promise.met.exchange(true, std::memory_order_acq_rel)) return std::noop_coroutine();
    return continuation ? continuation : std::noop_coroutine();
  }
  void await_resume() noexcept {}
};

// Coroutine frames are recycled per thread: an operation costs no heap call once warm.
void* AllocateFrame(size_t bytes);
void FreeFrame(void* frame, size_t bytes) noexcept;

struct PromiseBase {
  std::coroutine_handle<> continuation;
  std::atomic<bool> met{false};  // without tail calls: the awaiter has suspended, or the task has finished
  std::exception_ptr exception;

  std::suspend_always initial_suspend() noexcept { return {}; }
  FinalAwaiter final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { exception = std::current_exception(); }

  static void* operator new(size_t bytes) { return AllocateFrame(bytes); }
  static void operator delete(void* frame, size_t bytes) noexcept { FreeFrame(frame, bytes); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T Take() {
    if (exception) std::rethrow_exception(exception);
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() {}
  void Take() {
    if (exception) std::rethrow_exception(exception);
  }
};

}  // namespace async_detail

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = async_detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  auto operator co_await() && noexcept {
    struct Awaiter {
      Handle handle;
      bool await_ready() const noexcept { return false; }
      auto await_suspend(std::coroutine_handle<> caller) noexcept {
        handle.promise().continuation = caller;
        if constexpr (async_detail::kHasTailCalls) {
          return Handle(handle);
        } else {
          // Once the flag is set the task may resume the caller, and this awaiter be gone.
          handle.resume();
          return !handle.promise().met.exchange(true, std::memory_order_acq_rel);
        }
      }
      T await_resume() { return handle.promise().Take(); }
    };
    return Awaiter{handle_};
  }

 private:
  Handle handle_;
};

namespace async_detail {
template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

struct Detached {
  struct promise_type {
    Detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    // A detached task has nobody to tell: whoever detaches must catch inside the task.
    void unhandled_exception() noexcept { std::terminate(); }
    static void* operator new(size_t bytes) { return AllocateFrame(bytes); }
    static void operator delete(void* frame, size_t bytes) noexcept { FreeFrame(frame, bytes); }
  };
};
}  // namespace async_detail

// Starts a task at once on the calling thread and lets it finish by itself.
inline void Detach(Task<void> task) {
  [](Task<void> inner) -> async_detail::Detached { co_await std::move(inner); }(std::move(task));
}

class Completion {
 public:
  Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  // Called exactly once, from any thread. The object may be gone when this returns.
  void Finish() {
    void* waiter = state_.exchange(kDone, std::memory_order_acq_rel);
    if (waiter != kPending) Resume(executor_, std::coroutine_handle<>::from_address(waiter));
  }

  bool finished() const { return state_.load(std::memory_order_acquire) == kDone; }

  // Makes a finished completion usable again. REQUIRES: nobody waits or will finish it.
  void Rearm() { state_.store(kPending, std::memory_order_relaxed); }

  auto operator co_await() noexcept {
    struct Awaiter {
      Completion& completion;
      bool await_ready() const noexcept { return completion.finished(); }
      bool await_suspend(std::coroutine_handle<> caller) noexcept {
        completion.executor_ = Executor::Current();
        void* expected = kPending;
        return completion.state_.compare_exchange_strong(expected, caller.address(), std::memory_order_acq_rel);
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }

 private:
  static constexpr void* kPending = nullptr;
  static inline char done_marker_ = 0;
  static inline void* const kDone = &done_marker_;

  static void Resume(Executor* executor, std::coroutine_handle<> waiter) {
    if (executor) executor->Post(waiter);
    else waiter.resume();
  }

  std::atomic<void*> state_{kPending};
  Executor* executor_ = nullptr;
};

// Runs a task to its end on the calling thread. For tests, start-up and shut-down; never on a reactor.
class BlockingExecutor final : public Executor {
 public:
  void Post(std::coroutine_handle<> handle) override;
  void PostAfter(std::coroutine_handle<> handle, std::chrono::milliseconds pause) override;

  template <class T>
  T Run(Task<T> task) {
    std::optional<std::conditional_t<std::is_void_v<T>, char, T>> result;
    std::exception_ptr failure;
    bool done = false;
    Executor* const outer = Current();
    SetCurrent(this);
    Detach(Drive(std::move(task), result, failure, done));
    while (!done) RunOne();
    SetCurrent(outer);
    if (failure) std::rethrow_exception(failure);
    if constexpr (!std::is_void_v<T>) return std::move(*result);
  }

 private:
  template <class T, class R>
  static Task<void> Drive(Task<T> task, std::optional<R>& result, std::exception_ptr& failure, bool& done) {
    try {
      if constexpr (std::is_void_v<T>) co_await std::move(task);
      else result.emplace(co_await std::move(task));
    } catch (...) { failure = std::current_exception(); }
    done = true;
  }
  void RunOne();

  using Time = std::chrono::steady_clock::time_point;

  Mutex mutex_;
  Condition ready_;
  std::deque<std::coroutine_handle<>> queue_ ARMATURE_GUARDED_BY(mutex_);
  std::multimap<Time, std::coroutine_handle<>> pausing_ ARMATURE_GUARDED_BY(mutex_);  // by when they are due
};

template <class T>
T RunBlocking(Task<T> task) {
  BlockingExecutor executor;
  return executor.Run(std::move(task));
}

}  // namespace armature
