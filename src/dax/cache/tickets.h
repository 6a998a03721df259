// Tickets: whether what was read or written may be kept: only if it is what the table has now.
//
// A stripe belongs to some keys, by a hash. It has a version, which every begin and every end of a write of such a key
// makes another, and the number of writes that are under way. A reader takes a ticket, the stripe's state, before it
// asks the table; it may keep what it read if the state is still the same and has no write under way. A writer marks
// its begin before it asks the table, and its end behind the answer; it may keep its new image if no other write is
// under way at its end and the version is the one that its begin made. Otherwise another write overlapped, nobody knows
// which the table had last, and the entry must go.
//
// Why that is right. Keep and End look at the state and change the entry under the stripe's lock, under which Begin
// changes the state, too: so all these have one order. What is put, is put at a moment K. If a reader puts it, no write
// began or ended between its ticket and K, and none was under way. If a writer does, it was alone from its begin to K.
// Either way nobody else changed the item meanwhile, and what is put is what the table has at K; so reads do not go
// back from what is newer to what is older. A write that changes the item later was begun after K, for at K there was
// none but the one that put; its end is after K too, and replaces or removes the entry unless it changed nothing. Of
// writes that overlap each removes it at its end, and until the last of them has ended no reader keeps anything. So
// whenever no write of a key is under way its entry, if there is one, is what the table has.
//
// A write whose outcome is unknown removes the entry. If it reaches the table only after its end, a reader may have
// kept the older item by then; nobody can tell, and that entry lives until its time is over.
//
// 65,536 stripes of 8 bytes. Two keys meet in a stripe by chance once in 65,536, which costs an entry that could have
// been kept and never lets a wrong one be: with 100 writes under way one write in 650 does not leave its image, and of
// reads that last a millisecond among 10,000 writes a second one in 3,000 is not kept. Thread-safe. Taking a ticket
// is one load. Locks: a stripe's before the store's, never the other way round.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/mutex.h"

namespace armature::dax {

// A stripe's state at a moment. Two that are equal: no write began or ended in between.
class ReadTicket {
 public:
  ReadTicket() = default;
  bool operator==(const ReadTicket&) const = default;
  // As a number, for whoever compares states of different kinds.
  uint64_t version() const { return state_; }

 private:
  friend class Tickets;
  explicit ReadTicket(uint64_t state) : state_(state) {}
  uint64_t state_ = ~uint64_t{0};
};

class Tickets {
 public:
  static constexpr size_t kStripes = size_t{1} << 16;

  Tickets();
  Tickets(const Tickets&) = delete;
  Tickets& operator=(const Tickets&) = delete;

  // `hash`: of the key, by a seed that nobody knows; any bits may decide.
  ReadTicket Take(uint64_t hash) const { return ReadTicket(StripeFor(hash).load(std::memory_order_acquire)); }

  // Calls keep() if what was read since the ticket is what the table has.
  template <class Action>
  void Keep(uint64_t hash, ReadTicket ticket, Action&& keep) {
    if (Writers(ticket.state_) != 0) return;
    MutexLock lock(LockFor(hash));
    if (StripeFor(hash).load(std::memory_order_relaxed) == ticket.state_) keep();
  }

  // A write begins. What it gives is for End, which is called once.
  ReadTicket Begin(uint64_t hash) {
    MutexLock lock(LockFor(hash));
    return ReadTicket(Change(hash, +1));
  }

  // The write has ended. Calls end(is_alone), which changes the entry: is_alone says that no other write overlapped.
  template <class Action>
  void End(uint64_t hash, ReadTicket begun, Action&& end) {
    MutexLock lock(LockFor(hash));
    const bool was_alone =
        Writers(begun.state_) == 1 && StripeFor(hash).load(std::memory_order_relaxed) == begun.state_;
    Change(hash, -1);
    end(was_alone);
  }

 private:
  using Stripe = std::atomic<uint64_t>;  // the version in the upper 40 bits, the writes under way in the lower 24
  static constexpr int kWriterBits = 24;
  static constexpr size_t kLocks = 256;

  static uint64_t Writers(uint64_t state) { return state & ((uint64_t{1} << kWriterBits) - 1); }
  // REQUIRES: the stripe's lock is held.
  uint64_t Change(uint64_t hash, int writers);

  Stripe& StripeFor(uint64_t hash) const { return stripes_[hash % kStripes]; }
  Mutex& LockFor(uint64_t hash) { return locks_[hash % kLocks].mutex; }

  struct alignas(64) Lock {
    Mutex mutex;
  };
  std::unique_ptr<Stripe[]> stripes_;
  std::array<Lock, kLocks> locks_;
};

}  // namespace armature::dax
