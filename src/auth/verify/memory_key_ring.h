// MemoryKeyRing: access keys that live in memory only, for tests and for servers without IAM's state.
//
// Thread-safe. A change holds for every request that begins after it. The lock is held for one look-up or one change of
// the table, never while anything else is done.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "auth/key_ring.h"
#include "base/shared_mutex.h"

namespace armature::auth {

class MemoryKeyRing final : public KeyRing {
 public:
  // In the place of the key of that id, if there is one. REQUIRES: it has an id, a secret and an identity.
  void Put(std::shared_ptr<const AccessKey> key);
  // False if there is none.
  bool Remove(std::string_view access_key_id);

  bool is_empty() const override { return is_empty_.load(std::memory_order_acquire); }
  std::shared_ptr<const AccessKey> Find(std::string_view access_key_id, std::string_view session_token) const override;
  uint64_t generation() const override { return generation_.load(std::memory_order_acquire); }

 private:
  // By the key's own id, which lives as long as the key.
  using Keys = std::unordered_map<std::string_view, std::shared_ptr<const AccessKey>>;

  mutable SharedMutex mutex_;
  Keys keys_ ARMATURE_GUARDED_BY(mutex_);
  std::atomic<bool> is_empty_{true};
  std::atomic<uint64_t> generation_{1};
};

}  // namespace armature::auth
