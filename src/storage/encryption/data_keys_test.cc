#include "storage/encryption/data_keys.h"

#include <string>

#include <gtest/gtest.h>

namespace armature::storage {
namespace {

std::shared_ptr<const DataKey> Key(uint32_t number) {
  return std::make_shared<const DataKey>(
      DataKey{number, AesGcmKey(std::string(AesGcmKey::kBytes, static_cast<char>('a' + number)))});
}

TEST(DataKeysTest, TheNewestIsForNewFilesAndOlderOnesAreStillFound) {
  DataKeys keys({Key(1), Key(4)});
  EXPECT_EQ(keys.newest()->number, 4U);
  EXPECT_EQ(keys.Find(1)->number, 1U);
  EXPECT_EQ(keys.Find(2), nullptr);
  keys.Add(Key(5));
  EXPECT_EQ(keys.newest()->number, 5U);
  EXPECT_EQ(keys.Find(4)->number, 4U);
}

TEST(DataKeysTest, ARemovedKeyIsNotFoundAndWhoHasItKeepsIt) {
  DataKeys keys({Key(1), Key(2)});
  const auto held = keys.Find(1);
  keys.Remove(1);
  EXPECT_EQ(keys.Find(1), nullptr);
  EXPECT_EQ(held->number, 1U);
  EXPECT_EQ(keys.newest()->number, 2U);
}

}  // namespace
}  // namespace armature::storage
