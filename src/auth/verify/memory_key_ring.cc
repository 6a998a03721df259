#include "auth/verify/memory_key_ring.h"

#include <cassert>
#include <utility>

namespace armature::auth {

void MemoryKeyRing::Put(std::shared_ptr<const AccessKey> key) {
  assert(key && !key->id.empty() && !key->secret.empty() && key->identity);
  const std::string_view id = key->id;
  std::shared_ptr<const AccessKey> replaced;  // goes after the lock
  const WriteLock lock(mutex_);
  if (const auto it = keys_.find(id); it != keys_.end()) {
    // The view of the old key's id must not outlive it.
    auto node = keys_.extract(it);
    replaced = std::exchange(node.mapped(), std::move(key));
    node.key() = id;
    keys_.insert(std::move(node));
  } else {
    keys_.emplace(id, std::move(key));
  }
  is_empty_.store(false, std::memory_order_release);
  generation_.fetch_add(1, std::memory_order_release);
}

bool MemoryKeyRing::Remove(std::string_view access_key_id) {
  Keys::node_type removed;
  const WriteLock lock(mutex_);
  const auto it = keys_.find(access_key_id);
  if (it == keys_.end()) return false;
  removed = keys_.extract(it);
  is_empty_.store(keys_.empty(), std::memory_order_release);
  generation_.fetch_add(1, std::memory_order_release);
  return true;
}

std::shared_ptr<const AccessKey> MemoryKeyRing::Find(std::string_view access_key_id, std::string_view) const {
  const ReadLock lock(mutex_);
  const auto it = keys_.find(access_key_id);
  return it == keys_.end() ? nullptr : it->second;
}

}  // namespace armature::auth
