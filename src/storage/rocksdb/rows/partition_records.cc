#include "storage/rocksdb/rows/partition_records.h"

#include <memory>

#include "base/bytes.h"
#include "base/log.h"
#include "base/shared_mutex.h"
#include "storage/rocksdb/files/status_mapping.h"

namespace armature::storage {
namespace {
constexpr std::string_view kPrefix{"\0p", 2};
}  // namespace

std::string PartitionRecordKey(PartitionId id) {
  std::string key(kPrefix);
  AppendBigEndian(key, id);
  return key;
}

Status LoadPartitions(rocksdb::DB& db, PartitionTable& table) {
  const rocksdb::Slice end(kFirstUserKey.data(), kFirstUserKey.size());
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end;
  std::unique_ptr<rocksdb::Iterator> records(db.NewIterator(options));
  WriteLock lock(table.mutex());
  for (records->Seek({kPrefix.data(), kPrefix.size()}); records->Valid(); records->Next()) {
    const std::string_view key = records->key().ToStringView();
    if (!key.starts_with(kPrefix)) break;
    ByteReader reader(key.substr(kPrefix.size()));
    const auto id = reader.BigEndian<PartitionId>();
    auto info = DecodePartition(id, records->value().ToStringView());
    if (!reader.ok() || !reader.at_end()) info = Status::Corruption("a partition record has a damaged key");
    if (!info && id == kSystemPartition) return info.error();
    // It costs its table, which then has no partition; the record and the rows stay as they are.
    if (!info) LogError("partition {} is left out: {}", id, info.error().message());
    else table.Put(std::move(*info));
  }
  return FromRocksDb(records->status());
}

}  // namespace armature::storage
