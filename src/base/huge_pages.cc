#include "base/huge_pages.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include <sys/mman.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

std::atomic<bool> is_on{false};

void* AllocateOnHugePages(size_t bytes) {
  const size_t whole = (bytes + armature::kHugePageBytes - 1) / armature::kHugePageBytes * armature::kHugePageBytes;
  void* const memory = std::aligned_alloc(armature::kHugePageBytes, whole);
  // Advice only: without it, or where the kernel does not take it, the array is as good on small pages.
  if (memory != nullptr) madvise(memory, whole, MADV_HUGEPAGE);
  return memory;
}

}  // namespace

void* operator new[](size_t bytes) {
  // As the library's own does: whoever replaces `new` (a test that fails it) has the arrays too.
  if (bytes < armature::kHugePageBytes || !is_on.load(std::memory_order_relaxed)) return ::operator new(bytes);
  for (;;) {
    void* const memory = AllocateOnHugePages(bytes);
    if (memory != nullptr) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
// What `new` gives is malloc's, too.
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace armature {
void PutLargeArraysOnHugePages() { is_on.store(true, std::memory_order_relaxed); }
}  // namespace armature

#else

namespace armature {
void PutLargeArraysOnHugePages() {}
}  // namespace armature

#endif
