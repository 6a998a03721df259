// LazyArray: a fixed number of elements that take memory only once one of them is asked for.
//
// Most partitions of most tables are not written to for long. Thread-safe in that respect; the elements are the
// user's to guard. Used by latches and images.
#pragma once

#include <atomic>
#include <cstddef>

namespace armature::table {

template <class T>
class LazyArray {
 public:
  explicit LazyArray(size_t size) : size_(size) {}
  LazyArray(const LazyArray&) = delete;
  LazyArray& operator=(const LazyArray&) = delete;
  ~LazyArray() { delete[] elements_.load(std::memory_order_relaxed); }

  size_t size() const { return size_; }

  // Null: none was ever asked for.
  T* Find(size_t i) const {
    T* const elements = elements_.load(std::memory_order_acquire);
    return elements ? &elements[i] : nullptr;
  }

  T& operator[](size_t i) {
    T* elements = elements_.load(std::memory_order_acquire);
    if (!elements) elements = Make();
    return elements[i];
  }

 private:
  [[gnu::noinline, gnu::cold]] T* Make() {
    T* const made = new T[size_]();
    T* found = nullptr;
    if (elements_.compare_exchange_strong(found, made, std::memory_order_acq_rel)) return made;
    delete[] made;
    return found;
  }

  const size_t size_;
  std::atomic<T*> elements_{nullptr};
};

}  // namespace armature::table
