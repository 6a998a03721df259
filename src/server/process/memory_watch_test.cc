#include "server/process/memory_watch.h"

#include <gtest/gtest.h>

namespace armature::server {
namespace {

TEST(MemoryWatch, ComparesResidentMemoryWithItsLimit) {
  EXPECT_GT(MemoryWatch::ResidentBytes(), 0u);
  EXPECT_GT(MemoryWatch::PhysicalBytes(), MemoryWatch::ResidentBytes());
  MemoryWatch generous(MemoryWatch::PhysicalBytes());
  generous.Sample();
  EXPECT_FALSE(generous.is_over());
  MemoryWatch tight(1);
  tight.Sample();
  EXPECT_TRUE(tight.is_over());
}

}  // namespace
}  // namespace armature::server
