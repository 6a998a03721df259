// Buckets: a hash table's chains, of which there is one more with each entry, so that growing never stops anybody.
//
// Linear hashing (Litwin): with n buckets, 2^k <= n < 2^(k+1), a hash chooses by its lowest k + 1 bits, or by k if that
// bucket is not there yet. The bucket that is added takes its entries from one other. A bucket is the place of its
// first entry, 0 for none: four bytes. Not thread-safe. Used by EntryShard.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dax/cache/memory/reserved_memory.h"

namespace armature::dax {

class Buckets {
 public:
  // How many there are from the first on: a page of them.
  static constexpr size_t kFirst = 1024;

  // REQUIRES: `most` is a multiple of kFirst.
  explicit Buckets(size_t most) : memory_(most * sizeof(uint32_t)) {}

  // There are none before the first Grow, nor after Reset.
  size_t count() const { return count_; }
  size_t held_bytes() const { return memory_.held_bytes(); }

  // REQUIRES: there are some.
  uint32_t& For(uint32_t hash) {
    const size_t wide = hash & (2 * mask_ + 1);
    return At(wide < count_ ? wide : hash & mask_);
  }

  // Adds one, empty, and says whose entries may belong to it now; null: it cannot grow, or there were none before.
  uint32_t* Grow() {
    if (!memory_.Hold((count_ + 1) * sizeof(uint32_t))) return nullptr;
    if (count_ == 0) {
      count_ = kFirst;
      mask_ = kFirst - 1;
      return nullptr;
    }
    uint32_t* const divided = &At(count_ & mask_);
    if (++count_ == 2 * (mask_ + 1)) mask_ = count_ - 1;
    return divided;
  }

  void Reset() {
    memory_.GiveBack();
    count_ = 0;
    mask_ = 0;
  }

 private:
  uint32_t& At(size_t index) { return reinterpret_cast<uint32_t*>(memory_.begin())[index]; }

  ReservedMemory memory_;
  size_t count_ = 0;
  size_t mask_ = 0;
};

}  // namespace armature::dax
