// Which items expire when, and the rows that say so.
#include "table/keys/expiry.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "expr/expr_testing.h"
#include "table/keys/key_layout.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

std::optional<int64_t> Expiry(std::string_view item) {
  Arena arena;
  return ExpirySeconds(expr::MakeItem(arena, item), "ttl");
}

TEST(ExpirySecondsTest, NumbersAfterTheEpochExpire) {
  EXPECT_EQ(Expiry("ttl=N:1700000000"), 1700000000);
  EXPECT_EQ(Expiry("ttl=N:17E8"), 1700000000);
  EXPECT_EQ(Expiry("ttl=N:1"), 1);
  EXPECT_EQ(Expiry("ttl=N:1700000000000"), 1700000000000);  // somebody's milliseconds: in 51 thousand years
}

TEST(ExpirySecondsTest, DecimalsCountForTheSecondTheyEndIn) {
  EXPECT_EQ(Expiry("ttl=N:1700000000.5"), 1700000001);
  EXPECT_EQ(Expiry("ttl=N:1700000000.0"), 1700000000);
  EXPECT_EQ(Expiry("ttl=N:1.7000000001E9"), 1700000001);
  EXPECT_EQ(Expiry("ttl=N:1E-130"), 1);
}

TEST(ExpirySecondsTest, NothingElseDoes) {
  for (const char* item : {"pk=S:a", "ttl=S:1700000000", "ttl=NS[1700000000]", "ttl=BOOL:true", "ttl=N:0",
                           "ttl=N:-1700000000", "ttl=N:1E19", "ttl=N:9E125", "TTL=N:1700000000"})
    EXPECT_EQ(Expiry(item), std::nullopt) << item;
}

TEST(ExpiryRowTest, BytesAsDocumented) {
  const model::TableDef def = MakeTableDef("T");
  Arena arena;
  std::string item_key;
  AppendItemKey(def.key_schema, expr::MakeItem(arena, "pk=S:a"), item_key);
  const std::string row = ExpiryRowKey(0x65536b80, item_key);
  EXPECT_EQ(row.substr(0, 9), std::string_view("\x50\0\0\0\0\x65\x53\x6b\x80", 9));
  EXPECT_EQ(row.substr(9), item_key.substr(1));
  EXPECT_TRUE(row.ends_with(std::string_view("a\0\x01", 3)));
}

TEST(ExpiryRowTest, MalformedRowsAreToldApart) {
  const model::TableDef def = MakeTableDef("T");
  Arena arena;
  ExpiryRow row;
  EXPECT_FALSE(ReadExpiryRow("", def.key_schema, arena, &row));
  EXPECT_FALSE(ReadExpiryRow(std::string(20, 'x'), def.key_schema, arena, &row));
  EXPECT_FALSE(ReadExpiryRow(std::string(25, 'x') + "no end", def.key_schema, arena, &row));
}

}  // namespace
}  // namespace armature::table
