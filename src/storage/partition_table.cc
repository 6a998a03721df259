#include "storage/partition_table.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/bytes.h"

namespace armature::storage {
namespace {

constexpr uint8_t kRecordVersion = 1;

Status Unknown(PartitionId id) { return Status::NotFound(fmt::format("no partition {}", id)); }

}  // namespace

PartitionTable::PartitionTable() { Put({kSystemPartition, 0, {}}); }

Status PartitionTable::Refuse(PartitionId id, Epoch epoch) const {
  const PartitionInfo* info = Find(id);
  if (info == nullptr) return Unknown(id);
  return Status::Fenced(fmt::format("partition {} is at epoch {}, the commit at {}", id, info->epoch, epoch));
}

std::vector<PartitionInfo> PartitionTable::List() const {
  std::vector<PartitionInfo> list;
  list.reserve(partitions_.size());
  for (const auto& [id, info] : partitions_) list.push_back(info);
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return list;
}

const PartitionInfo* PartitionTable::Find(PartitionId id) const {
  auto found = partitions_.find(id);
  return found == partitions_.end() ? nullptr : &found->second;
}

void PartitionTable::Put(PartitionInfo info) { partitions_.insert_or_assign(info.id, std::move(info)); }
void PartitionTable::Erase(PartitionId id) { partitions_.erase(id); }

Status PartitionTable::CheckCreate(const PartitionInfo& info) const {
  if (const PartitionInfo* known = Find(info.id)) {
    // Asked again after an error whose write survived: the caller has what it wanted.
    if (known->epoch == info.epoch && known->range.begin == info.range.begin && known->range.end == info.range.end)
      return {};
    return Status::InvalidArgument(fmt::format("partition {} exists already", info.id));
  }
  if (!info.range.end.empty() && info.range.end <= info.range.begin)
    return Status::InvalidArgument(fmt::format("partition {} has an empty range", info.id));
  return {};
}

Status PartitionTable::CheckDrop(PartitionId id) const {
  if (id == kSystemPartition) return Status::InvalidArgument("the system partition cannot be dropped");
  return Find(id) ? Status::Ok() : Unknown(id);
}

Result<PartitionTable::Halves> PartitionTable::PlanSplit(PartitionId id, std::string_view at,
                                                         PartitionId new_id) const {
  const PartitionInfo* old = Find(id);
  if (old == nullptr) return Unknown(id);
  if (Find(new_id)) return Status::InvalidArgument(fmt::format("partition {} exists already", new_id));
  if (at <= old->range.begin || (!old->range.end.empty() && at >= old->range.end))
    return Status::InvalidArgument(fmt::format("partition {} cannot be split outside its range", id));
  Halves halves{*old, *old};
  halves.low.range.end = at;
  halves.high.id = new_id;
  halves.high.range.begin = at;
  return halves;
}

Result<PartitionInfo> PartitionTable::PlanFence(PartitionId id, Epoch epoch) const {
  const PartitionInfo* old = Find(id);
  if (old == nullptr) return Unknown(id);
  // A take-over with an old epoch is itself refused: two claimants cannot both win.
  if (epoch < old->epoch) return Refuse(id, epoch);
  PartitionInfo fenced = *old;
  fenced.epoch = epoch;
  return fenced;
}

std::string EncodePartition(const PartitionInfo& info) {
  std::string record;
  AppendByte(record, kRecordVersion);
  AppendVarint(record, info.epoch);
  AppendLengthPrefixed(record, info.range.begin);
  AppendLengthPrefixed(record, info.range.end);
  return record;
}

Result<PartitionInfo> DecodePartition(PartitionId id, std::string_view record) {
  ByteReader reader(record);
  if (const uint8_t version = reader.Byte(); reader.ok() && version != kRecordVersion)
    return Status::Format(
        fmt::format("partition {} has record version {}, this program knows {}", id, version, kRecordVersion));
  PartitionInfo info;
  info.id = id;
  info.epoch = reader.Varint();
  info.range.begin = reader.LengthPrefixed();
  info.range.end = reader.LengthPrefixed();
  if (!reader.ok() || !reader.at_end()) return Status::Corruption(fmt::format("record of partition {} is damaged", id));
  return info;
}

}  // namespace armature::storage
