#include "server/dax/list_records.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/async.h"
#include "base/bytes.h"
#include "storage/batch.h"
#include "table/keys/key_layout.h"
#include "table/system_records.h"

namespace armature::server {

namespace {

constexpr uint8_t kVersionWithoutAccount = 1;
constexpr uint8_t kVersion = 2;

std::string Encode(const dax::AttributeList& list) {
  std::string record;
  AppendByte(record, kVersion);
  AppendLengthPrefixed(record, list.account);
  AppendVarint(record, list.names.size());
  for (const std::string& name : list.names) AppendLengthPrefixed(record, name);
  return record;
}

Result<dax::AttributeList> Decode(std::string_view record, uint64_t place, const std::string& own_account) {
  ByteReader reader(record);
  const uint8_t version = reader.Byte();
  if (version > kVersion)
    return Status::Format(fmt::format("the record of DAX's attribute list {} is of a newer form", place));
  dax::AttributeList list{own_account, {}};
  if (version != kVersionWithoutAccount) list.account = reader.LengthPrefixed();
  for (uint64_t left = reader.Varint(); left > 0 && reader.ok(); --left)
    list.names.emplace_back(reader.LengthPrefixed());
  if (!reader.ok() || !reader.at_end() || version == 0)
    return Status::Corruption(fmt::format("the record of DAX's attribute list {} is damaged", place));
  return list;
}

}  // namespace

// A list that cannot be read stops the start: its number would be given to another, and items be shown under wrong
// names.
Result<std::vector<dax::AttributeList>> ListRecords::Load() {
  const storage::KeyRange range = table::DaxListRange();
  storage::ScanOp scan;
  BlockingExecutor executor;
  if (Status status = executor.Run(table::ReadSystemRecords(engine_, range, scan)); !status.ok()) return status;
  std::vector<dax::AttributeList> lists;
  for (const auto& row : scan.rows) {
    if (row.key != table::DaxListKey(lists.size()))
      return Status::Corruption(fmt::format("the record of DAX's attribute list {} is missing", lists.size()));
    ARMATURE_TRY(dax::AttributeList list, Decode(row.value, lists.size(), own_account_));
    lists.push_back(std::move(list));
  }
  next_place_ = lists.size();
  return lists;
}

Status ListRecords::Append(std::span<const std::shared_ptr<const dax::AttributeList>> lists) {
  storage::Batch batch;
  uint64_t place = next_place_;
  for (const auto& list : lists) batch.Put(table::DaxListKey(place++), Encode(*list));
  BlockingExecutor executor;
  Status status = executor.Run(table::WriteSystemRecordsDurably(engine_, batch));
  if (status.ok()) next_place_ = place;
  return status;
}

}  // namespace armature::server
