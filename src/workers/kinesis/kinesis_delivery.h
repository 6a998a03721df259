// KinesisDelivery: takes one table's Kinesis destination through its states and sends it the table's changes.
//
// A follower of the journal, which followers/lane_walker.h takes it through: a record is passed only after Kinesis took
// it, so a crash of either side repeats records but loses none; a repeated record has the same eventID. Records of an
// item stay in order: one that Kinesis did not take is sent again together with all later ones of the same item. Not
// thread-safe: driven by one thread (kinesis_worker) or by a test, step by step; a step may block for as long as an
// HTTP request takes.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/result.h"
#include "followers/lane_walker.h"
#include "model/table_def.h"
#include "table/catalog.h"
#include "table/journal/journal.h"
#include "table/table.h"
#include "workers/kinesis/kinesis_client.h"

namespace armature::workers {

// What all deliveries count together. Lives as long as the Metrics that read it.
class KinesisMeters {
 public:
  KinesisMeters(Metrics& metrics, const Clock& clock);

  // The oldest change of a table that is not delivered; 0: none.
  void SetOldest(uint64_t table_id, int64_t created_millis);

  Counter& delivered;
  Counter& dropped;
  Counter& failures;

 private:
  struct Lag {
    Mutex mutex;
    std::map<uint64_t, int64_t> oldest_millis ARMATURE_GUARDED_BY(mutex);  // by table id
  };
  const std::shared_ptr<Lag> lag_;
};

class KinesisDelivery {
 public:
  struct Deps {
    table::Catalog& catalog;
    table::Journal& journal;
    const Clock& clock;
    RandomSource& random;
    KinesisClient& client;
    KinesisMeters& meters;
  };
  KinesisDelivery(const Deps& deps, std::shared_ptr<table::Table> table);
  ~KinesisDelivery();

  enum class Next {
    kAgain,         // there is more to do at once
    kAwaitRecords,  // everything is delivered
    kPause,         // after `pause`
    kEnd,           // the table has no live destination any more
  };
  struct Outcome {
    Next next = Next::kAgain;
    std::chrono::milliseconds pause{};
  };
  // One change of state, or one request's worth of records.
  Outcome Step(const std::stop_token& stop);

  // How long a destination tries to reach its stream before it is ENABLE_FAILED, and how long one that is being
  // disabled goes on delivering.
  static constexpr int64_t kEnableMillis = 60'000;
  static constexpr int64_t kDrainMillis = 5'000;

 private:
  struct Pending {
    KinesisRecord record;
    std::shared_ptr<followers::FollowedLane> lane;
    table::Position position = 0;
  };

  Outcome Enable(const model::KinesisDestinationDef& destination, const std::stop_token& stop);
  Outcome Disable(const model::KinesisDestinationDef& destination, const std::stop_token& stop);
  Outcome Deliver(const model::KinesisDestinationDef& destination, const std::stop_token& stop);
  Outcome Send(const model::KinesisStreamArn& stream, const std::stop_token& stop);
  Outcome HandleFailure(const KinesisError& error, size_t sent);
  // Brings the destination, if it is still the same, into another state.
  Outcome Change(const model::KinesisDestinationDef& from, model::KinesisStatus status, std::string_view description);

  // Fills pending_ from the journal. False: there is nothing to deliver and nothing to store.
  Result<bool> Gather(const model::KinesisDestinationDef& destination);
  Status TakeUp(const model::KinesisDestinationDef& destination);
  Task<Status> TakeOn(const model::KinesisDestinationDef& destination,
                      const std::shared_ptr<followers::FollowedLane>& lane, followers::LaneBatch& batch);
  Status StoreProgress();
  // The first of those pending is dealt with.
  void FinishFirst();
  // Keeps what was not taken and whatever follows it for the same item. True if all were taken.
  bool Settle(const std::vector<std::string>& errors);
  size_t NextRequestSize() const;
  Outcome BackOff(std::string_view why);
  void Forget();
  void ShowLag();

  const Deps deps_;
  const std::shared_ptr<table::Table> table_;

  uint64_t generation_ = 0;  // of the destination the following is about; 0: of none
  std::unique_ptr<followers::LaneWalker> walker_;
  bool has_moved_ = false;  // there may be cursors to be stored
  std::deque<Pending> pending_;
  size_t request_limit_ = KinesisClient::kMaxRecords;
  int attempts_ = 0;  // failed in a row
};

}  // namespace armature::workers
