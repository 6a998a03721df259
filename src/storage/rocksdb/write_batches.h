// Batches of the seam, as RocksDB writes them.
//
// Translated on the writer's thread into a buffer that is kept for the thread's next commit.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <rocksdb/slice.h>
#include <rocksdb/write_batch.h>

#include "storage/embedded_partition.h"
#include "storage/engine.h"

namespace armature::storage {

inline rocksdb::Slice ToSlice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

// The calling thread's buffer, emptied. Valid until the thread asks again.
rocksdb::WriteBatch& EmptyBatch();

// The commits of one write, with the numbers they take. Until the write has succeeded nothing has changed. REQUIRES:
// the lock for the order of commits is held from the first Translate to the end.
class NumberedParts {
 public:
  // Appends what the parts change; each part is told its number.
  void Translate(std::span<CommitManyOp::Part> parts, rocksdb::WriteBatch& out);
  // Appends the partitions' newest numbers and their counts, which are stored with what they are of: one row for each,
  // however many commits.
  void Append(rocksdb::WriteBatch& out) const;
  // The write has succeeded.
  void Keep() const;

 private:
  struct Numbered {
    EmbeddedPartition* partition = nullptr;
    Sequence newest = 0;
    Counts added;
  };
  Numbered& Of(EmbeddedPartition& partition);

  std::vector<Numbered> partitions_;  // few
};

}  // namespace armature::storage
