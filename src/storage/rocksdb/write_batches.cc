#include "storage/rocksdb/write_batches.h"

namespace armature::storage {

rocksdb::WriteBatch& EmptyBatch() {
  constexpr size_t kLargestKept = size_t{1} << 20;
  thread_local rocksdb::WriteBatch out;
  if (out.GetDataSize() > kLargestKept) out = rocksdb::WriteBatch();
  out.Clear();
  return out;
}

void Translate(std::span<const CommitManyOp::Part> parts, rocksdb::WriteBatch& out) {
  for (const auto& part : parts) {
    part.batch->ForEach([&](Batch::Kind kind, std::string_view key, std::string_view value) {
      switch (kind) {
        case Batch::Kind::kPut: out.Put(ToSlice(key), ToSlice(value)); break;
        case Batch::Kind::kDelete: out.Delete(ToSlice(key)); break;
        case Batch::Kind::kDeleteRange:
          if (key < value) out.DeleteRange(ToSlice(key), ToSlice(value));
          break;
      }
    });
  }
}

}  // namespace armature::storage
