#include "auth/verify/memory_key_ring.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "auth/verify/signature_testing.h"

namespace armature::auth {
namespace {

TEST(MemoryKeyRingTest, AKeyIsFoundUntilItIsRemoved) {
  MemoryKeyRing ring;
  EXPECT_TRUE(ring.is_empty());
  EXPECT_EQ(ring.Find(kTestUserKey, ""), nullptr);
  ring.Put(MakeTestUserKey());
  EXPECT_FALSE(ring.is_empty());
  const auto key = ring.Find(kTestUserKey, "");
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(key->secret.text(), kTestSecret);
  EXPECT_FALSE(key->is_temporary());
  EXPECT_EQ(ring.Find("AKIDEXAMPL", ""), nullptr);
  EXPECT_TRUE(ring.Remove(kTestUserKey));
  EXPECT_FALSE(ring.Remove(kTestUserKey));
  EXPECT_EQ(ring.Find(kTestUserKey, ""), nullptr);
  EXPECT_TRUE(ring.is_empty());
  EXPECT_EQ(key->id, kTestUserKey) << "whoever has found it may use it to the end";
}

TEST(MemoryKeyRingTest, AnotherKeyOfTheSameIdTakesItsPlace) {
  MemoryKeyRing ring;
  ring.Put(MakeTestUserKey());
  const uint64_t serial = ring.Find(kTestUserKey, "")->serial;
  ring.Put(MakeTestUserKey());
  EXPECT_NE(ring.Find(kTestUserKey, "")->serial, serial);
  ring.Put(MakeTestSessionKey());
  EXPECT_TRUE(ring.Find(kTestSessionKey, kTestToken)->is_temporary());
  EXPECT_TRUE(ring.Remove(kTestUserKey));
  EXPECT_FALSE(ring.is_empty());
}

TEST(MemoryKeyRingTest, EveryChangeIsAnotherGeneration) {
  MemoryKeyRing ring;
  const uint64_t empty = ring.generation();
  ring.Put(MakeTestUserKey());
  const uint64_t first = ring.generation();
  EXPECT_NE(first, empty);
  EXPECT_FALSE(ring.Remove("AKIDOTHER"));
  EXPECT_EQ(ring.generation(), first);
  ring.Put(MakeTestUserKey());
  EXPECT_NE(ring.generation(), first);
  EXPECT_TRUE(ring.Remove(kTestUserKey));
  EXPECT_NE(ring.generation(), first);
}

TEST(MemoryKeyRingTest, ReadersAndWritersMayMeet) {
  MemoryKeyRing ring;
  ring.Put(MakeTestUserKey());
  std::atomic<bool> is_done{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!is_done) {
        const auto key = ring.Find(kTestUserKey, "");
        ASSERT_NE(key, nullptr) << "it is replaced, never gone";
        ASSERT_EQ(key->identity->user_name, "alice");
      }
    });
  }
  for (int i = 0; i < 2000; ++i) {
    ring.Put(MakeTestUserKey());
    ring.Put(MakeTestUserKey("AKIDOTHER"));
    ring.Remove("AKIDOTHER");
  }
  is_done = true;
  for (std::thread& reader : readers) reader.join();
}

}  // namespace
}  // namespace armature::auth
