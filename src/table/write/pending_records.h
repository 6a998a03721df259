// PendingRecords: the change records of one commit, from the slots they take to the end of the commit.
//
// Made per commit, by the write path; whatever was not settled comes to nothing when it goes. Not thread-safe.
#pragma once

#include <string_view>
#include <vector>

#include "storage/batch.h"
#include "storage/engine.h"
#include "table/lanes/record_codec.h"
#include "table/table.h"

namespace armature::table {

class PendingRecords {
 public:
  PendingRecords() = default;
  PendingRecords(const PendingRecords&) = delete;
  PendingRecords& operator=(const PendingRecords&) = delete;
  ~PendingRecords() { Settle(0); }

  // Puts the record of a change into the batch of the item. Nothing if the change leaves the item as it was or nobody
  // follows the table. REQUIRES: the item's latch is held until Settle.
  void Add(Table& table, std::string_view item_key, const RawChange& change, storage::Batch& batch);

  // The commits are over. `mark` is not before any of them; 0: they came to nothing.
  void Settle(storage::Mark mark);

 private:
  struct Taken {
    TableJournal* journal = nullptr;
    Position position = 0;
    size_t bytes = 0;
  };
  // Most commits have one.
  Taken first_;
  std::vector<Taken> rest_;
};

}  // namespace armature::table
