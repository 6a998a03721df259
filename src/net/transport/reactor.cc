#include "net/transport/reactor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include <fmt/core.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/memory_reserve.h"

namespace armature::net {

namespace {
constexpr int kEventsPerTurn = 128;
// After a turn with so many events or answers the processor is offered to others before the next wait. Clients on this
// machine then send all they have, and are answered in one turn; a reactor that sleeps is woken by the first of them,
// for one. With few events it would only be put behind whoever else needs the processor. A turn that writes waits for
// the disk anyway.
constexpr size_t kBusyTurn = 8;

thread_local Reactor* current_reactor = nullptr;

// What was cut off is never resumed and cannot be destroyed from its innermost frame. Here a leak checker finds it.
void KeepForEver(const std::vector<std::coroutine_handle<>>& handles) {
  static Mutex mutex;
  static auto* const kept = new std::vector<std::coroutine_handle<>>;
  if (handles.empty()) return;
  const Essential shutdown;
  MutexLock lock(mutex);
  kept->insert(kept->end(), handles.begin(), handles.end());
}

}  // namespace

int64_t CoarseMonotonicClock::NowMillis() const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

Reactor::Reactor(const Clock& clock) : clock_(clock), now_millis_(clock.NowMillis()), timers_(now_millis_) {}

Reactor::~Reactor() {
  AwaitPosters();
  KeepForEver(posts_);
  locals_.clear();  // what they close goes to the graveyard
  for (EventSource* source : graveyard_) delete source;
  Release();
}

// What was posted may have been resumed, and all that waited for it have gone, while its poster is still here.
void Reactor::AwaitPosters() const {
  while (posters_.load(std::memory_order_acquire) != 0) sched_yield();
}

void Reactor::Release() {
  // It sleeps no more, so whoever comes from here on finds that nobody has to be woken.
  AwaitPosters();
  if (wake_fd_ >= 0) close(std::exchange(wake_fd_, -1));
  if (epoll_fd_ >= 0) close(std::exchange(epoll_fd_, -1));
}

Status Reactor::Open() {
  epoll_fd_ = epoll_create1(EPOLL_CLOEXEC);
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (epoll_fd_ < 0 || wake_fd_ < 0)
    return Status::IoError(fmt::format("cannot create an event loop: {}", strerror(errno)));
  // Edge-triggered, so that the counter never needs to be read back.
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.ptr = nullptr;
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wake_fd_, &event) != 0)
    return Status::IoError(fmt::format("cannot watch the wake-up descriptor: {}", strerror(errno)));
  return Status::Ok();
}

Status Reactor::Add(int fd, uint32_t events, EventSource& source) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &source;
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) != 0)
    return Status::IoError(fmt::format("cannot watch a socket: {}", strerror(errno)));
  return Status::Ok();
}

void Reactor::Remove(int fd) { epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr); }

void Reactor::Rearm(int fd, uint32_t events, EventSource& source) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &source;
  epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, fd, &event);
}

void Reactor::Post(std::coroutine_handle<> handle) {
  const Essential wake_up;  // nobody would ever resume what is not posted
  if (IsCurrent()) {
    own_posts_.push_back(handle);
    return;
  }
  posters_.fetch_add(1, std::memory_order_relaxed);
  {
    MutexLock lock(mutex_);
    posts_.push_back(handle);
    has_posts_.store(true);
  }
  // Sequentially consistent on both sides: either the loop sees has_posts_ before it sleeps, or we
  // see that it sleeps.
  if (is_sleeping_.load() && is_sleeping_.exchange(false)) Wake();
  posters_.fetch_sub(1, std::memory_order_release);  // from here on `this` may go
}

void Reactor::Wake() {
  const uint64_t one = 1;
  // Fails only when the counter is full, and then a wake-up is pending anyway.
  [[maybe_unused]] const ssize_t written = write(wake_fd_, &one, sizeof(one));
}

