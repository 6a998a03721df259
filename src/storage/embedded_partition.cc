#include "storage/embedded_partition.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/bytes.h"

namespace armature::storage {
namespace {

constexpr char kSystemKeys = 0x01;
constexpr char kHashKeys = 0x02;
constexpr char kOwnKeys = 0x03;

std::string Prefix(char kind, uint64_t id) {
  std::string prefix;
  AppendBigEndian(prefix, id);
  prefix[0] = kind;  // ids have seven bytes
  return prefix;
}

}  // namespace

EmbeddedPartition::EmbeddedPartition(const PartitionInfo& info, Sequence newest_commit, const Counts& counts)
    : OpenPartition(info, newest_commit, counts),
      of_hashes_(is_system() ? std::string(1, kSystemKeys) : Prefix(kHashKeys, info.keyspace)),
      own_(is_system() ? std::string(1, kSystemKeys) : Prefix(kOwnKeys, info.id)) {}

std::string BehindPrefix(std::string_view prefix) {
  std::string end(prefix);
  while (static_cast<uint8_t>(end.back()) == 0xFF) end.pop_back();
  ++end.back();
  return end;
}

EmbeddedPartition::Stored EmbeddedPartition::StoredRange(std::string_view begin, std::string_view end) const {
  Stored stored;
  const std::string_view prefix = PrefixOf(begin);
  stored.prefix_size = prefix.size();
  stored.range.begin.append(prefix).append(begin);
  if (end.empty()) {
    const auto space = begin.substr(0, is_system() ? 0 : 1);
    stored.range.end = BehindPrefix(std::string(prefix).append(space));
  } else {
    stored.range.end.append(prefix).append(end);
  }
  if (!is_system() && IsOfHash(begin) && !info().hashes.is_all()) {
    // Up to the hash all keys of the range are the same: then the partition's are in one piece.
    const size_t offset = HashOffset(static_cast<uint8_t>(begin[0]));
    if (begin.size() >= offset && (end.empty() ? offset == 1 : end.starts_with(begin.substr(0, offset)))) {
      std::string first(prefix);
      first.append(begin.substr(0, offset));
      std::string last = first;
      AppendBigEndian(first, info().hashes.first);
      AppendBigEndian(last, info().hashes.last);
      stored.range.begin = std::max(stored.range.begin, first);
      stored.range.end = std::min(stored.range.end, BehindPrefix(last));
    } else {
      stored.must_look = true;
    }
  }
  stored.is_empty = stored.range.begin >= stored.range.end;
  return stored;
}

KeyRange RowsOfHashes(KeyspaceId keyspace) {
  std::string prefix = Prefix(kHashKeys, keyspace);
  std::string end = BehindPrefix(prefix);
  return {std::move(prefix), std::move(end)};
}

std::vector<KeyRange> EmbeddedPartition::RangesToDrop(bool is_last) const {
  std::vector<KeyRange> ranges{{own_, BehindPrefix(own_)}};
  if (is_last && !info().is_ended) ranges.push_back(RowsOfHashes(info().keyspace));
  return ranges;
}

Status CheckAlive(const OpenPartition* partition) {
  if (partition->is_alive()) return {};
  if (partition->is_dropped()) return Status::NotFound(fmt::format("partition {} was dropped", partition->id()));
  return Status::Fenced(
      fmt::format("partition {} is no longer open at epoch {}", partition->id(), partition->info().epoch));
}

Status CheckKey(const OpenPartition& partition, std::string_view key) {
  if (partition.Has(key)) return {};
  return Status::InvalidArgument(fmt::format("a key that is not of partition {}", partition.id()));
}

Status CheckScan(const ScanOp& op) {
  const OpenPartition& partition = *op.partition;
  if (partition.is_system()) return {};
  if (!op.begin.empty() && (op.end.empty() || IsOfHash(op.begin) == IsOfHash(op.end))) {
    if (!partition.info().is_ended || !IsOfHash(op.begin)) return {};
  }
  return Status::InvalidArgument(fmt::format("a scan that is not within partition {}", partition.id()));
}

Status CheckBatch(const OpenPartition& partition, const Batch& batch) {
  bool has_all = true;
  batch.ForEach([&](Batch::Kind, std::string_view key, std::string_view) { has_all = has_all && partition.Has(key); });
  if (!has_all)
    return Status::InvalidArgument(fmt::format("a batch with keys that are not of partition {}", partition.id()));
  if (partition.info().is_ended && !batch.counts().empty())
    return Status::InvalidArgument(fmt::format("partition {} has ended and counts nothing", partition.id()));
  return {};
}

}  // namespace armature::storage
