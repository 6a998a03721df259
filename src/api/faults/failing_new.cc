#include "api/faults/failing_new.h"

#include <cstddef>
#include <cstdlib>
#include <new>

#include "base/memory/memory_reserve.h"

namespace {

thread_local uint64_t left = 0;  // allocations until the one that fails; 0 = not armed
thread_local bool has_failed_ = false;
thread_local bool fails_on = false;  // those that follow, too

void Fail() {
  has_failed_ = true;
  const std::new_handler handler = std::get_new_handler();
  if (handler == nullptr) throw std::bad_alloc();
  handler();  // throws, or has found some
}

void* Allocate(std::size_t bytes, std::size_t alignment) {
  if (left > 1) {
    --left;
  } else if (left == 1) {
    if (!fails_on) {
      left = 0;
      Fail();
    } else if (armature::Essential::MayFail()) {
      Fail();
    }
  }
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? std::malloc(bytes == 0 ? 1 : bytes)
                           : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return Allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return Allocate(bytes, 1);
  } catch (...) { return nullptr; }
}
// Those of arrays come here by way of the ones above (the library sees to it), but for a sanitizer's own.
#if defined(ARMATURE_ADDRESS_SANITIZER) || defined(ARMATURE_THREAD_SANITIZER)
void* operator new[](std::size_t bytes) { return Allocate(bytes, 1); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return Allocate(bytes, 1);
  } catch (...) { return nullptr; }
}
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
#endif
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace armature {

void FailingNew::Arm(uint64_t n, Failures failures) {
  has_failed_ = false;
  fails_on = failures == Failures::kAllFromThere;
  left = n;
}
void FailingNew::Disarm() { left = 0; }
bool FailingNew::has_failed() { return has_failed_; }

}  // namespace armature
