#include "base/limits/keyed_counts.h"

#include "base/limits/mix.h"

namespace armature {

size_t KeyedCounts::Enter(uint64_t key) {
  const uint64_t mixed = MixKey(key, seed_);
  Part& part = parts_[mixed % kParts];
  MutexLock lock(part.mutex);
  return ++part.counts[mixed];
}

void KeyedCounts::Leave(uint64_t key) {
  const uint64_t mixed = MixKey(key, seed_);
  Part& part = parts_[mixed % kParts];
  MutexLock lock(part.mutex);
  const auto found = part.counts.find(mixed);
  if (found != part.counts.end() && --found->second == 0) part.counts.erase(found);
}

size_t KeyedCounts::Count(uint64_t key) const {
  const uint64_t mixed = MixKey(key, seed_);
  const Part& part = parts_[mixed % kParts];
  MutexLock lock(part.mutex);
  const auto found = part.counts.find(mixed);
  return found == part.counts.end() ? 0 : found->second;
}

size_t KeyedCounts::size() const {
  size_t keys = 0;
  for (const Part& part : parts_) {
    MutexLock lock(part.mutex);
    keys += part.counts.size();
  }
  return keys;
}

}  // namespace armature
