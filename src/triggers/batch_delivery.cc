#include "triggers/batch_delivery.h"

#include <algorithm>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/log.h"
#include "model/sequence_number.h"

namespace armature::triggers {

namespace {

constexpr int kDestinationAttempts = 4;
// What a call needs is soon given back by others.
constexpr int64_t kLongestPauseWhenScarce = 1000;

}  // namespace

std::string EventOf(std::span<const EventRecord> records) {
  constexpr std::string_view kBegin = R"({"Records":[)";
  constexpr std::string_view kEnd = "]}";
  size_t bytes = kBegin.size() + kEnd.size() + records.size();
  for (const EventRecord& record : records) bytes += record.json.size();
  std::string event;
  event.reserve(bytes);
  event += kBegin;
  for (const EventRecord& record : records) {
    if (&record != records.data()) event += ',';
    event += record.json;
  }
  event += kEnd;
  return event;
}

TriggerCounters::TriggerCounters(Metrics& metrics, const std::string& trigger)
    : invocations(metrics.GetCounter("armature_trigger_invocations_total", "Calls of a trigger's function",
                                     fmt::format("trigger=\"{}\"", trigger))),
      errors(metrics.GetCounter("armature_trigger_errors_total", "Calls of a trigger's function that failed",
                                fmt::format("trigger=\"{}\"", trigger))),
      records(metrics.GetCounter("armature_trigger_records_total", "Records a trigger's function has taken",
                                 fmt::format("trigger=\"{}\"", trigger))),
      filtered(metrics.GetCounter("armature_trigger_filtered_total", "Records left out by a trigger's filter",
                                  fmt::format("trigger=\"{}\"", trigger))),
      discarded(metrics.GetCounter("armature_trigger_discarded_total", "Records given up: retries used up, or too old",
                                   fmt::format("trigger=\"{}\"", trigger))),
      destination_failures(metrics.GetCounter("armature_trigger_destination_failures_total",
                                              "Accounts of failed batches that no destination took",
                                              fmt::format("trigger=\"{}\"", trigger))),
      duration(metrics.GetHistogram("armature_trigger_invocation_seconds", "How long a trigger's function took",
                                    fmt::format("trigger=\"{}\"", trigger))) {}

DeliveryRules DeliveryRules::Of(const Mapping& mapping) {
  DeliveryRules rules;
  rules.max_retry_attempts = mapping.max_retry_attempts;
  if (mapping.max_record_age_seconds != kForever) rules.max_record_age_millis = mapping.max_record_age_seconds * 1000;
  rules.bisects_on_error = mapping.bisects_on_error;
  rules.reports_item_failures = mapping.reports_item_failures;
  return rules;
}

size_t TakenByAnswer(std::string_view payload, std::span<const EventRecord> records) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(payload.data(), payload.size()).get(root) != simdjson::SUCCESS) return records.size();  // nothing
  simdjson::dom::object answer;
  simdjson::dom::element listed;
  if (root.get(answer) != simdjson::SUCCESS || answer["batchItemFailures"].get(listed) != simdjson::SUCCESS ||
      listed.is_null())
    return records.size();
  simdjson::dom::array failures;
  if (listed.get(failures) != simdjson::SUCCESS) return 0;
  size_t taken = records.size();
  for (const auto failure : failures) {
    std::string_view identifier;
    if (failure["itemIdentifier"].get(identifier) != simdjson::SUCCESS) return 0;
    const auto position = model::ParseSequenceNumber(identifier);
    const auto found = std::find_if(records.begin(), records.end(),
                                    [&](const EventRecord& record) { return position == record.position; });
    if (identifier.empty() || found == records.end()) return 0;
    taken = std::min(taken, static_cast<size_t>(found - records.begin()));
  }
  return taken;
}

void BatchDelivery::Begin(std::span<const EventRecord> records) {
  records_ = records;
  todo_ = {{0, records.size(), 0}};
  giving_up_.reset();
  not_run_ = 0;
}

BatchDelivery::Outcome BatchDelivery::Advance(const std::function<void(size_t)>& finished,
                                              const std::stop_token& stop) {
  if (stop.stop_requested()) return {Progress::kStopped};
  if (giving_up_) return GoOnGivingUp(finished, stop);
  if (todo_.empty()) return {Progress::kDone};
  Part& part = todo_.back();
  const auto records = records_.subspan(part.begin, part.size());
  if (const size_t expired = CountExpired(records); expired > 0) {
    giving_up_ = {expired, "RecordAgeExceeded", part.failures};
    return GoOnGivingUp(finished, stop);
  }
  size_t taken = 0;
  const Answer answer = Try(records, event_, taken, stop);
  if (answer == Answer::kStopped) return {Progress::kStopped};
  if (answer == Answer::kNotRun)
    return {Progress::kPause, std::min(PauseAfter(++not_run_).pause_millis, kLongestPauseWhenScarce)};
  not_run_ = 0;
  if (answer == Answer::kTaken) return FinishFront(part.size(), finished);
  if (taken > 0) {
    FinishFront(taken, finished);
    part.failures = 0;
  } else if (rules_.bisects_on_error && part.size() > 1) {
    // Halving is no retry: each half has all of its own.
    const Part whole = part;
    const size_t middle = whole.begin + whole.size() / 2;
    part = {middle, whole.end, 0};
    todo_.push_back({whole.begin, middle, 0});
    return PauseAfter(1);
  }
  ++part.failures;
  if (rules_.max_retry_attempts != kForever && part.failures > rules_.max_retry_attempts) {
    giving_up_ = {part.size(), "RetryAttemptsExhausted", part.failures};
    return {Progress::kAgain};
  }
  return PauseAfter(part.failures);
}