void Reactor::PostAfter(std::coroutine_handle<> handle, std::chrono::milliseconds pause) {
  sleepers_.emplace_front();
  Sleeper& sleeper = sleepers_.front();
  sleeper.reactor = this;
  sleeper.handle = handle;
  sleeper.place = sleepers_.begin();
  timers_.Schedule(sleeper, now_millis_ + pause.count());
}

// Posting, not resuming: what it does may wait for the end of a turn, and this one's work is done.
void Reactor::Sleeper::OnTimer(int64_t) {
  Reactor& of = *reactor;
  of.Post(handle);
  of.sleepers_.erase(place);  // and this with it
}

void Reactor::Stop() {
  stopping_.store(true);
  Wake();
}

int Reactor::WaitMillis() const {
  if (!own_posts_.empty() || has_posts_.load() || stopping_.load()) return 0;
  const int64_t due = timers_.next_due_millis();
  if (due == TimerWheel::kNever) return -1;
  // One millisecond more, because the coarse clock may lag behind the kernel's timeout.
  return static_cast<int>(std::clamp<int64_t>(due - now_millis_ + 1, 0, std::numeric_limits<int>::max()));
}

size_t Reactor::RunPosted() {
  if (has_posts_.load(std::memory_order_acquire)) {
    MutexLock lock(mutex_);
    running_.swap(posts_);
    has_posts_.store(false);
  }
  {
    const Essential wake_up;
    running_.insert(running_.end(), own_posts_.begin(), own_posts_.end());
  }
  own_posts_.clear();
  const size_t count = running_.size();
  for (std::coroutine_handle<> handle : running_) handle.resume();
  running_.clear();
  return count;
}

Reactor* Reactor::Current() { return current_reactor; }

ReactorLocal* Reactor::FindLocal(const void* owner) const {
  for (const auto& [of, local] : locals_)
    if (of == owner) return local.get();
  return nullptr;
}

void Reactor::AddLocal(const void* owner, std::unique_ptr<ReactorLocal> local) {
  locals_.emplace_back(owner, std::move(local));
}

int Reactor::PollBusily(std::span<epoll_event> events) {
  const auto until = std::chrono::steady_clock::now() + busy_poll_;
  do {
    const int count = epoll_wait(epoll_fd_, events.data(), static_cast<int>(events.size()), 0);
    if (count > 0) return count;
    // What is posted is run, and timers that are due, by going on as if to sleep.
    if (WaitMillis() == 0) return 0;
  } while (std::chrono::steady_clock::now() < until);
  return 0;
}

void Reactor::Run() {
  SetCurrent(this);
  current_reactor = this;
  const Turn::Scope turns(turn_);
  const Fallible requests;
  std::array<epoll_event, kEventsPerTurn> events;
  int count = 0;
  while (!stopping_.load(std::memory_order_relaxed)) {
    count = count > 0 && busy_poll_.count() > 0 ? PollBusily(events) : 0;
    if (count == 0) {
      is_sleeping_.store(true);
      const int wait = WaitMillis();
      count = epoll_wait(epoll_fd_, events.data(), kEventsPerTurn, wait);
      is_sleeping_.store(false, std::memory_order_relaxed);
    }
    now_millis_ = clock_.NowMillis();
    for (int i = 0; i < count; ++i)
      if (auto* source = static_cast<EventSource*>(events[static_cast<size_t>(i)].data.ptr))
        source->OnEvents(events[static_cast<size_t>(i)].events);
    const size_t resumed = RunPosted();
    const bool has_work = turn_.has_work();
    while (turn_.has_work()) {
      turn_.RunWork();
      RunPosted();
    }
    if (now_millis_ >= timers_.next_due_millis()) timers_.Advance(now_millis_);
    for (EventSource* source : graveyard_) delete source;
    graveyard_.clear();
    if (static_cast<size_t>(std::max(count, 0)) + resumed >= kBusyTurn && !has_work) sched_yield();
  }
  is_sleeping_.store(false);  // for all to see: Release relies on it
  current_reactor = nullptr;
  SetCurrent(nullptr);
}

}  // namespace armature::net
