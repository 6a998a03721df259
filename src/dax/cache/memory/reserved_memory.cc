#include "dax/cache/memory/reserved_memory.h"

#include <cstring>

#include <sys/mman.h>

namespace armature::dax {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr int kAddressesOnly = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

ReservedMemory::ReservedMemory(size_t most_bytes) {
  most_bytes -= most_bytes % kPageBytes;
  if (most_bytes == 0) return;
  void* const memory = mmap(nullptr, most_bytes, PROT_NONE, kAddressesOnly, -1, 0);
  if (memory == MAP_FAILED) return;
  begin_ = static_cast<char*>(memory);
  most_ = most_bytes;
}

ReservedMemory::~ReservedMemory() {
  if (begin_ != nullptr) munmap(begin_, most_);
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
  // ours, and only its zeros are kept as promised.
  if (mmap(begin_, held_, PROT_NONE, kAddressesOnly | MAP_FIXED, -1, 0) == MAP_FAILED) std::memset(begin_, 0, held_);
  else held_ = 0;
}

}  // namespace armature::dax
