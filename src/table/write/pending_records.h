// PendingRecords: the change records of one commit, from their making to its end.
//
// Made per commit, by the write path; those of a commit that came to nothing are not counted. Not thread-safe.
#pragma once

#include "storage/batch.h"
#include "table/lanes/record_codec.h"
#include "table/table.h"

namespace armature::table {

class PendingRecords {
 public:
  // Puts the record of a change into the batch of the item, which gives it its position. Nothing if the change leaves
  // the item as it was. REQUIRES: somebody follows the table, and the item's latch is held; all are of one table.
  void Add(Table& table, const RawChange& change, int64_t created_millis, storage::Batch& batch);

  // The commit has succeeded; `sequence` is the last of its numbers.
  void Settle(Partition& partition, storage::Sequence sequence) {
    if (count_ == 0) return;
    partition.NoteRecord(sequence);
    journal_->Count(count_, bytes_);
  }

 private:
  TableJournal* journal_ = nullptr;
  uint64_t count_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace armature::table
