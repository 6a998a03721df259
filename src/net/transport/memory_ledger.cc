#include "net/transport/memory_ledger.h"

#include <algorithm>
#include <coroutine>

namespace armature::net {

namespace {

// Looking through all holders in vain is not repeated before this.
constexpr int64_t kLookAgainMillis = 50;

// Goes on upon `reactor`, never within the caller: it may be the caller's own end that is coming.
struct Later {
  Reactor& reactor;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) { reactor.Post(caller); }
  void await_resume() const noexcept {}
};

}  // namespace

void MemoryLedger::Set(MemoryHolder& holder, size_t bytes, Wait wait, int64_t now_millis) {
  if (bytes == 0) wait = Wait::kNothing;
  if (bytes == holder.bytes_ && wait == holder.wait_) return;
  Evictions evictions;
  {
    MutexLock lock(mutex_);
    const bool is_more = bytes > holder.bytes_ || wait == Wait::kClient;
    Move(holder, bytes, wait, now_millis);
    if (is_more && ExpectedBytes() > calm_bytes_) DoomLaggards(calm_bytes_, now_millis, evictions);
    if (is_more && ExpectedBytes() > limit_bytes_) Doom(limit_bytes_, 0, now_millis, evictions);
  }
  Run(evictions);
}

void MemoryLedger::Move(MemoryHolder& holder, size_t bytes, Wait wait, int64_t now_millis) {
  const auto add = [](std::atomic<size_t>& sum, size_t more) {
    sum.store(sum.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  };
  add(total_bytes_, bytes - holder.bytes_);
  if (holder.wait_ == Wait::kServer) add(in_flight_bytes_, size_t{0} - holder.bytes_);
  if (wait == Wait::kServer) add(in_flight_bytes_, bytes);
  if (holder.is_doomed_) doomed_bytes_ -= holder.bytes_;

  if (holder.wait_ == Wait::kClient && wait != Wait::kClient) {
    // Whatever it was doomed for, its client has moved.
    holder.is_doomed_ = false;
    clients_[holder.index_] = clients_.back();
    clients_[holder.index_]->index_ = holder.index_;
    clients_.pop_back();
  } else if (holder.wait_ != Wait::kClient && wait == Wait::kClient) {
    holder.index_ = clients_.size();
    clients_.push_back(&holder);
    holder.id_ = next_id_++;
    holder.behind_since_millis_.store(now_millis, std::memory_order_relaxed);
  }
  holder.bytes_ = bytes;
  holder.wait_ = wait;
  if (holder.is_doomed_) doomed_bytes_ += bytes;
}

void MemoryLedger::NoteProgress(MemoryHolder& holder, size_t bytes, int64_t now_millis) {
  if (holder.wait_ != Wait::kClient) return;
  const int64_t earned = static_cast<int64_t>(bytes) * 1000 / kFairBytesPerSecond;
  const int64_t since = holder.behind_since_millis_.load(std::memory_order_relaxed);
  holder.behind_since_millis_.store(std::min(now_millis, since + earned), std::memory_order_relaxed);
}

bool MemoryLedger::HasRoomFor(size_t bytes, int64_t now_millis) {
  if (total_bytes() + bytes <= calm_bytes_) return true;
  Evictions evictions;
  bool has_room = false;
  {
    MutexLock lock(mutex_);
    if (ExpectedBytes() + bytes > calm_bytes_)
      DoomLaggards(calm_bytes_ - std::min(calm_bytes_, bytes), now_millis, evictions);
    if (ExpectedBytes() + bytes > limit_bytes_ && bytes <= limit_bytes_)
      Doom(limit_bytes_ - bytes, kStandstillMillis, now_millis, evictions);
    has_room = ExpectedBytes() + bytes <= limit_bytes_;
  }
  Run(evictions);
  return has_room;
}

bool MemoryLedger::Relieve(int64_t now_millis) {
  Evictions evictions;
  {
    MutexLock lock(mutex_);
    const size_t before = ExpectedBytes();
    DoomLaggards(0, now_millis, evictions);
    if (before - ExpectedBytes() >= kReliefBytes)
      relieved_until_millis_.store(now_millis + kReliefMillis, std::memory_order_relaxed);
  }
  Run(evictions);
  return now_millis < relieved_until_millis_.load(std::memory_order_relaxed);
}

void MemoryLedger::DoomLaggards(size_t target_bytes, int64_t now_millis, Evictions& evictions) {
  if (now_millis < no_laggard_before_millis_) return;
  const size_t before = evictions.size();
  Doom(target_bytes, kPatienceMillis, now_millis, evictions);
  if (evictions.size() == before) no_laggard_before_millis_ = now_millis + kLookAgainMillis;
}

void MemoryLedger::Doom(size_t target_bytes, int64_t least_lag_millis, int64_t now_millis, Evictions& evictions) {
  struct Candidate {
    double score;  // bytes held, times how far its client is behind
    MemoryHolder* holder;
  };
  std::vector<Candidate> candidates;
  for (MemoryHolder* holder : clients_) {
    const int64_t lag = now_millis - holder->behind_since_millis_.load(std::memory_order_relaxed);
    if (holder->is_doomed_ || lag < least_lag_millis) continue;
    candidates.push_back(
        {static_cast<double>(holder->bytes_) * static_cast<double>(std::max<int64_t>(lag, 0) + 1), holder});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : a.holder->id_ < b.holder->id_;  // who came first goes first
  });
  for (const Candidate& candidate : candidates) {
    if (ExpectedBytes() <= target_bytes) return;
    MemoryHolder& holder = *candidate.holder;
    evictions.push_back({&holder, &holder.reactor_, holder.id_});
    holder.is_doomed_ = true;
    doomed_bytes_ += holder.bytes_;
  }
}

void MemoryLedger::Run(const Evictions& evictions) {
  for (const Eviction& eviction : evictions) Evict(eviction);
}

async_detail::Detached MemoryLedger::Evict(Eviction eviction) {
  co_await Later{*eviction.reactor};
  if (IsStillDoomed(eviction)) eviction.holder->OnEvicted();
}

// On the holder's own thread, where it cannot move meanwhile. It may be gone: then the pointer is not followed.
bool MemoryLedger::IsStillDoomed(const Eviction& eviction) {
  MutexLock lock(mutex_);
  return std::any_of(clients_.begin(), clients_.end(), [&](const MemoryHolder* holder) {
    return holder == eviction.holder && holder->id_ == eviction.id && holder->is_doomed_;
  });
}

}  // namespace armature::net
