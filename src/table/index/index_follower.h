// IndexFollower: makes the rows of global indexes agree with their items where both cannot be one commit.
//
// Follows the notes that writes have left in the table's partitions (index_note.h), oldest first: reads the item as it
// is durable, compares what each index has of it with what it should have, commits the difference to the partitions of
// the indexes, and when that is durable takes the note away. Done twice it changes nothing more, so that a crash, a
// partition that dies and a commit whose outcome is not known are all answered by doing it again. Whoever needs the
// indexes to be there (a reader of one, a writer that has left too many notes behind) awaits CatchUp; a worker calls it
// for everybody else. Thread-safe; keeps nothing of its own.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/async.h"
#include "base/result.h"
#include "storage/engine.h"
#include "table/partition/pending_rows.h"
#include "table/table.h"

namespace armature::table {

// How many notes a partition may have before its writers have to help.
inline constexpr size_t kMostIndexNotes = 1000;

class IndexFollower {
 public:
  // `at_step` hears of labelled points, for tests that crash there; may be null.
  using AtStep = std::function<void(std::string_view step)>;
  explicit IndexFollower(storage::Engine& engine, const AtStep* at_step = nullptr)
      : engine_(engine), at_step_(at_step) {}

  // Done when all notes of the table's that were there before are followed up.
  Task<Status> CatchUp(const Table& table) const;
  // One item, note or not: for an index that is being built over existing items.
  Task<Status> FollowItem(const Table& table, std::string_view item_key) const;

  // How many notes there are.
  static size_t Lag(const Table& table);

 private:
  class Rows;
  Task<Status> CatchUpPartition(const Table& table, Partition& partition) const;
  Task<Status> AwaitNewest(const Partition& partition) const;
  Task<Status> FollowPortion(const Table& table, Partition& partition,
                             const std::vector<PendingRows::Row>& notes) const;
  // The rows of one item, ordered.
  Task<Status> FollowOne(const TableSchema& schema, Partition& partition, std::string_view item_key, Rows& rows) const;
  // The item as it is durable in the partition, and what the indexes have of it, into `rows`.
  Task<Status> Compare(const TableSchema& schema, const Partition& partition, std::string_view item_key,
                       std::string_view note, Rows& rows) const;
  Task<Status> DeleteNotes(const Table& table, Partition& partition, const std::vector<PendingRows::Row>& notes) const;
  void Step(std::string_view step) const {
    if (at_step_ && *at_step_) (*at_step_)(step);
  }

  storage::Engine& engine_;
  const AtStep* const at_step_;
};

}  // namespace armature::table
