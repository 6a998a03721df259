#include "base/huge_pages.h"

#include <cstdint>
#include <cstring>
#include <memory>

#include <gtest/gtest.h>

namespace armature {
namespace {

TEST(HugePages, LargeArraysAreAlignedSmallOnesAreNotGrown) {
  PutLargeArraysOnHugePages();
  const size_t sizes[] = {0, 1, 100, kHugePageBytes - 1, kHugePageBytes, kHugePageBytes + 1, 3 * kHugePageBytes};
  for (const size_t bytes : sizes) {
    const std::unique_ptr<char[]> array(new char[bytes]);
    ASSERT_NE(array, nullptr);
    if (bytes > 0) std::memset(array.get(), 'x', bytes);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (bytes >= kHugePageBytes) { EXPECT_EQ(reinterpret_cast<uintptr_t>(array.get()) % kHugePageBytes, 0u) << bytes; }
#endif
  }
}

}  // namespace
}  // namespace armature
