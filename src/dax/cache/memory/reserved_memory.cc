#include "dax/cache/memory/reserved_memory.h"

#include <cstdint>

#include <sys/mman.h>

namespace armature::dax {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr size_t kHugePageBytes = size_t{2} << 20;
// From here on it is worth while: smaller ones are many, and each could leave most of a huge page unused.
constexpr size_t kLeastForHugePages = 8 * kHugePageBytes;

}  // namespace

ReservedMemory::ReservedMemory(size_t most_bytes) {
  most_bytes -= most_bytes % kPageBytes;
  if (most_bytes == 0) return;
  const bool is_large = most_bytes >= kLeastForHugePages;
  reserved_ = most_bytes + (is_large ? kHugePageBytes : 0);
  void* const memory = mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  reservation_ = static_cast<char*>(memory);
  const size_t beyond = reinterpret_cast<uintptr_t>(memory) % kHugePageBytes;
  begin_ = reservation_ + (is_large && beyond != 0 ? kHugePageBytes - beyond : 0);
  most_ = most_bytes;
  if (is_large) madvise(begin_, most_, MADV_HUGEPAGE);  // advice only
}

ReservedMemory::~ReservedMemory() {
  if (reservation_ != nullptr) munmap(reservation_, reserved_);
}

bool ReservedMemory::Hold(size_t bytes) {
  if (bytes <= held_) return true;
  bytes = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (bytes > most_) return false;
  if (mprotect(begin_ + held_, bytes - held_, PROT_READ | PROT_WRITE) != 0) return false;
  held_ = bytes;
  return true;
}

void ReservedMemory::GiveBack() {
  if (held_ == 0) return;
  // Mapped anew: that gives the memory back and takes the permission in one step. If it cannot be done the memory stays
  // ours, with whatever is in it; a zero that was promised is then written.
  void* const memory = mmap(begin_, held_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (memory == MAP_FAILED) {
    for (size_t i = 0; i < held_; ++i) begin_[i] = 0;
    return;
  }
  if (most_ >= kLeastForHugePages) madvise(begin_, held_, MADV_HUGEPAGE);
  held_ = 0;
}

}  // namespace armature::dax