BatchDelivery::Outcome BatchDelivery::FinishFront(size_t count, const std::function<void(size_t)>& finished) {
  finished(count);
  Part& part = todo_.back();
  part.begin += count;
  if (part.size() == 0) todo_.pop_back();
  return {todo_.empty() ? Progress::kDone : Progress::kAgain};
}

size_t BatchDelivery::CountExpired(std::span<const EventRecord> records) const {
  if (rules_.max_record_age_millis == kForever) return 0;
  const int64_t oldest = context_.clock.NowMillis() - rules_.max_record_age_millis;
  const auto first = std::find_if(records.begin(), records.end(),
                                  [&](const EventRecord& record) { return record.created_millis >= oldest; });
  return static_cast<size_t>(first - records.begin());
}

BatchDelivery::Answer BatchDelivery::Try(std::span<const EventRecord> records, std::string& event, size_t& taken,
                                         const std::stop_token& stop) {
  event = EventOf(records);
  const int64_t started = MonotonicNanos();
  const Invocation result = context_.function.Invoke(event, stop);
  if (!result.is_ok && stop.stop_requested()) return Answer::kStopped;
  if (!result.has_run) {
    context_.told(false, result.error);
    return Answer::kNotRun;
  }
  context_.counters.invocations.Add();
  context_.counters.duration.RecordMicros(static_cast<uint64_t>(MonotonicNanos() - started) / 1000);
  taken = 0;
  std::string error = result.error;
  if (result.is_ok) {
    taken = rules_.reports_item_failures ? TakenByAnswer(result.payload, records) : records.size();
    context_.counters.records.Add(taken);
    if (taken < records.size()) error = "the function reported failed items";
  }
  if (!error.empty()) context_.counters.errors.Add();
  context_.told(true, error);
  return error.empty() ? Answer::kTaken : Answer::kFailed;
}

BatchDelivery::Outcome BatchDelivery::GoOnGivingUp(const std::function<void(size_t)>& finished,
                                                   const std::stop_token& stop) {
  const auto records = records_.subspan(todo_.back().begin, giving_up_->count);
  const bool must_leave = !context_.destination.is_none();
  bool is_left = !must_leave;
  if (giving_up_->attempts == 0)
    LogWarn("trigger {}: {} records given up ({}), shard {}, sequence numbers {} to {}", context_.account.mapping_uuid,
            records.size(), giving_up_->condition, context_.account.shard_id, records.front().sequence_number(),
            records.back().sequence_number());
  if (must_leave && giving_up_->attempts < kDestinationAttempts) {
    is_left = LeaveAccount(records, stop);
    if (!is_left) return PauseAfter(++giving_up_->attempts);
  }
  if (!is_left) context_.counters.destination_failures.Add();
  context_.counters.discarded.Add(records.size());
  giving_up_.reset();
  return FinishFront(records.size(), finished);
}

bool BatchDelivery::LeaveAccount(std::span<const EventRecord> records, const std::stop_token& stop) {
  const std::string event = EventOf(records);
  FailedBatch batch = context_.account;
  batch.condition = giving_up_->condition;
  batch.invoke_count = giving_up_->invoke_count;
  batch.first_sequence_number = records.front().sequence_number();
  batch.last_sequence_number = records.back().sequence_number();
  batch.first_millis = records.front().created_millis;
  batch.last_millis = records.back().created_millis;
  batch.record_count = records.size();
  batch.event = event;
  const Status status = context_.destination.Send(batch, context_.clock.NowMillis(), stop);
  if (!status.ok())
    LogWarn("trigger {}: the destination did not take a failed batch: {}", batch.mapping_uuid, status.message());
  return status.ok();
}

BatchDelivery::Outcome BatchDelivery::PauseAfter(int64_t failures) const {
  const int64_t doublings = std::min<int64_t>(failures - 1, 20);
  return {Progress::kPause, std::min(rules_.first_pause_millis << doublings, rules_.longest_pause_millis)};
}

}  // namespace armature::triggers
