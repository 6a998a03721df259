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

constexpr uint8_t kVersion = 1;

std::string Encode(const dax::AttributeNames& names) {
  std::string record;
  AppendByte(record, kVersion);
  AppendVarint(record, names.size());
  for (const std::string& name : names) AppendLengthPrefixed(record, name);
  return record;
}

Result<dax::AttributeNames> Decode(std::string_view record, uint64_t place) {
  ByteReader reader(record);
  if (reader.Byte() != kVersion)
    return Status::Format(fmt::format("the record of DAX's attribute list {} is of a newer form", place));
  dax::AttributeNames names;
  for (uint64_t left = reader.Varint(); left > 0 && reader.ok(); --left) names.emplace_back(reader.LengthPrefixed());
  if (!reader.ok() || !reader.at_end())
    return Status::Corruption(fmt::format("the record of DAX's attribute list {} is damaged", place));
  return names;
}

}  // namespace

// A list that cannot be read stops the start: its number would be given to another, and items be shown under wrong
// names.
Result<std::vector<dax::AttributeNames>> ListRecords::Load() {
  const storage::KeyRange range = table::DaxListRange();
  storage::ScanOp scan;
  BlockingExecutor executor;
  if (Status status = executor.Run(table::ReadSystemRecords(engine_, range, scan)); !status.ok()) return status;
  std::vector<dax::AttributeNames> lists;
  for (const auto& row : scan.rows) {
    if (row.key != table::DaxListKey(lists.size()))
      return Status::Corruption(fmt::format("the record of DAX's attribute list {} is missing", lists.size()));
    ARMATURE_TRY(dax::AttributeNames names, Decode(row.value, lists.size()));
    lists.push_back(std::move(names));
  }
  next_place_ = lists.size();
  return lists;
}

Status ListRecords::Append(std::span<const std::shared_ptr<const dax::AttributeNames>> lists) {
  storage::Batch batch;
  uint64_t place = next_place_;
  for (const auto& names : lists) batch.Put(table::DaxListKey(place++), Encode(*names));
  BlockingExecutor executor;
  Status status = executor.Run(table::WriteSystemRecordsDurably(engine_, batch));
  if (status.ok()) next_place_ = place;
  return status;
}

}  // namespace armature::server
