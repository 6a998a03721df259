// FailingNew: the n-th allocation of the calling thread fails. For tests; replaces operator new of the whole program.
//
// What a failing allocation does is what it does in the server: the new-handler decides (base/memory/memory_reserve.h).
#pragma once

#include <cstdint>

namespace armature {

class FailingNew {
 public:
  enum class Failures { kOne, kAllFromThere };

  // 1 = the next. kAllFromThere: that and all that follow until Disarm, but those that the reserve is kept for
  // (base/memory/memory_reserve.h): it is taken for large enough.
  static void Arm(uint64_t n, Failures failures = Failures::kOne);
  static void Disarm();
  // Whether the armed allocation came, since Arm.
  static bool has_failed();
};

}  // namespace armature
