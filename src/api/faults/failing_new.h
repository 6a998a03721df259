// FailingNew: the n-th allocation of the calling thread fails. For tests; replaces operator new of the whole program.
//
// What a failing allocation does is what it does in the server: the new-handler decides (base/memory_reserve.h).
#pragma once

#include <cstdint>

namespace armature {

class FailingNew {
 public:
  // 1 = the next.
  static void Arm(uint64_t n);
  static void Disarm();
  // Whether the armed allocation came, since Arm.
  static bool has_failed();
};

}  // namespace armature
