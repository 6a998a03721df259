#include "storage/memory/version_map.h"

#include <string>

#include <gtest/gtest.h>

namespace armature::storage {
namespace {

TEST(VersionMapTest, KeepsOldValuesOnlyForPinnedSequences) {
  VersionMap map;
  map.Put("k", "1", 1);
  map.Put("k", "2", 2);
  EXPECT_EQ(map.garbage(), 0u) << "nobody looks back";
  map.Pin(2);
  for (Sequence s = 3; s < 100; ++s) map.Put("k", std::to_string(s), s);
  EXPECT_EQ(map.garbage(), 1u) << "one old value for one snapshot, however often the key changes";
  EXPECT_EQ(*map.Get("k", 2), "2");
  EXPECT_EQ(*map.Get("k", 1000), "99");
  map.Unpin(2);
  map.CollectSome(10);
  EXPECT_EQ(map.garbage(), 0u);
  EXPECT_EQ(*map.Get("k", 1000), "99");
}

TEST(VersionMapTest, BytesReturnToZero) {
  VersionMap map;
  Sequence sequence = 0;
  for (int i = 0; i < 100; ++i) map.Put("k" + std::to_string(i), std::string(50, 'x'), ++sequence);
  map.Pin(sequence);
  for (int i = 0; i < 100; i += 2) map.Put("k" + std::to_string(i), "new", ++sequence);
  map.Pin(sequence);
  for (int i = 0; i < 100; ++i) map.Delete("k" + std::to_string(i), ++sequence);
  EXPECT_EQ(map.Get("k0", sequence), nullptr);
  EXPECT_EQ(*map.Get("k0", 150), "new");
  EXPECT_EQ(map.Get("k1", 150)->size(), 50u);
  map.Unpin(100);
  map.CollectSome(1000);
  EXPECT_EQ(*map.Get("k0", 150), "new");
  map.Unpin(150);
  map.CollectSome(1000);
  EXPECT_EQ(map.bytes(), 0u);
  EXPECT_EQ(map.garbage(), 0u);
}

TEST(VersionMapTest, DeletesAPortionAtATime) {
  VersionMap map;
  for (int i = 0; i < 10; ++i) map.Put("k" + std::to_string(i), "v", 1);
  map.Pin(1);
  EXPECT_TRUE(map.DeleteSome("k", "", 2, 4));
  EXPECT_TRUE(map.DeleteSome("k", "", 3, 4));
  EXPECT_FALSE(map.DeleteSome("k", "", 4, 4));
  EXPECT_FALSE(map.Scan("", "", false, 5, [](auto, auto) { return false; }));
  EXPECT_TRUE(map.Scan("", "", false, 1, [](auto, auto) { return false; }));
}

}  // namespace
}  // namespace armature::storage
