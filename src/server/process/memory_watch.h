// MemoryWatch: notices when the process uses more memory than it may, so that the network can shed load.
//
// `is_over` is read on every request (one relaxed load); Sample reads the process's resident size and is called by a
// Periodic. Thread-safe. Owned by server/.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace armature::server {

class MemoryWatch {
 public:
  explicit MemoryWatch(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  bool is_over() const { return is_over_.load(std::memory_order_relaxed); }
  uint64_t limit_bytes() const { return limit_bytes_; }
  // What the clients of one port may hold of it with large requests and unread answers.
  uint64_t limit_of_buffers() const {
    return std::clamp<uint64_t>(limit_bytes_ / 4, uint64_t{32} << 20, uint64_t{512} << 20);
  }
  void Sample();

  // Resident bytes of this process.
  static uint64_t ResidentBytes();
  // Memory of the machine.
  static uint64_t PhysicalBytes();

 private:
  const uint64_t limit_bytes_;
  std::atomic<bool> is_over_{false};
};

}  // namespace armature::server
