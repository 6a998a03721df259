// Batches of the seam, as RocksDB writes them.
//
// Translated on the writer's thread into a buffer that is kept for the thread's next commit.
#pragma once

#include <span>
#include <string_view>

#include <rocksdb/slice.h>
#include <rocksdb/write_batch.h>

#include "storage/engine.h"

namespace armature::storage {

inline rocksdb::Slice ToSlice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

// The calling thread's buffer, emptied. Valid until the thread asks again.
rocksdb::WriteBatch& EmptyBatch();

void Translate(std::span<const CommitManyOp::Part> parts, rocksdb::WriteBatch& out);

}  // namespace armature::storage
