#include "table/txn/intent.h"

#include <gtest/gtest.h>

namespace armature::table {
namespace {

std::string Shown(const storage::Batch& batch) {
  std::string shown;
  batch.ForEach([&](storage::Batch::Kind kind, std::string_view key, std::string_view value) {
    shown += std::to_string(static_cast<int>(kind)) + ":" + std::string(key) + "=" + std::string(value) + " ";
  });
  return shown;
}

constexpr size_t kHeadBytes = 1 + kTransactionIdBytes + 4 + 4 + 1;  // without counts

TEST(IntentTest, WhatIsEncodedIsDecoded) {
  Intent intent{std::string(kTransactionIdBytes, 'x'), 7, 12, {}};
  intent.changes.Put("\x10item", "new");
  intent.changes.Delete("\x20row");
  intent.changes.PutNumbered("\x90", "record");
  intent.changes.Count(0, 1, 8);
  intent.changes.Count(3, -1, -5);
  const std::string bytes = intent.Encode();
  EXPECT_EQ(TransactionOfIntent(bytes), intent.transaction_id);
  const auto decoded = Intent::Decode(bytes);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->transaction_id, intent.transaction_id);
  EXPECT_EQ(decoded->action, 7u);
  EXPECT_EQ(decoded->partition_end, 12u);
  EXPECT_EQ(Shown(decoded->changes), Shown(intent.changes));
  EXPECT_EQ(decoded->changes.numbers(), 1u);
  EXPECT_EQ(decoded->changes.counts().of(0), (storage::RowCount{1, 8}));
  EXPECT_EQ(decoded->changes.counts().of(3), (storage::RowCount{-1, -5}));
}

// The form that docs/design/formats.md shows.
TEST(IntentTest, TheStoredFormOfAnItemThatWasOnlyLookedAt) {
  const Intent intent{std::string(kTransactionIdBytes, 'x'), 1, 11, {}};
  EXPECT_EQ(intent.Encode(), std::string("\x01xxxxxxxxxxxxxxxx\0\0\0\x01\0\0\0\x0b\0", 26));
}

TEST(IntentTest, WhatIsCutOffIsDamaged) {
  Intent intent{std::string(kTransactionIdBytes, 'x'), 1, 11, {}};
  intent.changes.Put("\x10item", "new");
  const std::string bytes = intent.Encode();
  for (size_t size = 0; size < bytes.size(); ++size) {
    if (size == kHeadBytes) continue;  // without changes it is one of an item that was looked at
    EXPECT_FALSE(Intent::Decode(bytes.substr(0, size))) << size;
  }
  std::string of_another_kind = bytes;
  of_another_kind[kHeadBytes] = 99;
  EXPECT_FALSE(Intent::Decode(of_another_kind));
}

TEST(TransactionRecordTest, WhatIsEncodedIsDecoded) {
  TransactionRecord record;
  record.items = {{7, "\x10one"}, {9, "\x10two"}};
  const std::string bytes = record.Encode();
  EXPECT_EQ(bytes, std::string("\x01\0\0\0\0\0\0\0\x07\x04\x10one\0\0\0\0\0\0\0\x09\x04\x10two", 27));
  const auto decoded = TransactionRecord::Decode(bytes);
  ASSERT_TRUE(decoded);
  ASSERT_EQ(decoded->items.size(), 2u);
  EXPECT_EQ(decoded->items[1].table_id, 9u);
  EXPECT_EQ(decoded->items[1].key, "\x10two");
  EXPECT_FALSE(TransactionRecord::Decode(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(TransactionRecord::Decode("\x02"));
}

}  // namespace
}  // namespace armature::table
