#include "net/transport/timers/timer_wheel.h"

#include <algorithm>

namespace armature::net {

namespace {
// A timer belongs to the first tick that starts at or after its due time: never early.
int64_t TickOf(int64_t due_millis) { return (due_millis + TimerWheel::kTickMillis - 1) / TimerWheel::kTickMillis; }
}  // namespace

void TimerWheel::Head::Reset() {
  // Timers still linked when the wheel dies must not point into it.
  while (next_ != nullptr && next_ != this) next_->Unlink();
  next_ = prev_ = this;
}

TimerWheel::TimerWheel(int64_t now_millis) : tick_(now_millis / kTickMillis) {}

void TimerWheel::Schedule(Timer& timer, int64_t due_millis) {
  timer.Unlink();
  timer.due_millis_ = due_millis;
  Insert(timer);
}

void TimerWheel::Insert(Timer& timer) {
  const int64_t farthest = tick_ + static_cast<int64_t>(kSlots) - 1;
  const int64_t tick = std::clamp(TickOf(timer.due_millis_), tick_ + 1, farthest);
  Head& head = slots_[static_cast<size_t>(tick) % kSlots];
  timer.next_ = &head;
  timer.prev_ = head.prev_;
  head.prev_->next_ = &timer;
  head.prev_ = &timer;
  next_due_millis_ = std::min(next_due_millis_, tick * kTickMillis);
}

void TimerWheel::Advance(int64_t now_millis) {
  const int64_t now_tick = now_millis / kTickMillis;
  if (now_tick <= tick_ || now_millis < next_due_millis_) return;
  // After a long jump one round looks at every slot once.
  const int64_t first = std::max(tick_ + 1, now_tick - static_cast<int64_t>(kSlots) + 1);
  tick_ = now_tick;
  for (int64_t tick = first; tick <= now_tick; ++tick) {
    Head& head = slots_[static_cast<size_t>(tick) % kSlots];
    // Detach the slot first: what a timer schedules while firing is not for this round.
    Head due;
    while (head.next_ != &head) {
      Timer& timer = *head.next_;
      timer.Unlink();
      timer.next_ = &due;
      timer.prev_ = due.prev_;
      due.prev_->next_ = &timer;
      due.prev_ = &timer;
    }
    while (due.next_ != &due) {
      Timer& timer = *due.next_;
      timer.Unlink();
      if (timer.due_millis_ <= now_millis) timer.OnTimer(now_millis);
      else Insert(timer);
    }
  }
  FindNextDue();
}

void TimerWheel::FindNextDue() {
  next_due_millis_ = kNever;
  for (int64_t tick = tick_ + 1; tick < tick_ + static_cast<int64_t>(kSlots); ++tick) {
    const Head& head = slots_[static_cast<size_t>(tick) % kSlots];
    if (head.next_ != &head) {
      next_due_millis_ = tick * kTickMillis;
      return;
    }
  }
}

}  // namespace armature::net
