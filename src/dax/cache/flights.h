// Flights: many who miss the same at once cost the table one read.
//
// Whoever asks for what nobody is reading leads: it asks the table, keeps the answer in the cache and lands. Those who
// come meanwhile get that answer, be it an error. A leader that goes without landing, because its request was cut off,
// leaves the lead to one who waits.
//
// A flight is shared only by those whose version is its own: the state of the ticket that each took when it came
// (tickets.h; for queries QueryCache::BeginRead). So nobody is given a read that began before a write that had ended
// when he came: that write's end has made the version another. Then there is a new flight under the key, and the older
// one lands for those who are on it.
//
// To be one read exactly, whoever leads looks into the cache once more before it asks the table (the last flight may
// have landed since it missed), and keeps the answer before it lands. Thread-safe: leaders and waiters may be on any
// threads, each waits upon its own executor. As with every Completion, a coroutine that waits is not destroyed before
// it went on. `Answer` is immutable and shared. One for a node; used by node/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <xxhash.h>

#include "base/async.h"
#include "base/mutex.h"
#include "dax/cache/store_key.h"

namespace armature::dax {

template <class Answer>
class Flights {
 public:
  using AnswerPtr = std::shared_ptr<const Answer>;

  // `seed`: random.
  explicit Flights(uint64_t seed) : seed_(seed) {
    for (size_t i = 0; i < kParts; ++i) parts_.emplace_back(seed);
  }
  Flights(const Flights&) = delete;
  Flights& operator=(const Flights&) = delete;

  // One request's place on a flight. Stays where it is, in the coroutine that has it; one thread at a time.
  class Seat;

  // Of different keys and versions that are being read.
  size_t flights() const {
    size_t count = 0;
    for (const Part& part : parts_) {
      MutexLock lock(part.mutex);
      count += part.flights.size();
    }
    return count;
  }

  // Who waits for what others are reading.
  size_t waiters() const {
    size_t count = 0;
    for (const Part& part : parts_) {
      MutexLock lock(part.mutex);
      for (const auto& [key, flight] : part.flights) count += flight->waiters.size();
    }
    return count;
  }

 private:
  static constexpr size_t kParts = 16;

  // Guarded by the lock of its part, but for `called`. Written before `called` is finished, read behind it.
  struct Waiter {
    Completion called;
    AnswerPtr answer;
    bool leads = false;
  };
  // The waiters are guarded by the lock of the part.
  struct Flight {
    explicit Flight(uint64_t its_version) : version(its_version) {}
    const uint64_t version;
    std::vector<std::shared_ptr<Waiter>> waiters;
  };
  struct Hash {
    using is_transparent = void;
    uint64_t seed;
    size_t operator()(std::string_view key) const { return XXH3_64bits_withSeed(key.data(), key.size(), seed); }
  };
  using ByKey = std::unordered_map<std::string, std::shared_ptr<Flight>, Hash, std::equal_to<>>;
  struct Part {
    explicit Part(uint64_t seed) : flights(0, Hash{seed}) {}
    mutable Mutex mutex;
    ByKey flights ARMATURE_GUARDED_BY(mutex);
  };

  static void TakeOff(Part& part, std::string_view key, const std::shared_ptr<Flight>& flight)
      ARMATURE_WITH_LOCK(part.mutex) {
    const auto it = part.flights.find(key);
    if (it != part.flights.end() && it->second == flight) part.flights.erase(it);
  }

  const uint64_t seed_;
  std::deque<Part> parts_;
};

template <class Answer>
class Flights<Answer>::Seat {
 public:
  // REQUIRES: `version` is of a moment in the request that takes the seat, and before it asks the table.
  Seat(Flights& flights, EntryKind kind, uint32_t table, std::string_view key, uint64_t version)
      : key_(StoreKey(kind, table, key).view()), part_(flights.parts_[Hash{~flights.seed_}(key_) % kParts]) {
    MutexLock lock(part_.mutex);
    const auto it = part_.flights.find(key_);
    if (it != part_.flights.end() && it->second->version == version) {
      waiter_ = std::make_shared<Waiter>();
      it->second->waiters.push_back(waiter_);
      flight_ = it->second;
      return;
    }
    auto flight = std::make_shared<Flight>(version);
    part_.flights.insert_or_assign(key_, flight);
    flight_ = std::move(flight);
  }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;
  ~Seat() {
    if (flight_ != nullptr) Leave();
  }

  // It has to ask the table itself, and to land.
  bool leads() const { return flight_ != nullptr && waiter_ == nullptr; }

  // What the leader landed with. Null: the leader is gone, and this one leads now. REQUIRES: it does not lead.
  Task<AnswerPtr> Wait() {
    co_await waiter_->called;
    const std::shared_ptr<Waiter> waiter = std::move(waiter_);
    waiter_ = nullptr;
    if (!waiter->leads) flight_ = nullptr;
    co_return waiter->answer;
  }

  // Everybody on the flight has the answer. REQUIRES: it leads.
  void Land(AnswerPtr answer) {
    const std::shared_ptr<Flight> flight = std::exchange(flight_, nullptr);
    std::vector<std::shared_ptr<Waiter>> waiters;
    {
      MutexLock lock(part_.mutex);
      TakeOff(part_, key_, flight);
      waiters.swap(flight->waiters);
      for (const auto& waiter : waiters) waiter->answer = answer;
    }
    for (const auto& waiter : waiters) waiter->called.Finish();
  }

 private:
  void Leave() {
    std::shared_ptr<Waiter> next;
    {
      MutexLock lock(part_.mutex);
      auto& waiters = flight_->waiters;
      if (waiter_ != nullptr && !waiter_->leads) {
        std::erase(waiters, waiter_);
        return;
      }
      if (waiters.empty()) return TakeOff(part_, key_, flight_);
      next = std::move(waiters.back());
      waiters.pop_back();
      next->leads = true;
    }
    next->called.Finish();
  }

  const std::string key_;
  Part& part_;
  std::shared_ptr<Flight> flight_;  // null: it has landed
  std::shared_ptr<Waiter> waiter_;  // null: it leads
};

}  // namespace armature::dax
