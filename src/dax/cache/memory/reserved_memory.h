// ReservedMemory: addresses in a row for all that may ever be needed, and memory behind the first so many of them.
//
// So what lies in it grows without moving, and is found by its distance from the beginning. What is held is taken from
// the system when it is first written. Ordinary pages: a huge one for each part of a cache that is filled slowly would
// be memory without anything in it. Not thread-safe. Used in this folder.
#pragma once

#include <cstddef>

namespace armature::dax {

class ReservedMemory {
 public:
  // Addresses only. If not even these can be had there is never any memory.
  explicit ReservedMemory(size_t most_bytes);
  ~ReservedMemory();
  ReservedMemory(const ReservedMemory&) = delete;
  ReservedMemory& operator=(const ReservedMemory&) = delete;

  // Memory behind the first `bytes` at least; zeros, where there was none. False: more than may be, or none is left.
  bool Hold(size_t bytes);
  // All goes back to the system.
  void GiveBack();

  char* begin() const { return begin_; }
  size_t held_bytes() const { return held_; }
  size_t most_bytes() const { return most_; }

 private:
  char* begin_ = nullptr;
  size_t most_ = 0;
  size_t held_ = 0;
};

}  // namespace armature::dax
