// Directory: the state of IAM, durable.
//
// Owns IAM's records in the system partition and the snapshot that everybody reads. A change is a function on a Draft:
// one at a time, stored as one commit, durable and in force on every thread before Change returns; one that fails
// leaves nothing, not even after a crash: what a failed commit may have left is taken back, at the latest by the next
// change's own commit. A record that cannot be read is set aside: it is told once, kept as it is, and whoever depends
// on it (a user on his group, a holder on a policy) finds it missing, which denies. Thread-safe. Used by server/, the
// operations of the API, and commands on a data directory.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/async.h"
#include "base/clock.h"
#include "base/keys/key_source.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/result.h"
#include "iam/state/draft.h"
#include "iam/state/snapshot.h"
#include "storage/engine.h"
#include "table/partition/latches.h"

namespace armature::iam {

class Directory final : public policy::PrincipalDirectory {
 public:
  // `random` is for secrets: nobody may be able to guess it.
  Directory(storage::Engine& engine, const Clock& clock, RandomSource& random, MasterKeySource key_source);

  // The error is one line fit for a user: a wrong or missing master key among others.
  Task<Status> Load();

  // The state as it is now, kept for as long as the caller likes.
  std::shared_ptr<const Snapshot> Current() const;
  // The same without a lock while nothing changes, for whoever asks with every request. Good until the calling thread
  // asks again, and until then also when it changes.
  const std::shared_ptr<const Snapshot>& Pinned() const;
  // As things are now.
  std::optional<std::string> FindUniqueId(std::string_view arn) const override;
  // Grows with every change that is in force.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }

  // Whether there never was a principal here, no user, no role and no key: only then may everybody be believed. Damage
  // does not make it true.
  bool is_untouched() const { return is_untouched_.load(std::memory_order_acquire); }
  size_t set_aside() const { return set_aside_; }

  // What `change` returns, if it was stored. It runs alone with the state and may run changes of iam/changes as it
  // likes; an error from any of them throws the draft away.
  template <class T>
  Task<IamResult<T>> Change(std::function<IamResult<T>(Draft&)> change);
  Task<IamResult<void>> Change(std::function<IamResult<void>(Draft&)> change);

  // The keys that secrets and sessions are sealed with; made if there are none yet.
  Result<std::shared_ptr<const MasterKeys>> master_keys();

  const Clock& clock() const { return clock_; }
  RandomSource& random() const { return random_; }

 private:
  struct ThreadView;

  Task<Status> LoadRecords(bool& needs_sealing, bool& has_key_check);
  Status CheckKeys(std::string_view key_check) const;
  Task<Status> SealAnew();
  Task<Status> Store(Draft& draft, bool is_all);
  void Publish(std::shared_ptr<const Snapshot> next) noexcept;

  storage::Engine& engine_;
  const Clock& clock_;
  RandomSource& random_;
  const MasterKeySource key_source_;
  const uint64_t serial_;  // tells directories apart, those that are gone too

  table::LatchTable change_latch_{1};  // one change at a time
  // What a failed commit may have changed, as it was before. Guarded by change_latch_.
  storage::Batch undo_;
  bool has_key_check_ = false;  // guarded by change_latch_

  mutable Mutex mutex_;
  std::shared_ptr<const Snapshot> current_ ARMATURE_GUARDED_BY(mutex_);
  std::shared_ptr<const MasterKeys> keys_ ARMATURE_GUARDED_BY(mutex_);
  std::atomic<uint64_t> version_{1};
  std::atomic<bool> is_untouched_{true};
  size_t set_aside_ = 0;  // written by Load only
};

template <class T>
Task<IamResult<T>> Directory::Change(std::function<IamResult<T>(Draft&)> change) {
  std::optional<T> made;
  std::function<IamResult<void>(Draft&)> run = [&](Draft& draft) -> IamResult<void> {
    ARMATURE_TRY(made, change(draft));
    return {};
  };
  auto done = co_await Change(std::move(run));
  if (!done) co_return std::move(done).error();
  co_return std::move(*made);
}

}  // namespace armature::iam
