#include "table/index/index_changes.h"

#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/expr_testing.h"
#include "table/keys/expiry.h"
#include "table/keys/key_layout.h"
#include "table/table_testing.h"

namespace armature::table {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

model::IndexDef MakeIndex(std::string_view name, uint32_t id, model::IndexKind kind, model::KeySchema key,
                          model::ProjectionType projection, std::vector<std::string> included = {}) {
  model::IndexDef index;
  index.name = name;
  index.id = id;
  index.kind = kind;
  index.key_schema = std::move(key);
  index.projection.type = projection;
  index.projection.non_key_attributes = std::move(included);
  return index;
}

// Table pk/sk with a global index on g (everything projected), a global one on g and h (keys only), a local one on l
// (with attribute i included).
class IndexChangesTest : public testing::Test {
 protected:
  IndexChangesTest() {
    model::TableDef def = MakeTableDef("T", /*has_sort_key=*/true);
    def.id = 1;
    for (const auto* name : {"g", "h", "l"}) def.attribute_definitions.push_back({name, model::Type::kS});
    def.indexes.push_back(
        MakeIndex("all", 1, model::IndexKind::kGlobal, {{{"g", model::Type::kS}}, {}}, model::ProjectionType::kAll));
    def.indexes.push_back(MakeIndex("keys", 2, model::IndexKind::kGlobal,
                                    {{{"g", model::Type::kS}}, {{"h", model::Type::kS}}},
                                    model::ProjectionType::kKeysOnly));
    def.indexes.push_back(MakeIndex("local", 3, model::IndexKind::kLocal,
                                    {{{"pk", model::Type::kS}}, {{"l", model::Type::kS}}},
                                    model::ProjectionType::kInclude, {"i"}));
    schema_ = std::make_unique<TableSchema>(std::make_shared<model::TableDef>(def), nullptr);
  }

  // "index:units/items" of every index the change from `before` to `after` is charged to; "" is no item.
  std::string Charges(const std::string& before, const std::string& after) {
    std::vector<IndexCharge> charges;
    const model::Item old_item = expr::MakeItem(arena_, before.empty() ? "" : kKey + before);
    const model::Item new_item = expr::MakeItem(arena_, after.empty() ? "" : kKey + after);
    struct BatchOfEach final : IndexBatches {
      storage::Batch& For(const IndexSchema& index, std::string_view, std::shared_ptr<Partition>&) override {
        return batches[&index];
      }
      std::map<const IndexSchema*, storage::Batch> batches;
    } batches;
    AppendIndexChanges(*schema_, before.empty() ? nullptr : &old_item, after.empty() ? nullptr : &new_item, arena_,
                       batches, charges);
    std::string text;
    rows_changed_ = 0;
    for (const auto& charge : charges) {
      const storage::Batch& batch = batches.batches[charge.index];
      const storage::RowCount counted = batch.counts().of(charge.index->count_slot());
      text += fmt::format("{}{}:{}/{:+}", text.empty() ? "" : " ", charge.index->def->name, charge.write_units,
                          counted.rows);
      rows_changed_ += batch.count();
    }
    return text;
  }
  std::string Check(const std::string& before, const std::string& after, bool is_update) {
    const model::Item old_item = expr::MakeItem(arena_, before.empty() ? "" : kKey + before);
    const auto checked =
        CheckIndexKeys(*schema_, before.empty() ? nullptr : &old_item, expr::MakeItem(arena_, kKey + after), is_update);
    return checked ? "ok" : checked.error().message;
  }

