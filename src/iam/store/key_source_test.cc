#include "iam/store/key_source.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace armature::iam {
namespace {

const std::string kKept(64, '3'), kGiven(64, '4');

TEST(FindMasterKey, WhatTheUserGivesComesFirstAndAnEncryptedStoreMakesNoFile) {
  EXPECT_EQ(FindMasterKey("data", "").file, "data/iam.key");
  EXPECT_TRUE(FindMasterKey("data", "").may_create_file);
  EXPECT_TRUE(FindMasterKey("", "").is_empty());
  const MasterKeySource kept = FindMasterKey("data", "", kKept);
  EXPECT_EQ(kept.text, kKept);
  EXPECT_EQ(kept.name(), "data/KEYS");
  EXPECT_TRUE(kept.file.empty());
  EXPECT_EQ(FindMasterKey("data", "mine", kKept).file, "mine");
  setenv(kIamKeyVariable, kGiven.c_str(), 1);
  const MasterKeySource given = FindMasterKey("data", "mine", kKept);
  EXPECT_EQ(given.text, kGiven);
  EXPECT_EQ(given.name(), "ARMATURE_IAM_KEY");
  EXPECT_EQ(std::getenv(kIamKeyVariable), nullptr);
}

}  // namespace
}  // namespace armature::iam
