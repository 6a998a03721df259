// What happens when memory runs out.
//
// Where a request can be given up, an allocation fails as usual (std::bad_alloc) and that request alone is lost: on
// threads that say so (Fallible: reactors). Everywhere else nobody could go on: an exception out of RocksDB leaves its
// locks and queues as they are, one out of a background thread ends the process. There, and in stretches of a reactor's
// work marked Essential, a reserve is given up first. When that is gone too the program stops with one line: it has
// acknowledged nothing that is not where its durability says, so a start finds everything.
//
// The reserve is address space, not used memory: it helps where a limit of the process (ulimit -v) or strict overcommit
// makes allocations fail. Where the kernel kills instead, nothing here is asked. Thread-safe.
#pragma once

#include <cstddef>

namespace armature {

class MemoryReserve {
 public:
  static constexpr size_t kBytes = size_t{32} << 20;

  // Once, at the start: from now on failing allocations are dealt with as described, and any exception that nobody
  // catches ends the program with one line.
  static void Install(size_t bytes = kBytes);
  // Takes the reserve again if it was used and there is memory. Called now and then.
  static void Refill();
  // Given up and not taken again yet: whoever could ask for more should be refused, so that what has begun can end.
  static bool is_spent();
};

// The calling thread can give up what it is at, for as long as this lives.
class Fallible {
 public:
  Fallible() { ++depth_; }
  ~Fallible() { --depth_; }
  Fallible(const Fallible&) = delete;
  Fallible& operator=(const Fallible&) = delete;

 private:
  friend class Essential;
  static inline thread_local int depth_ = 0;
};

// … except for this.
class Essential {
 public:
  Essential() { ++depth_; }
  ~Essential() { --depth_; }
  Essential(const Essential&) = delete;
  Essential& operator=(const Essential&) = delete;

  // Whether an allocation of the calling thread may fail right now.
  static bool MayFail() { return Fallible::depth_ != 0 && depth_ == 0; }

 private:
  static inline thread_local int depth_ = 0;
};

}  // namespace armature
