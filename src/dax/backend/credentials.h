// Credentials and CredentialStore: as whom a node reaches its endpoint, also when that changes while it runs.
//
// Keys that come from a file or a program end some day. The store reads them anew shortly before they do, if they say
// when, and when the endpoint has refused them; reading may block, so it has a thread of its own, which goes when there
// is nothing to read. How they are read is the caller's affair. Thread-safe; who waits is resumed upon his executor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "auth/request_signer.h"
#include "base/async.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/tasks/task_pool.h"

namespace armature::dax {

struct Credentials {
  auth::SigningIdentity identity;
  std::optional<int64_t> expires_at_millis;
};
using CredentialsPtr = std::shared_ptr<const Credentials>;

class CredentialStore {
 public:
  // Called by one thread at a time. May block.
  using Load = std::function<Result<Credentials>()>;

  // Credentials are read again so long before they end, and not more often than this.
  static constexpr int64_t kRenewBeforeMillis = 5 * 60'000;
  static constexpr int64_t kPauseMillis = 10'000;

  // Without `load` they never change. The clock must outlive it.
  CredentialStore(Credentials first, Load load, const Clock& clock);
  // REQUIRES: nobody waits. Waits for reading that is under way.
  ~CredentialStore();
  CredentialStore(const CredentialStore&) = delete;
  CredentialStore& operator=(const CredentialStore&) = delete;

  CredentialsPtr Current();
  // `refused` were not accepted: what there is instead, after a look where they come from. The same object if there is
  // nothing else, or if the last look was a moment ago.
  Task<CredentialsPtr> Renew(CredentialsPtr refused);
  // Waits until nobody is being resumed, nor going to be by what is read now: for an executor that is about to go, on
  // which nothing calls any more.
  void AwaitQuiet();

 private:
  TaskPool::Next LoadOnce();
  bool MayLoad() const ARMATURE_WITH_LOCK(mutex_);
  void StartLoading() ARMATURE_WITH_LOCK(mutex_);
  // False: there is nothing to wait for.
  bool Join(const CredentialsPtr& refused, Completion& loaded);

  const Load load_;
  const Clock& clock_;
  TaskPool threads_{"credentials", 1};
  TaskPool::Handle loading_;  // null: there is nothing to load
  Mutex mutex_;
  CredentialsPtr current_ ARMATURE_GUARDED_BY(mutex_);
  int64_t may_load_at_millis_ ARMATURE_GUARDED_BY(mutex_) = 0;
  bool is_loading_ ARMATURE_GUARDED_BY(mutex_) = false;
  bool is_telling_ ARMATURE_GUARDED_BY(mutex_) = false;  // those who wait, that it is over
  Condition quiet_;
  std::vector<Completion*> waiting_ ARMATURE_GUARDED_BY(mutex_);
};

}  // namespace armature::dax
