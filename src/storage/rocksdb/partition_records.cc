#include "storage/rocksdb/partition_records.h"

#include <memory>

#include "base/bytes.h"
#include "storage/rocksdb/status_mapping.h"

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
  for (records->Seek({kPrefix.data(), kPrefix.size()}); records->Valid(); records->Next()) {
    const std::string_view key = records->key().ToStringView();
    if (!key.starts_with(kPrefix)) break;
    ByteReader reader(key.substr(kPrefix.size()));
    const auto id = reader.BigEndian<PartitionId>();
    if (!reader.ok() || !reader.at_end()) return Status::Corruption("a partition record has a damaged key");
    ARMATURE_TRY(auto info, DecodePartition(id, records->value().ToStringView()));
    table.Put(std::move(info));
  }
  return FromRocksDb(records->status());
}

}  // namespace armature::storage
