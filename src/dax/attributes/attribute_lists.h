// AttributeLists: which id stands for which names of which account, for ever.
//
// Items travel without their attributes' names: a number stands for the list of them. Numbers are given in turn, an id
// never changes its meaning and survives a restart, because clients keep ids without asking again. Each belongs to the
// account whose tables it was given out for: to the others there is no such number, so that nobody learns names by
// counting, and the same names have another number there. Id 1 is everybody's: the empty list. Intern gives an id at
// once; it may leave the node only when Settled has said so, which is at once but for new ones. How many lists there
// are, and how long they may be, is bounded. Thread-safe; what is known is found without a lock, and no list is ever
// forgotten. One for a process: its nodes share it, so that an item's bytes mean the same on all of them. New lists are
// appended to the store by a thread of its own, all that wait together.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/async.h"
#include "base/mutex.h"
#include "base/result.h"
#include "dax/attributes/attribute_list_store.h"
#include "dax/attributes/attribute_list_table.h"

namespace armature::dax {

struct AttributeListLimits {
  size_t most_lists = 100'000;
  // Of memory: of one, more than any item could have of names; of all.
  size_t most_list_bytes = 4 << 20;
  size_t most_total_bytes = 64 << 20;
};

class AttributeLists {
 public:
  // Without a store ids are as good as the process, and always settled.
  explicit AttributeLists(AttributeListStore* store, AttributeListLimits limits = {});
  // What waits is appended, or tried to be. REQUIRES: nobody awaits Settled, and nobody calls any more.
  ~AttributeLists();
  AttributeLists(const AttributeLists&) = delete;
  AttributeLists& operator=(const AttributeLists&) = delete;

  // Once, before anything else is called.
  Status Load();

  // The id of the account's list. kNoSpace: it is new, and there are as many as there may be; kInvalidArgument:
  // nobody's item has such names.
  Result<uint64_t> Intern(std::string_view account, std::span<const std::string_view> names);

  // Null: the account has no such id. The names stay as long as this object, whatever becomes of the pointer: it counts
  // nothing, so that threads do not meet at a counter.
  std::shared_ptr<const AttributeNames> Find(std::string_view account, uint64_t id) const;

  // Whether all ids that were given are durable: there is nothing to wait for.
  bool is_settled() const {
    const uint64_t given = given_.load(std::memory_order_acquire);
    return durable_.load(std::memory_order_acquire) >= given;
  }
  // Waits until they are. A failure is the store's: appending is tried again until it succeeds, and meanwhile whoever
  // asks gets the last failure.
  Task<Status> Settled();
  // Waits until all who wait in Settled now have been resumed: for an executor that is about to go, on which nothing
  // runs any more.
  void AwaitQuiet();

 private:
  struct Waiter {
    uint64_t id = 0;      // what it waits for, with all before
    uint64_t number = 0;  // of all that have waited: nobody is told before those who came earlier
    Status status;
    Completion done;
  };

  Result<uint64_t> Add(std::string_view account, std::span<const std::string_view> names, uint64_t hash);
  Status CheckNew(std::span<const std::string_view> names, size_t bytes) const ARMATURE_WITH_LOCK(mutex_);
  void Write();
  void WriteBatch() ARMATURE_WITH_LOCK(mutex_);
  // Takes those out whose wait is over.
  std::vector<Waiter*> Finished(const Status& status) ARMATURE_WITH_LOCK(mutex_);

  AttributeListStore* const store_;
  const AttributeListLimits limits_;
  AttributeListTable table_;
  std::atomic<uint64_t> given_;
  std::atomic<uint64_t> durable_;

  Mutex mutex_;
  Condition changed_;
  size_t total_bytes_ ARMATURE_GUARDED_BY(mutex_) = 0;
  std::vector<std::shared_ptr<const AttributeList>> pending_ ARMATURE_GUARDED_BY(mutex_);
  std::vector<Waiter*> waiters_ ARMATURE_GUARDED_BY(mutex_);
  uint64_t last_waiter_ ARMATURE_GUARDED_BY(mutex_) = 0;  // by its number
  uint64_t last_told_ ARMATURE_GUARDED_BY(mutex_) = 0;
  Status last_failure_ ARMATURE_GUARDED_BY(mutex_);
  bool is_stopping_ ARMATURE_GUARDED_BY(mutex_) = false;
  std::thread writer_;
};

// The lists of one account, which is all that is read and written of them on behalf of its clients. Cheap to copy; both
// it is made of must outlive it.
class AccountLists {
 public:
  AccountLists(AttributeLists& lists, std::string_view account) : lists_(lists), account_(account) {}

  Result<uint64_t> Intern(std::span<const std::string_view> names) const { return lists_.Intern(account_, names); }
  std::shared_ptr<const AttributeNames> Find(uint64_t id) const { return lists_.Find(account_, id); }

 private:
  AttributeLists& lists_;
  const std::string_view account_;
};

}  // namespace armature::dax
