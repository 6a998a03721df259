// MappingRunner: all shards of one mapping, parents before children, and its cursors.
//
// Starts a ShardRunner for every shard whose parent is done, and remembers in the journal's cursors what was dealt
// with. A parent's end is stored no later than its child's progress, so that whatever is delivered again after a crash
// is delivered in order. Step and Checkpoint are called by one thread, Triggers'.
#pragma once

#include <map>
#include <memory>

#include "base/result.h"
#include "triggers/shard_runner.h"

namespace armature::triggers {

class MappingRunner {
 public:
  // Reads the cursors. The context's table has the stream that the mapping names.
  static Result<std::unique_ptr<MappingRunner>> Start(MappingContext context);
  ~MappingRunner() { context_.stats->SetHindrance({}); }

  // Starts what is due and drops what is done.
  void Step();
  // Stores cursors that have moved, durably.
  Status Checkpoint();
  // Sets the mapping's lag; and says so in its result, and now and then in the log, if it waits for a thread.
  void Measure();

  void RequestStop();
  bool has_stopped() const;
  // Waits until everything has stopped. REQUIRES: requested.
  void Await();
  // The stream is closed and all of it was dealt with.
  bool is_drained() const;

  const MappingContext& context() const { return context_; }

 private:
  explicit MappingRunner(MappingContext context) : context_(std::move(context)) {}

  void NoteShortage();
  const table::StreamWindow* StreamIn(const table::JournalState& state) const;
  table::Position StartOf(const table::Lane& lane) const;
  bool IsDone(const table::JournalState& state, const table::StreamWindow& stream, table::LaneId lane_id) const;

  const MappingContext context_;
  bool is_stopping_ = false;
  bool is_short_of_threads_ = false;
  std::map<table::LaneId, table::Position> stored_;   // the cursors on disk
  std::map<table::LaneId, table::Position> reached_;  // of lanes that are done, or were seen at the last checkpoint
  std::map<table::LaneId, std::unique_ptr<ShardRunner>> runners_;
};

}  // namespace armature::triggers
