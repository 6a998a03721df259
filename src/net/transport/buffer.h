// Buffer: a growable piece of raw memory with a readable window, and the pool of small ones.
//
// Memory is not initialised, and kPaddingBytes behind the capacity are always allocated. A pool
// belongs to one reactor, so that only connections with something in hand hold memory: ten thousand
// idle ones hold none. Not thread-safe. Used by transports and sessions.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace armature::net {

class Buffer {
 public:
  // May be read behind whatever the buffer holds; their content means nothing.
  static constexpr size_t kPaddingBytes = 64;

  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        capacity_(std::exchange(other.capacity_, 0)),
        begin_(std::exchange(other.begin_, 0)),
        end_(std::exchange(other.end_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(begin_, other.begin_);
    std::swap(end_, other.end_);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  bool allocated() const { return data_ != nullptr; }
  size_t capacity() const { return capacity_; }
  size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  char* data() { return data_ + begin_; }
  std::string_view view() const { return {data_ + begin_, size()}; }

  char* free_space() { return data_ + end_; }
  size_t free_bytes() const { return capacity_ - end_; }
  void Commit(size_t bytes) { end_ += bytes; }

  void Consume(size_t bytes) {
    begin_ += bytes;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  // Drops the last bytes.
  void Truncate(size_t new_size) { end_ = begin_ + new_size; }
  void Clear() { begin_ = end_ = 0; }

  // Moves the window to the front.
  void Compact() {
    if (begin_ == 0) return;
    std::memmove(data_, data_ + begin_, size());
    end_ -= begin_;
    begin_ = 0;
  }

  // REQUIRES: begins at the front (Compact). Views into the buffer are lost.
  void Grow(size_t new_capacity) {
    if (new_capacity <= capacity_) return;
    void* const grown = std::realloc(data_, new_capacity + kPaddingBytes);
    if (grown == nullptr) throw std::bad_alloc();
    data_ = static_cast<char*>(grown);
    capacity_ = new_capacity;
  }

  void Append(std::string_view bytes) {
    if (bytes.empty()) return;  // memcpy must not see the null of an empty view
    if (free_bytes() < bytes.size()) {
      Compact();
      if (free_bytes() < bytes.size()) Grow(std::max(end_ + bytes.size(), 2 * capacity_));
    }
    std::memcpy(data_ + end_, bytes.data(), bytes.size());
    end_ += bytes.size();
  }

 private:
  char* data_ = nullptr;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
};

class BufferPool {
 public:
  static constexpr size_t kBufferBytes = 8 * 1024;

  Buffer Take() {
    if (spare_.empty()) {
      Buffer buffer;
      buffer.Grow(kBufferBytes);
      return buffer;
    }
    Buffer buffer = std::move(spare_.back());
    spare_.pop_back();
    return buffer;
  }

  // Keeps a buffer of the usual size, frees any other.
  void Give(Buffer&& buffer) {
    Buffer mine = std::move(buffer);
    if (mine.capacity() != kBufferBytes || spare_.size() >= kKept) return;
    mine.Clear();
    spare_.push_back(std::move(mine));
  }

 private:
  static constexpr size_t kKept = 256;
  std::vector<Buffer> spare_;
};

}  // namespace armature::net
