#include "net/tls/record_buffers.h"

#include <array>
#include <cstddef>
#include <cstdlib>

#include <malloc.h>
#include <openssl/crypto.h>

namespace armature::net {
namespace {

// From the least to the most that OpenSSL takes for the largest record there can be, with its header, padding and tag.
constexpr size_t kLeastBytes = 16 * 1024;
constexpr size_t kBufferBytes = 18 * 1024;

// What the calling thread keeps. Without a destructor, so that it can be used until the thread's very end.
struct Kept {
  std::array<void*, 4> buffers;
  size_t count;
  bool is_over;  // the thread ends
};
thread_local constinit Kept kept{};

struct FreeAtEnd {
  ~FreeAtEnd() {
    kept.is_over = true;
    while (kept.count > 0) std::free(kept.buffers[--kept.count]);
  }
};
thread_local FreeAtEnd free_at_end;

// Not used by sanitizer builds.
[[maybe_unused]] void* Allocate(size_t size, const char*, int) { return AllocateOrTakeBuffer(size); }
[[maybe_unused]] void Free(void* memory, const char*, int) { FreeOrKeepBuffer(memory); }
[[maybe_unused]] void* Reallocate(void* memory, size_t size, const char*, int) { return std::realloc(memory, size); }

}  // namespace

void* AllocateOrTakeBuffer(size_t size) {
  if (size < kLeastBytes || size > kBufferBytes) return std::malloc(size);
  return kept.count > 0 ? kept.buffers[--kept.count] : std::malloc(kBufferBytes);
}

void FreeOrKeepBuffer(void* memory) {
  if (memory == nullptr) return;
  const size_t size = malloc_usable_size(memory);
  const bool is_buffer = size >= kBufferBytes && size < kBufferBytes + 64;
  if (!is_buffer || kept.is_over || kept.count == kept.buffers.size()) return std::free(memory);
  static_cast<void>(&free_at_end);  // made with the thread's first
  kept.buffers[kept.count++] = memory;
}

void KeepRecordBuffers() {
#if !defined(ARMATURE_ADDRESS_SANITIZER) && !defined(ARMATURE_THREAD_SANITIZER)
  CRYPTO_set_mem_functions(&Allocate, &Reallocate, &Free);
#endif
}

}  // namespace armature::net
