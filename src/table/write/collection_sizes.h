// CollectionSizes: the sizes of the item collections that one commit touches.
//
// Read once, carried along from write to write (a transaction may change several items of a collection), stored with
// the commit. Guarded by the collections' latches. A part of the write path, for its own files only.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "storage/engine_calls.h"
#include "table/storage_errors.h"
#include "table/write/write_path.h"

namespace armature::table {

class WritePath::CollectionSizes {
 public:
  // `stripe` is that of the collection's latch, under which its size is remembered as items are.
  Task<model::ApiResult<uint64_t>> Read(storage::Engine& engine, size_t stripe, const Table& table,
                                        Partition& partition, const std::string& key) {
    if (const auto it = sizes_.find({&table, key}); it != sizes_.end()) co_return it->second;
    if (const auto* image = partition.images().Find(stripe, key))
      co_return image->exists() ? ByteReader(image->value()).BigEndian<uint64_t>() : 0;
    const auto stored = co_await storage::GetValue(engine, partition.handle(), key, {storage::View::kLatest});
    if (!stored) co_return WriteError(table, stored.error());
    const uint64_t size = *stored ? ByteReader(**stored).BigEndian<uint64_t>() : 0;
    sizes_[{&table, key}] = size;
    co_return size;
  }

  void Set(const CollectionSize& collection, size_t stripe, const Table& table, Changes& changes) {
    const auto& [key, bytes] = collection;
    sizes_[{&table, key}] = bytes;
    std::string record;
    AppendBigEndian(record, bytes);
    if (bytes == 0) changes.batch.Delete(key);
    else changes.batch.Put(key, record);
    changes.images.Put(stripe, key, bytes != 0, record);
  }

 private:
  std::map<std::pair<const Table*, std::string>, uint64_t> sizes_;
};

}  // namespace armature::table
