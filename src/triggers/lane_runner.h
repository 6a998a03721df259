// LaneRunner: takes the records of one lane to the function of one mapping.
//
// One task of the TriggerThreads advances the lane (followers/followed_lane.h), prints and filters its records and
// deals them out by item key to as many queues as the mapping's parallelisation factor; one task per queue makes
// batches and delivers them, one at a time. So an item's records keep their order, and what fails holds up nothing but
// its own lane. Queues are bounded; reading waits for them. Who waits, for records, room, a turn or the time of a
// retry, holds no thread. Tasks start with the object; all else is thread-safe. Owned by MappingRunner.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/tasks/task_pool.h"
#include "followers/followed_lane.h"
#include "table/journal/journal.h"
#include "triggers/batch_delivery.h"
#include "triggers/mappings/event_pattern.h"
#include "triggers/mappings/mapping.h"
#include "triggers/trigger_stats.h"
#include "triggers/trigger_threads.h"

namespace armature::triggers {

// What all lanes of a mapping share. All of it outlives the runners.
struct MappingContext {
  std::shared_ptr<const Mapping> mapping;
  std::shared_ptr<table::Table> table;
  model::Images images = model::kBothImages;
  EventFilter filter;
  Function& function;
  Destination destination;
  table::Journal& journal;
  const Clock& clock;
  std::shared_ptr<TriggerStats> stats;
  TriggerThreads& threads;
};

class LaneRunner {
 public:
  LaneRunner(const MappingContext& context, std::shared_ptr<followers::FollowedLane> lane);
  // Stops and waits.
  ~LaneRunner();
  LaneRunner(const LaneRunner&) = delete;
  LaneRunner& operator=(const LaneRunner&) = delete;

  void RequestStop();
  void Await();
  // Every task has ended: on request, or because the lane is done.
  bool has_ended() const;
  // The lane is closed and all of it is dealt with.
  bool is_done() const { return lane_->view().is_done; }
  // How long the task that waits longest has waited for a thread.
  TaskPool::Clock::duration WaitsForThread() const;

 private:
  struct Queue {
    std::deque<EventRecord> records;
    size_t bytes = 0;
    bool is_ready = false;                   // worth a batch: full, or all of a page is in it
    TaskPool::Clock::time_point first_came;  // the oldest record in it
    TaskPool::Handle task;

    // The delivering task's own.
    std::vector<EventRecord> batch;  // under way; empty: none
    size_t done = 0;                 // of the batch
    TaskPool::Clock::time_point retry_at;
    std::unique_ptr<BatchDelivery> delivery;
  };

  TaskPool::Next ReadStep();
  TaskPool::Next AfterReading(followers::FollowedLane::Step step);
  // Ends early if a queue has no room; the task is woken when it may have some.
  Task<Status> TakeOn(followers::LaneBatch& batch);
  // False: the queue has no room.
  bool Enqueue(EventRecord& record, size_t queue);
  void ReleaseAll() ARMATURE_WITH_LOCK(mutex_);

  TaskPool::Next DeliverStep(Queue& queue);
  // Fills queue.batch; or says when to come back.
  std::optional<TaskPool::Next> TakeBatch(Queue& queue);
  std::unique_ptr<BatchDelivery> MakeDelivery();
  void TellOfShortage(const std::string& why);
  void LeaveTurns();
  template <class Do>
  void ForEachTask(Do&& action) const;
  size_t QueueOf(const model::ChangeRecord& record);
  bool IsWanted(std::string_view record_json);

  const MappingContext& context_;
  const std::shared_ptr<followers::FollowedLane> lane_;
  const std::string shard_id_;
  const std::string region_;
  const size_t max_queued_records_;

  mutable Mutex mutex_;
  bool is_reader_waiting_ ARMATURE_GUARDED_BY(mutex_) = false;  // for room
  bool is_read_ ARMATURE_GUARDED_BY(mutex_) = false;            // nothing more will come
  size_t queued_bytes_ ARMATURE_GUARDED_BY(mutex_) = 0;         // of all queues
  std::vector<std::unique_ptr<Queue>> queues_;                  // the vector is fixed; contents guarded by mutex_

  // The reading task's own.
  followers::Deliver deliver_;
  followers::FollowedLane::Step last_step_ = followers::FollowedLane::Step::kMore;
  EventRecord unsent_;  // printed and wanted, but there was no room
  TaskPool::Clock::time_point read_at_;
  std::string key_json_;
  simdjson::dom::parser parser_;

  std::stop_source stop_;
  TaskPool::Handle reader_;
};

}  // namespace armature::triggers
