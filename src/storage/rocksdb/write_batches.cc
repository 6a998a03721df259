#include "storage/rocksdb/write_batches.h"

#include <algorithm>
#include <string>

#include "base/bytes.h"
#include "storage/rocksdb/rows/partition_records.h"

namespace armature::storage {

namespace {

// A key where it lies, without joining its parts.
class StoredKey {
 public:
  StoredKey(const EmbeddedPartition& partition, std::string_view key, std::string_view number = {})
      : parts_{ToSlice(partition.PrefixOf(key)), ToSlice(key), ToSlice(number)} {}
  rocksdb::SliceParts get() const { return {parts_, 3}; }

 private:
  rocksdb::Slice parts_[3];
};

void Put(const StoredKey& key, std::string_view value, rocksdb::WriteBatch& out) {
  const rocksdb::Slice slice = ToSlice(value);
  out.Put(key.get(), rocksdb::SliceParts(&slice, 1));
}

}  // namespace

rocksdb::WriteBatch& EmptyBatch() {
  constexpr size_t kLargestKept = size_t{1} << 20;
  thread_local rocksdb::WriteBatch out;
  if (out.GetDataSize() > kLargestKept) out = rocksdb::WriteBatch();
  out.Clear();
  return out;
}

NumberedParts::Numbered& NumberedParts::Of(EmbeddedPartition& partition) {
  for (Numbered& known : partitions_)
    if (known.partition == &partition) return known;
  return partitions_.emplace_back(Numbered{&partition, partition.newest(), {}});
}

void NumberedParts::Translate(std::span<CommitManyOp::Part> parts, rocksdb::WriteBatch& out) {
  for (auto& part : parts) {
    auto& partition = static_cast<EmbeddedPartition&>(*part.partition);
    Numbered& numbered = Of(partition);
    Sequence number = numbered.newest;
    part.batch->ForEach([&](Batch::Kind kind, std::string_view key, std::string_view value) {
      switch (kind) {
        case Batch::Kind::kPut: Put(StoredKey(partition, key), value, out); break;
        case Batch::Kind::kPutNumbered: {
          std::string bytes;  // eight: no memory is taken
          AppendBigEndian(bytes, ++number);
          Put(StoredKey(partition, key, bytes), value, out);
          break;
        }
        case Batch::Kind::kDelete: out.Delete(StoredKey(partition, key).get()); break;
      }
    });
    part.sequence = numbered.newest += NumbersOf(partition, *part.batch);
    numbered.added.Add(part.batch->counts());
  }
}

void NumberedParts::Append(rocksdb::WriteBatch& out) const {
  thread_local std::string record;
  for (const Numbered& numbered : partitions_) {
    Counts counts = numbered.partition->counts();
    counts.Add(numbered.added);
    record.clear();
    AppendNewestCommit(numbered.newest, counts, record);
    out.Put(NewestCommitKey(numbered.partition->id()), record);
  }
}

void NumberedParts::Keep() const {
  for (const Numbered& numbered : partitions_) {
    numbered.partition->AddCounts(numbered.added);
    numbered.partition->SetNewest(numbered.newest);
  }
}

}  // namespace armature::storage
