// HeavyLane: requests that make megabytes go one after the other on their reactor, and let others in between.
//
// A request that would hold its reactor for long yields on the way. If many of them took turns, all of their half-made
// answers would lie in memory at once; so only one per reactor goes on and the others wait where they have made little.
// Belongs to the thread it is used on (a coroutine never changes its reactor); outside of an executor nothing waits.
// Used by operations with large answers.
#pragma once

#include <coroutine>
#include <deque>

#include "base/async.h"

namespace armature {

class HeavyLane {
 public:
  // Lives in the coroutine of a request; gives the lane to the next one when it goes.
  class Pass {
   public:
    Pass() = default;
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() {
      if (is_held_) lane.Leave();
    }

    bool is_held() const { return is_held_; }

    // `co_await pass.Take()`: goes on when it is this request's turn; at once if it has the lane already.
    auto Take() {
      struct Awaiter {
        Pass& pass;
        bool await_ready() const noexcept {
          if (pass.is_held_ || Executor::Current() == nullptr) return true;
          if (lane.is_taken_) return false;
          lane.is_taken_ = pass.is_held_ = true;
          return true;
        }
        void await_suspend(std::coroutine_handle<> caller) {
          lane.waiting_.push_back({&pass, caller, Executor::Current()});
        }
        void await_resume() const noexcept {}
      };
      return Awaiter{*this};
    }

   private:
    friend class HeavyLane;
    bool is_held_ = false;
  };

  // `co_await HeavyLane::Yield()`: lets everything else that is ready on this reactor go first.
  static auto Yield() {
    struct Awaiter {
      bool await_ready() const noexcept { return Executor::Current() == nullptr; }
      void await_suspend(std::coroutine_handle<> caller) { Executor::Current()->Post(caller); }
      void await_resume() const noexcept {}
    };
    return Awaiter{};
  }

 private:
  struct Waiter {
    Pass* pass;
    std::coroutine_handle<> handle;
    Executor* executor;
  };

  void Leave() {
    is_taken_ = !waiting_.empty();
    if (!is_taken_) return;
    const Waiter next = waiting_.front();
    waiting_.pop_front();
    next.pass->is_held_ = true;
    next.executor->Post(next.handle);
  }

  static thread_local HeavyLane lane;
  bool is_taken_ = false;
  std::deque<Waiter> waiting_;
};

inline thread_local HeavyLane HeavyLane::lane;

}  // namespace armature
