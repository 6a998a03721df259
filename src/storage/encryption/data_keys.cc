#include "storage/encryption/data_keys.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace armature::storage {

DataKeys::DataKeys(std::vector<std::shared_ptr<const DataKey>> keys) : keys_(std::move(keys)) {
  assert(!keys_.empty());
}

std::shared_ptr<const DataKey> DataKeys::newest() const {
  MutexLock lock(mutex_);
  return keys_.back();
}

std::shared_ptr<const DataKey> DataKeys::Find(uint32_t number) const {
  MutexLock lock(mutex_);
  const auto found = std::find_if(keys_.begin(), keys_.end(), [&](const auto& key) { return key->number == number; });
  return found == keys_.end() ? nullptr : *found;
}

void DataKeys::Add(std::shared_ptr<const DataKey> key) {
  MutexLock lock(mutex_);
  assert(key->number > keys_.back()->number);
  keys_.push_back(std::move(key));
}

void DataKeys::Remove(uint32_t number) {
  MutexLock lock(mutex_);
  assert(number != keys_.back()->number);
  std::erase_if(keys_, [&](const auto& key) { return key->number == number; });
}

}  // namespace armature::storage
