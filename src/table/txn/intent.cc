#include "table/txn/intent.h"

#include "base/bytes.h"

namespace armature::table {

namespace {
constexpr uint8_t kVersion = 1;
}  // namespace

std::string Intent::Encode() const {
  std::string bytes;
  AppendByte(bytes, kVersion);
  bytes += transaction_id;
  AppendBigEndian(bytes, action);
  AppendBigEndian(bytes, partition_end);
  std::string counts;
  storage::AppendCounts(changes.counts(), counts);
  AppendLengthPrefixed(bytes, counts);
  bytes += changes.data();
  return bytes;
}

Result<Intent> Intent::Decode(std::string_view bytes) {
  Intent intent;
  ByteReader reader(bytes);
  const bool is_known = reader.Byte() == kVersion;
  intent.transaction_id = reader.Bytes(kTransactionIdBytes);
  intent.action = reader.BigEndian<uint32_t>();
  intent.partition_end = reader.BigEndian<uint32_t>();
  ByteReader counts(reader.LengthPrefixed());
  storage::ReadCounts(counts).ForEach(
      [&](uint32_t slot, const storage::RowCount& count) { intent.changes.Count(slot, count.rows, count.bytes); });
  if (is_known && reader.ok() && counts.ok() && intent.changes.Append(reader.Bytes(reader.remaining()))) return intent;
  return Status::Corruption("an intent of a transaction is damaged");
}

std::string_view TransactionOfIntent(std::string_view bytes) {
  return bytes.size() < 1 + kTransactionIdBytes ? std::string_view() : bytes.substr(1, kTransactionIdBytes);
}

std::string TransactionRecord::Encode() const {
  std::string bytes;
  AppendByte(bytes, kVersion);
  for (const Item& item : items) {
    AppendBigEndian(bytes, item.table_id);
    AppendLengthPrefixed(bytes, item.key);
  }
  return bytes;
}

Result<TransactionRecord> TransactionRecord::Decode(std::string_view bytes) {
  TransactionRecord record;
  ByteReader reader(bytes);
  const bool is_known = reader.Byte() == kVersion;
  while (reader.ok() && !reader.at_end()) {
    const auto table_id = reader.BigEndian<uint64_t>();
    record.items.push_back({table_id, std::string(reader.LengthPrefixed())});
  }
  if (!is_known || !reader.ok()) return Status::Corruption("the record of a transaction is damaged");
  return record;
}

}  // namespace armature::table
