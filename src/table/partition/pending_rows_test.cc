#include "table/partition/pending_rows.h"

#include <gtest/gtest.h>

namespace armature::table {
namespace {

std::string Keys(const std::vector<PendingRows::Row>& rows) {
  std::string keys;
  for (const auto& row : rows) keys += row.key + "=" + row.value + " ";
  return keys;
}

TEST(PendingRowsTest, ARowThatIsReplacedIsTheNewestAndHasAnotherVersion) {
  PendingRows rows;
  EXPECT_TRUE(rows.empty());
  rows.Put("b", "1");
  rows.Put("a", "2");
  const uint64_t version = rows.Find("b")->version;
  rows.Put("b", "3");
  EXPECT_NE(rows.Find("b")->version, version);
  EXPECT_EQ(rows.Find("b")->version, rows.newest_version());
  EXPECT_EQ(Keys(rows.Oldest(10)), "a=2 b=3 ");
  EXPECT_EQ(rows.size(), 2u);
}

TEST(PendingRowsTest, TheOldestUpToAVersionAndNoMoreThanAskedFor) {
  PendingRows rows;
  for (const char* key : {"c", "b", "a"}) rows.Put(key, "");
  EXPECT_EQ(Keys(rows.Oldest(2)), "c= b= ");
  const uint64_t seen = rows.newest_version();
  rows.Put("d", "");
  EXPECT_EQ(Keys(rows.Oldest(10, seen)), "c= b= a= ");
}

TEST(PendingRowsTest, WhatWasMadeReadyIsEnteredInItsOrder) {
  PendingRows rows;
  rows.Put("b", "1");
  PendingRows::Made made;
  for (const char* value : {"2", "3"}) {
    for (const char* key : {"c", "b", "a"}) made.Add(key, value);
  }
  EXPECT_EQ(Keys(rows.Oldest(10)), "b=1 ");
  rows.Enter(made);
  EXPECT_EQ(Keys(rows.Oldest(10)), "c=3 b=3 a=3 ");
  rows.Enter(made);  // nothing is left of it
  EXPECT_EQ(rows.Find("a")->version, rows.newest_version());
  EXPECT_EQ(rows.size(), 3u);
}

TEST(PendingRowsTest, FoundByPrefixInTheOrderOfKeys) {
  PendingRows rows;
  for (const char* key : {"ab", "b", "aa", "a"}) rows.Put(key, "x");
  EXPECT_EQ(Keys(rows.FindPrefix("a")), "a=x aa=x ab=x ");
  rows.Erase("aa");
  rows.Erase("never there");
  EXPECT_EQ(Keys(rows.FindPrefix("a")), "a=x ab=x ");
  EXPECT_FALSE(rows.Find("aa"));
}

}  // namespace
}  // namespace armature::table
