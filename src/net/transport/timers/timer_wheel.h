// TimerWheel: many coarse timeouts at almost no cost.
//
// Slots of kTickMillis; a timer sits in the slot of its due time (or in the farthest one, and is looked
// at again there). A timer may fire up to one tick late, never early. Timers are intrusive and are
// owned by whoever holds them. Time is what the caller says it is. Not thread-safe; used by the reactor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace armature::net {

class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  virtual ~Timer() { Unlink(); }

  // Called on the reactor when due; the timer is then no longer scheduled.
  virtual void OnTimer(int64_t now_millis) = 0;

  bool is_scheduled() const { return next_ != nullptr; }
  int64_t due_millis() const { return due_millis_; }
  void Unlink() {
    if (next_ == nullptr) return;
    next_->prev_ = prev_;
    prev_->next_ = next_;
    next_ = prev_ = nullptr;
  }

 private:
  friend class TimerWheel;
  Timer* next_ = nullptr;
  Timer* prev_ = nullptr;
  int64_t due_millis_ = 0;
};

class TimerWheel {
 public:
  static constexpr int64_t kTickMillis = 10;
  static constexpr size_t kSlots = 1024;
  static constexpr int64_t kNever = INT64_MAX;

  explicit TimerWheel(int64_t now_millis);

  // (Re)schedules. A due time that has passed fires at the next Advance.
  void Schedule(Timer& timer, int64_t due_millis);
  // Fires everything due at `now_millis`.
  void Advance(int64_t now_millis);
  // No timer is due before this time (it may be early, never late); kNever when there are none.
  int64_t next_due_millis() const { return next_due_millis_; }

 private:
  struct Head final : Timer {
    Head() { Reset(); }
    // A head is a ring of its own and must not be mistaken for a timer.
    ~Head() override { Reset(); }
    void OnTimer(int64_t) override {}
    void Reset();
  };
  void Insert(Timer& timer);
  void FindNextDue();

  std::array<Head, kSlots> slots_;
  int64_t tick_;  // everything in slots up to and including this tick has been looked at
  int64_t next_due_millis_ = kNever;
};

}  // namespace armature::net
