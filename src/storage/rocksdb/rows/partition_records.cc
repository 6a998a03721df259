#include "storage/rocksdb/rows/partition_records.h"

#include <memory>

#include "base/bytes.h"
#include "base/log.h"
#include "base/shared_mutex.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/rows/row_reads.h"

namespace armature::storage {
namespace {
constexpr std::string_view kPrefix{"\0p", 2};
constexpr std::string_view kNewestPrefix{"\0n", 2};

std::string KeyOf(std::string_view prefix, PartitionId id) {
  std::string key(prefix);
  AppendBigEndian(key, id);
  return key;
}

struct NewestCommit {
  Sequence number = 0;
  Counts counts;
};

Result<NewestCommit> LoadNewest(rocksdb::DB& db, PartitionId id) {
  std::string value;
  const auto status = db.Get({}, NewestCommitKey(id), &value);
  if (status.IsNotFound()) return NewestCommit{};
  if (!status.ok()) return FromRocksDb(status);
  ByteReader reader(value);
  NewestCommit newest;
  newest.number = reader.BigEndian<Sequence>();
  newest.counts = ReadCounts(reader);
  if (!reader.ok()) return Status::Corruption("the record of a partition's newest commit is damaged");
  return newest;
}
}  // namespace

std::string PartitionRecordKey(PartitionId id) { return KeyOf(kPrefix, id); }
std::string NewestCommitKey(PartitionId id) { return KeyOf(kNewestPrefix, id); }

void AppendNewestCommit(Sequence newest, const Counts& counts, std::string& out) {
  AppendBigEndian(out, newest);
  AppendCounts(counts, out);
}

Status LoadPartitions(rocksdb::DB& db, PartitionTable& table) {
  const rocksdb::Slice end(kFirstUserKey.data(), kFirstUserKey.size());
  rocksdb::ReadOptions options = RowReadOptions();
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
    auto newest = LoadNewest(db, id);
    if (info && !newest) info = newest.error();
    // It costs its table, which then has no partition; the record and the rows stay as they are.
    if (!info) LogError("partition {} is left out: {}", id, info.error().message());
    else table.Put(*info, newest->number, newest->counts);
  }
  ARMATURE_TRY(const NewestCommit of_system, LoadNewest(db, kSystemPartition));
  table.system().SetCounts(of_system.counts);
  table.system().SetNewest(of_system.number);
  return FromRocksDb(records->status());
}

}  // namespace armature::storage
