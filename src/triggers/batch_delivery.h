// BatchDelivery: takes one batch to the function, and does not let go before every record is dealt with.
//
// Dealt with: the function has taken it; or its retries are used up, or it is too old, and the account of it is at the
// destination. Failing batches are tried again after a growing pause, halved if the mapping wants that, or taken up
// where the function says it failed (ReportBatchItemFailures). Records are finished strictly from the front, and told
// to the caller as they are, so that progress is kept however it ends. A call that could not be made at all, for want
// of a process or a thread, is made later and is no retry. Goes step by step, so that no thread is held while it
// pauses; a step blocks as long as the function takes. One thread at a time; used by LaneRunner.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "model/sequence_number.h"
#include "table/lanes/journal_state.h"
#include "triggers/functions/destination.h"
#include "triggers/functions/function.h"
#include "triggers/mappings/mapping.h"

namespace armature::triggers {

// A record on its way: its JSON as the event will have it.
struct EventRecord {
  std::string json;
  table::Position position = 0;
  storage::PartitionId partition = 0;
  int64_t created_millis = 0;

  std::string sequence_number() const { return model::SequenceNumber(position, partition); }
};

// {"Records":[…]}
std::string EventOf(std::span<const EventRecord> records);

// What is counted for a mapping; also what its LastProcessingResult says.
struct TriggerCounters {
  TriggerCounters(Metrics& metrics, const std::string& trigger);
  Counter& invocations;
  Counter& errors;                // invocations that failed
  Counter& records;               // delivered, and taken by the function
  Counter& filtered;              // left out by the filter
  Counter& discarded;             // given up: retries used up, or too old
  Counter& destination_failures;  // accounts of batches that could not be left at the destination
  LatencyHistogram& duration;
};

struct DeliveryRules {
  int64_t max_retry_attempts = kForever;
  int64_t max_record_age_millis = kForever;
  bool bisects_on_error = false;
  bool reports_item_failures = false;
  // The pause before the first retry, and the longest.
  int64_t first_pause_millis = 100;
  int64_t longest_pause_millis = 30'000;

  static DeliveryRules Of(const Mapping& mapping);
};

struct DeliveryContext {
  Function& function;
  const Destination& destination;
  const Clock& clock;
  TriggerCounters& counters;
  FailedBatch account;  // the parts of a failure record that are the same for all batches
  // Told after each attempt to call: whether the function ran, and why it did not succeed (empty: it did).
  std::function<void(bool has_run, const std::string& error)> told;
};

class BatchDelivery {
 public:
  BatchDelivery(DeliveryRules rules, DeliveryContext context) : rules_(rules), context_(std::move(context)) {}

  enum class Progress {
    kAgain,    // there is more to do at once
    kPause,    // there is more to do after `pause_millis`
    kDone,     // every record is dealt with
    kStopped,  // before that
  };
  struct Outcome {
    Progress progress = Progress::kDone;
    int64_t pause_millis = 0;
  };

  // A new batch. REQUIRES: the one before is done; the records stay where they are until this one is.
  void Begin(std::span<const EventRecord> records);
  // One call of the function, or one attempt to leave an account at the destination. `finished(n)`: the next n records
  // from the front are dealt with.
  Outcome Advance(const std::function<void(size_t)>& finished, const std::stop_token& stop);

 private:
  struct Part {
    size_t begin = 0;
    size_t end = 0;
    int64_t failures = 0;  // of invocations that began with the same record
    size_t size() const { return end - begin; }
  };
  enum class Answer { kTaken, kFailed, kNotRun, kStopped };
  // The first `count` records of the part at hand are given up.
  struct GivingUp {
    size_t count = 0;
    std::string_view condition;
    int64_t invoke_count = 0;
    int attempts = 0;  // failed ones, to leave the account
  };

  size_t CountExpired(std::span<const EventRecord> records) const;
  // On kFailed, `taken` records from the front were taken all the same.
  Answer Try(std::span<const EventRecord> records, std::string& event, size_t& taken, const std::stop_token& stop);
  Outcome GoOnGivingUp(const std::function<void(size_t)>& finished, const std::stop_token& stop);
  bool LeaveAccount(std::span<const EventRecord> records, const std::stop_token& stop);
  // The next n records of the part at hand are dealt with.
  Outcome FinishFront(size_t count, const std::function<void(size_t)>& finished);
  Outcome PauseAfter(int64_t failures) const;

  const DeliveryRules rules_;
  const DeliveryContext context_;

  std::span<const EventRecord> records_;
  std::vector<Part> todo_;  // the next one last
  std::optional<GivingUp> giving_up_;
  int64_t not_run_ = 0;  // attempts to call in a row
  std::string event_;
};

// The records from the front that a ReportBatchItemFailures answer says are done: all of them if it reports none, none
// if it cannot be understood (as Lambda takes it).
size_t TakenByAnswer(std::string_view payload, std::span<const EventRecord> records);

}  // namespace armature::triggers
