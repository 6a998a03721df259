// BatchDelivery: takes one batch to the function, and does not let go before every record is dealt with.
//
// Dealt with: the function has taken it; or its retries are used up, or it is too old, and the account of it is at the
// destination. Failing batches are tried again after a growing pause, halved if the mapping wants that, or taken up
// where the function says it failed (ReportBatchItemFailures). Records are finished strictly from the front, and told
// to the caller as they are, so that progress is kept however it ends. Blocking, one thread; used by ShardRunner.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "table/journal/positions.h"
#include "triggers/destination.h"
#include "triggers/function.h"
#include "triggers/mapping.h"

namespace armature::triggers {

// A record on its way: its JSON as the event will have it.
struct EventRecord {
  std::string json;
  table::Position position = 0;
  int64_t created_millis = 0;
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
  // Sleeps, unless stopped meanwhile (false). Tests step their clock instead.
  std::function<bool(int64_t millis, const std::stop_token&)> pause;
  // Told after each invocation: empty if it succeeded, else why not.
  std::function<void(const std::string& error)> told;
};

class BatchDelivery {
 public:
  BatchDelivery(DeliveryRules rules, DeliveryContext context) : rules_(rules), context_(std::move(context)) {}

  // `finished(n)`: the next n records from the front are dealt with. False: stopped before the end.
  bool Deliver(std::span<const EventRecord> records, const std::function<void(size_t)>& finished,
               const std::stop_token& stop);

 private:
  struct Part {
    size_t begin = 0;
    size_t end = 0;
    int64_t failures = 0;  // of invocations that began with the same record
    size_t size() const { return end - begin; }
  };
  enum class Outcome { kDone, kFailed, kStopped };

  size_t CountExpired(std::span<const EventRecord> records) const;
  // On kFailed, `taken` records from the front were taken all the same.
  Outcome Try(std::span<const EventRecord> records, std::string& event, size_t& taken, const std::stop_token& stop);
  // False: stopped before the destination had the account.
  bool GiveUp(std::span<const EventRecord> records, std::string_view condition, int64_t invoke_count,
              const std::stop_token& stop);
  bool PauseAfter(int64_t failures, const std::stop_token& stop) const;

  const DeliveryRules rules_;
  const DeliveryContext context_;
};

// The records from the front that a ReportBatchItemFailures answer says are done: all of them if it reports none, none
// if it cannot be understood (as Lambda takes it).
size_t TakenByAnswer(std::string_view payload, std::span<const EventRecord> records);

}  // namespace armature::triggers
