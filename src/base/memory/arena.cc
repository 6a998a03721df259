#include "base/memory/arena.h"

#include <algorithm>
#include <cstdint>

namespace armature {

void* Arena::AllocateSlow(size_t bytes, size_t alignment) {
  // Blocks double, so that a large item costs a handful of allocations, not hundreds.
  size_t size = blocks_.empty() ? kFirstBlockBytes : std::min<size_t>(blocks_.back().size * 2, 1 << 20);
  size = std::max(size, bytes + alignment);
  blocks_.push_back({std::unique_ptr<char[]>(new char[size]), size});
  bytes_reserved_ += size;
  next_ = blocks_.back().data.get();
  end_ = next_ + size;
  return Allocate(bytes, alignment);
}

void Arena::Reset() {
  if (blocks_.empty()) return;
  // A first block blown up by one huge request must not stay with a pooled arena.
  if (blocks_.front().size > kFirstBlockBytes) {
    blocks_.clear();
    bytes_reserved_ = 0;
    next_ = end_ = nullptr;
    return;
  }
  blocks_.resize(1);
  bytes_reserved_ = blocks_.front().size;
  next_ = blocks_.front().data.get();
  end_ = next_ + blocks_.front().size;
}

}  // namespace armature
