// MemoryLedger: what the server holds in memory for its clients, who holds it, and who goes when it is too much.
//
// Whoever holds more than a little has an account here. Memory of a request being executed comes back by itself; that
// of a client that does not read its answer, or does not send the rest of its request, only when the client goes on or
// is sent away. Above three quarters of the limit those who lag behind a fair pace are sent away; at the limit whoever
// has held the most for the longest, whether he lags or not. Who comes next is not made to pay for it. One per server,
// shared by its reactors; thread-safe. The lock is taken for large memory only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/async.h"
#include "base/mutex.h"
#include "net/transport/reactor.h"

namespace armature::net {

// Somebody with an account: a connection. Created, changed and destroyed on its reactor's thread.
class MemoryHolder {
 public:
  explicit MemoryHolder(Reactor& reactor) : reactor_(reactor) {}
  MemoryHolder(const MemoryHolder&) = delete;
  MemoryHolder& operator=(const MemoryHolder&) = delete;
  virtual ~MemoryHolder() = default;

 protected:
  // On its reactor's thread, if it still waits for its client then: it must give its memory back now.
  virtual void OnEvicted() = 0;

 private:
  friend class MemoryLedger;
  enum class Wait : uint8_t { kNothing, kServer, kClient };

  Reactor& reactor_;
  size_t bytes_ = 0;  // written under the ledger's lock, by the holder's thread only
  Wait wait_ = Wait::kNothing;
  bool is_doomed_ = false;  // guarded by the ledger's lock
  size_t index_ = 0;        // in clients_, likewise
  uint64_t id_ = 0;         // of this stay in clients_, likewise
  // Since when it is behind a client that takes or sends kFairBytesPerSecond.
  std::atomic<int64_t> behind_since_millis_{0};
};

class MemoryLedger {
 public:
  // A client may be so far behind the fair pace before it counts as lagging.
  static constexpr int64_t kPatienceMillis = 1'000;
  static constexpr int64_t kFairBytesPerSecond = 1 << 20;
  // So far behind, it does not move at present. Whoever asks for room at the limit gets the room of such a client,
  // never that of one that keeps the pace: otherwise uploads that all keep it would take each other's room in turn.
  static constexpr int64_t kStandstillMillis = 50;
  // Freeing at least this much for want of memory gives the others a while in which they are not turned away.
  static constexpr size_t kReliefBytes = 1 << 20;
  static constexpr int64_t kReliefMillis = 2'000;

  explicit MemoryLedger(size_t limit_bytes) : limit_bytes_(limit_bytes), calm_bytes_(limit_bytes / 4 * 3) {}

  // The holder's account is this from now on. Zero bytes close it; it must be closed before the holder is destroyed.
  void HoldForServer(MemoryHolder& holder, size_t bytes, int64_t now_millis) {
    if (bytes != 0 || holder.bytes_ != 0) Set(holder, bytes, MemoryHolder::Wait::kServer, now_millis);
  }
  void HoldForClient(MemoryHolder& holder, size_t bytes, int64_t now_millis) {
    if (bytes != 0 || holder.bytes_ != 0) Set(holder, bytes, MemoryHolder::Wait::kClient, now_millis);
  }
  // The client has taken or sent so many bytes.
  void NoteProgress(MemoryHolder& holder, size_t bytes, int64_t now_millis);

  // Whether `bytes` more may be taken. Sends away who lags, at the limit who stands still, if that is what it needs.
  bool HasRoomFor(size_t bytes, int64_t now_millis);
  // The process itself is short of memory: sends away everybody who lags. True if that helps, now or shortly before.
  bool Relieve(int64_t now_millis);

  size_t total_bytes() const { return total_bytes_.load(std::memory_order_relaxed); }
  // Of requests being executed.
  size_t in_flight_bytes() const { return in_flight_bytes_.load(std::memory_order_relaxed); }
  size_t limit_bytes() const { return limit_bytes_; }

 private:
  using Wait = MemoryHolder::Wait;
  struct Eviction {
    MemoryHolder* holder;
    Reactor* reactor;
    uint64_t id;
  };
  using Evictions = std::vector<Eviction>;

  void Set(MemoryHolder& holder, size_t bytes, Wait wait, int64_t now_millis);
  void Move(MemoryHolder& holder, size_t bytes, Wait wait, int64_t now_millis) ARMATURE_WITH_LOCK(mutex_);
  size_t ExpectedBytes() const ARMATURE_WITH_LOCK(mutex_) {
    return total_bytes_.load(std::memory_order_relaxed) - doomed_bytes_;
  }
  // Dooms holders, the worst first, until no more than `target_bytes` would be held.
  void Doom(size_t target_bytes, int64_t least_lag_millis, int64_t now_millis, Evictions& evictions)
      ARMATURE_WITH_LOCK(mutex_);
  void DoomLaggards(size_t target_bytes, int64_t now_millis, Evictions& evictions) ARMATURE_WITH_LOCK(mutex_);

  // The lock is free while others are told.
  void Run(const Evictions& evictions) ARMATURE_WITHOUT_LOCK(mutex_);
  async_detail::Detached Evict(Eviction eviction);
  bool IsStillDoomed(const Eviction& eviction);

  const size_t limit_bytes_;
  const size_t calm_bytes_;             // up to here nobody is sent away
  std::atomic<size_t> total_bytes_{0};  // these two are written under the lock
  std::atomic<size_t> in_flight_bytes_{0};
  std::atomic<int64_t> relieved_until_millis_{INT64_MIN};

  Mutex mutex_;
  std::vector<MemoryHolder*> clients_ ARMATURE_GUARDED_BY(mutex_);  // those who wait for their client
  size_t doomed_bytes_ ARMATURE_GUARDED_BY(mutex_) = 0;             // on their way out
  uint64_t next_id_ ARMATURE_GUARDED_BY(mutex_) = 1;
  int64_t no_laggard_before_millis_ ARMATURE_GUARDED_BY(mutex_) = INT64_MIN;
};

}  // namespace armature::net
