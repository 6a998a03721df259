#include "storage/partition_table.h"

#include <algorithm>
#include <tuple>

#include <fmt/core.h>

#include "base/bytes.h"

namespace armature::storage {
namespace {

constexpr uint8_t kRecordVersion = 2;
constexpr uint8_t kEndedFlag = 0x01;
constexpr uint64_t kIdLimit = uint64_t{1} << 56;

Status Unknown(PartitionId id) { return Status::NotFound(fmt::format("no partition {}", id)); }
Status Exists(PartitionId id) { return Status::InvalidArgument(fmt::format("partition {} exists already", id)); }

}  // namespace

PartitionTable::PartitionTable() : system_(std::make_shared<EmbeddedPartition>(PartitionInfo{}, 0)) {
  WriteLock lock(mutex_);
  partitions_.emplace(kSystemPartition, system_);
}

std::vector<PartitionInfo> PartitionTable::List() const {
  std::vector<PartitionInfo> list;
  list.reserve(partitions_.size());
  for (const auto& [id, partition] : partitions_) list.push_back(partition->info());
  return list;
}

const PartitionInfo* PartitionTable::Find(PartitionId id) const {
  const auto found = partitions_.find(id);
  return found == partitions_.end() ? nullptr : &found->second->info();
}

std::shared_ptr<EmbeddedPartition> PartitionTable::Handle(PartitionId id) const {
  const auto found = partitions_.find(id);
  return found == partitions_.end() ? nullptr : found->second;
}

bool PartitionTable::IsLastOf(PartitionId id) const {
  const KeyspaceId keyspace = Find(id)->keyspace;
  return std::none_of(partitions_.begin(), partitions_.end(), [&](const auto& entry) {
    const PartitionInfo& info = entry.second->info();
    return info.id != id && info.id != kSystemPartition && info.keyspace == keyspace && !info.is_ended;
  });
}

Status PartitionTable::CheckCreate(const PartitionInfo& info) const {
  if (const PartitionInfo* known = Find(info.id)) {
    // Asked again after an error whose write survived: the caller has what it wanted.
    return *known == info ? Status() : Exists(info.id);
  }
  if (info.hashes.first > info.hashes.last || info.is_ended || info.id >= kIdLimit || info.keyspace >= kIdLimit)
    return Status::InvalidArgument(fmt::format("partition {} cannot be", info.id));
  return {};
}

Status PartitionTable::CheckDrop(PartitionId id) const {
  if (id == kSystemPartition) return Status::InvalidArgument("the system partition cannot be dropped");
  return Find(id) ? Status::Ok() : Unknown(id);
}

Result<PartitionTable::Split> PartitionTable::PlanSplit(PartitionId id, uint64_t at, PartitionId low,
                                                        PartitionId high) const {
  const PartitionInfo* old = Find(id);
  if (old == nullptr) return Unknown(id);
  if (Find(low)) return Exists(low);
  if (Find(high) || low == high) return Exists(high);
  if (id == kSystemPartition || old->is_ended || at <= old->hashes.first || at > old->hashes.last)
    return Status::InvalidArgument(fmt::format("partition {} cannot be split at {:016x}", id, at));
  const std::shared_ptr<EmbeddedPartition> parent = Handle(id);
  Split split{*old, *old, *old, parent->newest(), {}, {}};
  split.ended.is_ended = true;
  split.low.id = low;
  split.low.hashes.last = at - 1;
  split.high.id = high;
  split.high.hashes.first = at;
  // Nothing is read: hashes spread rows evenly.
  const double whole = static_cast<double>(old->hashes.last - old->hashes.first) + 1.0;
  std::tie(split.of_low, split.of_high) = Divide(parent->counts(), static_cast<double>(at - old->hashes.first) / whole);
  return split;
}

Result<PartitionInfo> PartitionTable::PlanOpen(PartitionId id, Epoch epoch) const {
  const PartitionInfo* old = Find(id);
  if (old == nullptr) return Unknown(id);
  // A take-over with an old epoch is itself refused: two claimants cannot both win.
  if (epoch < old->epoch)
    return Status::Fenced(fmt::format("partition {} is at epoch {}, which is above {}", id, old->epoch, epoch));
  PartitionInfo opened = *old;
  opened.epoch = epoch;
  return opened;
}

void PartitionTable::Put(const PartitionInfo& info, Sequence newest, const Counts& counts) {
  partitions_.insert_or_assign(info.id, std::make_shared<EmbeddedPartition>(info, newest, counts));
}

void PartitionTable::Change(const PartitionInfo& info) {
  std::shared_ptr<EmbeddedPartition>& known = partitions_.at(info.id);
  if (known->info() == info) return;
  // What has ended has nothing left to count.
  auto changed = std::make_shared<EmbeddedPartition>(info, known->newest(), info.is_ended ? Counts() : known->counts());
  known->Kill();
  known = std::move(changed);
}

void PartitionTable::Apply(const Split& split) {
  Change(split.ended);
  Put(split.low, split.newest, split.of_low);
  Put(split.high, split.newest, split.of_high);
}

void PartitionTable::Erase(PartitionId id) {
  const auto found = partitions_.find(id);
  if (found == partitions_.end()) return;
  found->second->Drop();
  partitions_.erase(found);
}

std::string EncodePartition(const PartitionInfo& info) {
  std::string record;
  AppendByte(record, kRecordVersion);
  AppendByte(record, info.is_ended ? kEndedFlag : 0);
  AppendVarint(record, info.keyspace);
  AppendVarint(record, info.epoch);
  AppendBigEndian(record, info.hashes.first);
  AppendBigEndian(record, info.hashes.last);
  return record;
}

Result<PartitionInfo> DecodePartition(PartitionId id, std::string_view record) {
  ByteReader reader(record);
  if (const uint8_t version = reader.Byte(); reader.ok() && version != kRecordVersion)
    return Status::Format(
        fmt::format("partition {} has record version {}, this program knows {}", id, version, kRecordVersion));
  PartitionInfo info;
  info.id = id;
  const uint8_t flags = reader.Byte();
  info.is_ended = (flags & kEndedFlag) != 0;
  info.keyspace = reader.Varint();
  info.epoch = reader.Varint();
  info.hashes.first = reader.BigEndian<uint64_t>();
  info.hashes.last = reader.BigEndian<uint64_t>();
  if (!reader.ok() || !reader.at_end() || (flags & ~kEndedFlag) != 0 || info.hashes.first > info.hashes.last)
    return Status::Corruption(fmt::format("record of partition {} is damaged", id));
  return info;
}

}  // namespace armature::storage
