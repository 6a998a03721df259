// ShardRunner: takes the records of one shard to the function of one mapping.
//
// Owns a thread that reads the journal, prints and filters records and deals them out by item key to as many queues as
// the mapping's parallelisation factor, and a thread per queue that makes batches and delivers them, one at a time. So
// an item's records keep their order, and what fails holds up nothing but its own shard. Queues are bounded; reading
// waits for them. Threads start with the object; all else is thread-safe. Owned by MappingRunner.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "table/journal/journal.h"
#include "triggers/batch_delivery.h"
#include "triggers/event_pattern.h"
#include "triggers/mapping.h"
#include "triggers/shard_progress.h"
#include "triggers/trigger_stats.h"

namespace armature::triggers {

// What all shards of a mapping share. All of it outlives the runners.
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
};

class ShardRunner {
 public:
  ShardRunner(const MappingContext& context, const table::Lane& lane, table::Position start);
  // Stops and waits.
  ~ShardRunner();
  ShardRunner(const ShardRunner&) = delete;
  ShardRunner& operator=(const ShardRunner&) = delete;

  void RequestStop();
  void Await();
  // Every thread has ended: on request, or because the shard is done.
  bool has_ended() const { return running_threads_.load() == 0; }

  struct View {
    table::Position next = 0;   // everything below is dealt with
    bool is_done = false;       // the shard is closed and all of it is dealt with
    bool is_behind = false;     // there are records that are not dealt with
    int64_t oldest_millis = 0;  // of those under way; 0: none
  };
  View view() const;

 private:
  struct Queue {
    std::deque<EventRecord> records;
    size_t bytes = 0;
    bool is_ready = false;                             // worth a batch: full, or all of a page is in it
    std::chrono::steady_clock::time_point first_came;  // the oldest record in it
    std::condition_variable_any changed;
  };

  void ReadAll(const std::stop_token& stop);
  bool SendPage(const table::JournalPage& page, const std::stop_token& stop);
  bool Enqueue(EventRecord record, size_t queue, const std::stop_token& stop);
  void ReleaseAll();
  void AwaitMore(uint64_t records_before, const std::stop_token& stop);
  bool Pause(std::chrono::milliseconds at_most, const std::stop_token& stop);

  void DeliverAll(Queue& queue, const std::stop_token& stop);
  std::vector<EventRecord> TakeBatch(Queue& queue, const std::stop_token& stop);
  size_t QueueOf(const model::ChangeRecord& record);
  bool IsWanted(std::string_view record_json);

  const MappingContext& context_;
  const table::LaneId lane_;
  const std::string shard_id_;
  const std::string region_;
  const size_t max_queued_records_;

  mutable std::mutex mutex_;
  std::condition_variable_any room_;
  ShardProgress progress_;                      // guarded by mutex_
  bool is_read_ = false;                        // guarded by mutex_: nothing more will come
  bool is_caught_up_ = false;                   // guarded by mutex_
  size_t queued_bytes_ = 0;                     // guarded by mutex_: of all queues
  std::vector<std::unique_ptr<Queue>> queues_;  // the vector is fixed; contents guarded by mutex_

  // The reading thread's own.
  table::Position next_;
  uint64_t bell_ = 0;
  std::string key_json_;
  simdjson::dom::parser parser_;

  std::atomic<size_t> running_threads_{0};
  std::stop_source stop_;
  std::vector<std::jthread> threads_;  // last: they use all the above
};

}  // namespace armature::triggers
