// Which items expire when, and the rows that say so.
#include "table/expiry.h"

#include <memory>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "expr/expr_testing.h"
#include "table/key_layout.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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

// The changes of a batch, one line each: "+ 1700000000 pk=S:a" for a row that is put, "-" for one deleted.
std::vector<std::string> ShowRows(const storage::Batch& batch, const model::KeySchema& schema) {
  std::vector<std::string> shown;
  batch.ForEach([&](storage::Batch::Kind kind, std::string_view key, std::string_view value) {
    Arena arena;
    ExpiryRow row;
    ASSERT_TRUE(ReadExpiryRow(key, schema, arena, &row));
    EXPECT_TRUE(value.empty());
    shown.push_back(fmt::format("{} {} {}", kind == storage::Batch::Kind::kPut ? "+" : "-", row.expiry_seconds,
                                expr::Show(row.key)));
  });
  return shown;
}

class ExpiryChangesTest : public testing::Test {
 protected:
  // "(none)": there is no item.
  std::vector<std::string> Changes(std::string_view old_item, std::string_view new_item) {
    model::TableDef def = MakeTableDef("T", /*has_sort_key=*/true);
    def.id = 7;
    def.ttl = {status_, "ttl", 0};
    const TableSchema schema(std::make_shared<const model::TableDef>(def), nullptr);
    const std::string prefix = TablePrefix(def.id);
    const model::Item before = expr::MakeItem(arena_, old_item == "(none)" ? "" : old_item);
    const model::Item after = expr::MakeItem(arena_, new_item == "(none)" ? "" : new_item);
    std::string key;
    AppendItemKey(prefix, def.key_schema, before.empty() ? after : before, key);
    storage::Batch batch;
    noted_ = AppendExpiryChanges(schema, prefix, key, before.empty() ? nullptr : &before,
                                 after.empty() ? nullptr : &after, batch);
    return ShowRows(batch, def.key_schema);
  }

  Arena arena_;
  model::TtlStatus status_ = model::TtlStatus::kEnabled;
  std::optional<int64_t> noted_;
};

TEST_F(ExpiryChangesTest, RowsFollowTheAttribute) {
  EXPECT_THAT(Changes("(none)", "pk=S:a,sk=N:1,ttl=N:100"), ElementsAre("+ 100 pk=S:a,sk=N:1"));
  EXPECT_EQ(noted_, 100);
  EXPECT_THAT(Changes("pk=S:a,sk=N:1,ttl=N:100", "pk=S:a,sk=N:1,ttl=N:99.5,x=S:y"), IsEmpty());
  EXPECT_EQ(noted_, std::nullopt);
  EXPECT_THAT(Changes("pk=S:a,sk=N:1,ttl=N:100", "pk=S:a,sk=N:1,ttl=N:200"),
              ElementsAre("- 100 pk=S:a,sk=N:1", "+ 200 pk=S:a,sk=N:1"));
  EXPECT_THAT(Changes("pk=S:a,sk=N:1,ttl=N:100", "pk=S:a,sk=N:1,ttl=S:200"), ElementsAre("- 100 pk=S:a,sk=N:1"));
  EXPECT_THAT(Changes("pk=S:a,sk=N:1,ttl=N:100", "(none)"), ElementsAre("- 100 pk=S:a,sk=N:1"));
  EXPECT_THAT(Changes("pk=S:a,sk=N:1", "pk=S:a,sk=N:1,ttl=S:200"), IsEmpty());
}

TEST_F(ExpiryChangesTest, WhileRowsAreMadeUnchangedOnesArePutAgain) {
  status_ = model::TtlStatus::kEnabling;
  EXPECT_THAT(Changes("pk=S:a,sk=N:1,ttl=N:100", "pk=S:a,sk=N:1,ttl=N:100"), ElementsAre("+ 100 pk=S:a,sk=N:1"));
  EXPECT_THAT(Changes("pk=S:a,sk=N:1", "pk=S:a,sk=N:1"), IsEmpty());
}

TEST(ExpiryRowTest, BytesAsDocumented) {
  const model::TableDef def = MakeTableDef("T");
  Arena arena;
  const std::string prefix = TablePrefix(7);
  std::string item_key;
  AppendItemKey(prefix, def.key_schema, expr::MakeItem(arena, "pk=S:a"), item_key);
  const std::string row = ExpiryRowKey(prefix, 0x65536b80, item_key);
  EXPECT_EQ(row.substr(0, 8), prefix);
  EXPECT_EQ(row.substr(8, 9), std::string_view("\x50\0\0\0\0\x65\x53\x6b\x80", 9));
  EXPECT_EQ(row.substr(17), item_key.substr(9));
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
