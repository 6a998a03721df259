// Arena: bump allocation for everything that lives as long as one request.
//
// Owns its blocks; Reset() keeps the first block so that a pooled arena serves request after
// request without touching the heap. Memory is never destroyed, so only trivially destructible
// things go in. Not thread-safe: one request, one arena. Used by every layer above base.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace armature {

class Arena {
 public:
  static constexpr size_t kFirstBlockBytes = 8 * 1024;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* Allocate(size_t bytes, size_t alignment = alignof(std::max_align_t)) {
    auto start = (reinterpret_cast<uintptr_t>(next_) + alignment - 1) & ~(alignment - 1);
    if (next_ == nullptr || start + bytes > reinterpret_cast<uintptr_t>(end_)) return AllocateSlow(bytes, alignment);
    next_ = reinterpret_cast<char*>(start + bytes);
    return reinterpret_cast<void*>(start);
  }

  template <class T, class... Args>
  T* New(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena never runs destructors");
    return new (Allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  // A value-initialised array.
  template <class T>
  std::span<T> NewArray(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena never runs destructors");
    if (count == 0) return {};
    T* first = static_cast<T*>(Allocate(sizeof(T) * count, alignof(T)));
    for (size_t i = 0; i < count; ++i) new (first + i) T{};
    return {first, count};
  }

  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {"", 0};
    char* copy = static_cast<char*>(Allocate(text.size(), 1));
    std::memcpy(copy, text.data(), text.size());
    return {copy, text.size()};
  }

  template <class T>
  std::span<T> Copy(const std::vector<T>& items) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    if (items.empty()) return {};
    T* first = static_cast<T*>(Allocate(sizeof(T) * items.size(), alignof(T)));
    std::memcpy(static_cast<void*>(first), items.data(), sizeof(T) * items.size());
    return {first, items.size()};
  }

  // Forgets everything allocated; keeps the first block.
  void Reset();

  size_t bytes_reserved() const { return bytes_reserved_; }

 private:
  void* AllocateSlow(size_t bytes, size_t alignment);

  char* next_ = nullptr;
  char* end_ = nullptr;
  size_t bytes_reserved_ = 0;
  struct Block {
    std::unique_ptr<char[]> data;
    size_t size;
  };
  std::vector<Block> blocks_;
};

}  // namespace armature
