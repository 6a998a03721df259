// MappingRunner: what runs for one mapping.
//
// Starts a LaneRunner for every lane whose turn it is: which that are, and how far each has come, is LaneWalker's
// (followers/). Step and Checkpoint are called by one thread, Triggers'.
#pragma once

#include <map>
#include <memory>

#include "base/result.h"
#include "followers/lane_walker.h"
#include "triggers/lane_runner.h"

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
  MappingRunner(MappingContext context, std::unique_ptr<followers::LaneWalker> walker)
      : context_(std::move(context)), walker_(std::move(walker)) {}

  void NoteShortage();

  const MappingContext context_;
  const std::unique_ptr<followers::LaneWalker> walker_;
  bool is_short_of_threads_ = false;
  std::map<table::LaneId, std::unique_ptr<LaneRunner>> runners_;  // of the walker's lanes
};

}  // namespace armature::triggers