  const std::string kKey = "pk=S:a,sk=N:1,";
  Arena arena_;
  std::unique_ptr<TableSchema> schema_;
  size_t rows_changed_ = 0;
};

TEST_F(IndexChangesTest, AnItemIsInAnIndexOnlyWithAllItsKeyAttributes) {
  EXPECT_EQ(Charges("", "x=N:1"), "");
  EXPECT_EQ(rows_changed_, 0u);
  EXPECT_EQ(Charges("", "g=S:g"), "all:1/+1");
  EXPECT_EQ(Charges("", "h=S:h"), "");
  EXPECT_EQ(Charges("", "g=S:g,h=S:h,l=S:l"), "all:1/+1 keys:1/+1 local:1/+1");
  EXPECT_EQ(Charges("g=S:g,h=S:h", "g=S:g"), "all:1/+0 keys:1/-1");
  EXPECT_EQ(Charges("g=S:g,h=S:h,l=S:l", ""), "all:1/-1 keys:1/-1 local:1/-1");
}

TEST_F(IndexChangesTest, AnUnchangedEntryIsNeitherWrittenNorCharged) {
  EXPECT_EQ(Charges("g=S:g,h=S:h,x=N:1", "g=S:g,h=S:h,x=N:2"), "all:1/+0");
  EXPECT_EQ(rows_changed_, 1u);
  EXPECT_EQ(Charges("l=S:l,x=N:1", "l=S:l,x=N:2"), "");
  EXPECT_EQ(Charges("l=S:l,i=N:1", "l=S:l,i=N:2"), "local:1/+0");
  EXPECT_EQ(Charges("g=S:g,s=SS[a,b],n=N:1.0", "g=S:g,s=SS[b,a],n=N:1"), "");
  EXPECT_EQ(rows_changed_, 0u);
}

TEST_F(IndexChangesTest, ChargesAreOfTheProjectedEntryRoundedUp) {
  const std::string large = ",x=S:" + std::string(2500, 'x');  // three units
  EXPECT_EQ(Charges("", "g=S:g,h=S:h" + large), "all:3/+1 keys:1/+1");
  EXPECT_EQ(Charges("g=S:g" + large, "g=S:g,x=N:1"), "all:3/+0") << "same key: the larger of the two";
  EXPECT_EQ(Charges("g=S:g" + large, "g=S:other" + large), "all:6/+0") << "moved: both";
  EXPECT_EQ(rows_changed_, 2u);
  EXPECT_EQ(Charges("g=S:g" + large, ""), "all:3/-1");
}

TEST_F(IndexChangesTest, IndexKeysOfTheWrongKindAreRefused) {
  EXPECT_EQ(Check("", "x=N:1", false), "ok");
  EXPECT_EQ(
      Check("", "g=N:1", false),
      "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S Actual: N IndexName: all");
  EXPECT_EQ(Check("", "l=NULL", false),
            "One or more parameter values were invalid: Type mismatch for Index Key l Expected: S Actual: NULL "
            "IndexName: local");
  EXPECT_EQ(
      Check("", "h=S:", false),
      "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The "
      "AttributeValue for a key attribute cannot contain an empty string value. IndexName: keys, IndexKey: h");
  EXPECT_EQ(Check("", "h=S:" + std::string(1024, 'x'), false), "ok");
  EXPECT_EQ(Check("", "h=S:" + std::string(1025, 'x'), false),
            "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit "
            "of 1024 "
            "bytes");
}

TEST_F(IndexChangesTest, AnUpdateIsHeldOnlyToWhatItChanges) {
  EXPECT_EQ(Check("g=N:1", "g=N:1,x=N:2", true), "ok");
  EXPECT_EQ(Check("g=N:1", "g=N:2", true),
            "The update expression attempted to update the secondary index key to unsupported type");
  EXPECT_EQ(
      Check("g=S:a", "g=S:", true),
      "One or more parameter values are not valid. The update expression attempted to update a secondary index key to "
      "a "
      "value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value.");
  EXPECT_EQ(
      Check("g=N:1", "g=N:1,x=N:2", false),
      "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S Actual: N IndexName: all");
}

TEST_F(IndexChangesTest, LocalEntriesCountAgainstTheItemSize) {
  const model::Item item = expr::MakeItem(arena_, kKey + "l=S:l,i=S:" + std::string(1000, 'x') + ",y=N:1");
  // pk a, sk 1, l l, i xxx…: names and values.
  EXPECT_EQ(LocalEntriesSize(*schema_, item, arena_), 3 + 4 + 2 + 1001u);
  const model::Item large = expr::MakeItem(arena_, kKey + "l=S:l,i=S:" + std::string(210'000, 'x'));
  EXPECT_FALSE(CheckIndexedItem(*schema_, nullptr, large, 210'010, false, arena_));
  const model::Item outside = expr::MakeItem(arena_, kKey + "i=S:" + std::string(210'000, 'x'));
  EXPECT_TRUE(CheckIndexedItem(*schema_, nullptr, outside, 210'008, false, arena_)) << "not in the index";
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
    const model::Item before = expr::MakeItem(arena_, old_item == "(none)" ? "" : old_item);
    const model::Item after = expr::MakeItem(arena_, new_item == "(none)" ? "" : new_item);
    std::string key;
    AppendItemKey(def.key_schema, before.empty() ? after : before, key);
    storage::Batch batch;
    noted_ =
        AppendExpiryChanges(schema, key, before.empty() ? nullptr : &before, after.empty() ? nullptr : &after, batch);
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

}  // namespace
}  // namespace armature::table
