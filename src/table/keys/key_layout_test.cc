#include "table/keys/key_layout.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/expr_testing.h"
#include "table/keys/expiry.h"
#include "table/keys/keyspace.h"

namespace armature::table {
namespace {

const model::KeySchema kSimple{{{"pk", model::Type::kS}}, {}};
const model::KeySchema kComposite{{{"pk", model::Type::kS}}, {{"sk", model::Type::kN}}};

std::string KeyOf(const model::KeySchema& schema, std::string_view key) {
  Arena arena;
  std::string out;
  AppendItemKey(schema, expr::MakeItem(arena, key), out);
  return out;
}

std::string Hex(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) out += fmt::format("{}{:02x}", out.empty() ? "" : " ", static_cast<uint8_t>(byte));
  return out;
}

bool IsIn(const storage::KeyRange& range, std::string_view key) { return key >= range.begin && key < range.end; }

// The example of docs/design/formats.md.
TEST(KeyLayout, BytesAsDocumented) {
  EXPECT_EQ(Hex(KeyOf(kComposite, "pk=S:ab,sk=N:12.5")), "10 1d 4f d0 76 0b e7 10 5c 61 62 00 01 c1 0d 33 00");
  EXPECT_EQ(Hex(CatalogKey("1", "r", "T")), "54 31 00 72 00 54");
  EXPECT_EQ(Hex(NextTableIdKey()), "4e");
  EXPECT_EQ(Hex(CollectionSizeKey(KeyOf(kSimple, "pk=S:ab"))), "11 1d 4f d0 76 0b e7 10 5c 61 62 00 01");
  EXPECT_EQ(Hex(InSpace(Space::kIntents, KeyOf(kSimple, "pk=S:ab"))), "12 1d 4f d0 76 0b e7 10 5c 61 62 00 01");
  EXPECT_EQ(Hex(TransactionKey("xxxxxxxxxxxxxxxx")), "58 78 78 78 78 78 78 78 78 78 78 78 78 78 78 78 78");
  EXPECT_EQ(Hex(IndexBuildKey(5, 1)), "42 00 00 00 00 00 00 00 05 00 00 00 01");
  EXPECT_EQ(Hex(ExpiryBuildKey(5)), "4c 00 00 00 00 00 00 00 05");
  EXPECT_EQ(Hex(TokenKey("1")), "49 31");
  EXPECT_EQ(Hex(TokenExpiryKey(1'700'000'600'000, "1")), "45 00 00 01 8b cf ee 8f c0 31");
  EXPECT_EQ(Hex(JournalRowKey(7)), "90 00 00 00 00 00 00 00 07");
  EXPECT_EQ(Hex(JournalCursorKey("r", 2)), "91 72 00 00 00 00 00 00 00 00 02");
}

// The example of docs/design/formats.md.
TEST(Keyspace, BytesOfAnIndexRowAsDocumented) {
  model::TableDef table;
  table.id = 5;
  table.key_schema = {{{"id", model::Type::kS}}, {}};
  model::IndexDef index;
  index.id = 1;
  index.key_schema = kSimple;
  Arena arena;
  const model::Item item = expr::MakeItem(arena, "id=S:x,pk=S:ab");
  std::string row_key;
  AppendRowKey(IndexKeyspace(table, index), item, row_key);
  EXPECT_EQ(Hex(row_key), "30 1d 4f d0 76 0b e7 10 5c 61 62 00 01 78 00 01");
  index.kind = model::IndexKind::kLocal;
  row_key.clear();
  AppendRowKey(IndexKeyspace(table, index), item, row_key);
  EXPECT_EQ(Hex(row_key), "20 00 00 00 01 1d 4f d0 76 0b e7 10 5c 61 62 00 01 78 00 01");
}

TEST(KeyLayout, ItemsOfAPartitionKeyLieTogetherInSortOrder) {
  const std::vector<std::string> numbers = {"-12.5", "-3", "-0.001", "0", "0.001", "2", "10", "1000", "1e100"};
  std::map<std::string, std::pair<std::string, size_t>> by_key;  // storage key -> partition key, rank of the sort key
  for (int p = 0; p < 50; ++p)
    for (size_t rank = 0; rank < numbers.size(); ++rank)
      by_key[KeyOf(kComposite, fmt::format("pk=S:p{},sk=N:{}", p, numbers[rank]))] = {fmt::format("p{}", p), rank};
  ASSERT_EQ(by_key.size(), 50 * numbers.size());

  std::map<std::string, size_t> runs;
  std::string last;
  size_t expected_rank = 0;
  for (const auto& [key, item] : by_key) {
    if (item.first != last) {
      ++runs[item.first];
      expected_rank = 0;
      last = item.first;
    }
    EXPECT_EQ(item.second, expected_rank++) << item.first;
  }
  for (const auto& [partition_key, count] : runs) EXPECT_EQ(count, 1u) << partition_key << " is torn apart";
}

TEST(KeyLayout, APartitionKeyIsNoPrefixOfAnother) {
  const std::vector<std::string> keys = {"a", "ab", "abc", "b"};
  for (const auto& a : keys)
    for (const auto& b : keys)
      if (a != b) {
        EXPECT_FALSE(KeyOf(kSimple, "pk=S:" + b).starts_with(KeyOf(kSimple, "pk=S:" + a))) << a << " " << b;
      }
  // All sort keys of a partition key lie behind the bytes that the partition key alone has.
  EXPECT_TRUE(KeyOf(kComposite, "pk=S:a,sk=N:7").starts_with(KeyOf(kSimple, "pk=S:a")));
}

TEST(KeyLayout, ScanOrderIsHashOrder) {
  std::vector<std::pair<std::string, uint64_t>> keys;
  for (int p = 0; p < 100; ++p) {
    const std::string encoded = fmt::format("p{}", p) + std::string("\0\1", 2);
    keys.emplace_back(KeyOf(kSimple, fmt::format("pk=S:p{}", p)), PartitionHash(encoded));
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_TRUE(
      std::is_sorted(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.second < b.second; }));
}

// storage/partition.h: what belongs to hashes lies below, what belongs to the partition from 0x80 on.
TEST(KeyLayout, SpacesSayWhatAKeyBelongsTo) {
  const std::string item = KeyOf(kComposite, "pk=S:a,sk=N:7");
  const uint64_t hash = HashOfItemKey(item);
  for (const std::string& key : {item, CollectionSizeKey(item), ExpiryRowKey(1700000000, item)}) {
    uint64_t found = 0;
    EXPECT_TRUE(storage::IsOfHash(key));
    EXPECT_TRUE(storage::FindHash(key, &found));
    EXPECT_EQ(found, hash);
    EXPECT_TRUE(IsIn(AllOfHashes(), key));
  }
  for (const std::string& key : {JournalRowKey(9), JournalCursorKey("reader", 1)}) {
    EXPECT_FALSE(storage::IsOfHash(key));
    EXPECT_FALSE(IsIn(AllOfHashes(), key));
  }
}

TEST(KeyLayout, CatalogueRecordsComeByAccountRegionAndName) {
  const std::vector<std::string> in_order = {
      CatalogKey("1", "eu", "a"), CatalogKey("1", "eu", "a-b"), CatalogKey("1", "eu", "ab"),
      CatalogKey("1", "eu", "b"), CatalogKey("1", "eu1", "a"),  CatalogKey("1", "us", "A"),
      CatalogKey("1", "us", "a"), CatalogKey("10", "eu", "a"),  CatalogKey("2", "eu", "a")};
  EXPECT_TRUE(std::is_sorted(in_order.begin(), in_order.end()));
  for (const auto& key : in_order) EXPECT_TRUE(IsIn(CatalogRange(), key));
  EXPECT_FALSE(IsIn(CatalogRange(), NextTableIdKey()));
}

}  // namespace
}  // namespace armature::table
