#include "triggers/shard_runner.h"

#include <algorithm>

#include <xxhash.h>

#include "base/log.h"
#include "wire/attribute_json.h"
#include "wire/change_json.h"

namespace armature::triggers {

namespace {

using std::chrono::milliseconds;

// A busy shard is read in portions, not record by record: the delay buys full batches, and leaves the processor to the
// writers.
constexpr milliseconds kBetweenReads(20);
// A shard that was closed without another record, or a table that others' records drown out, is noticed this late.
constexpr milliseconds kLongestWait(500);
constexpr milliseconds kAfterFailure(1000);
// Of one queue, and of all queues of a shard: a queue that stands still does not use up the others' room.
constexpr size_t kMaxQueueBytes = 2 * kMaxEventBytes;
constexpr size_t kMaxShardBytes = 4 * kMaxEventBytes;
constexpr size_t kLeastQueueRecords = 1000;
// Brackets and commas around the records of an event.
constexpr size_t kEventOverhead = 64;

}  // namespace

ShardRunner::ShardRunner(const MappingContext& context, const table::Lane& lane, table::Position start)
    : context_(context),
      lane_(lane.id),
      shard_id_(lane.shard_id()),
      region_(context.mapping->region),
      max_queued_records_(std::max(static_cast<size_t>(context.mapping->batch_size) * 2, kLeastQueueRecords)),
      progress_(start),
      next_(start) {
  const auto count = static_cast<size_t>(context.mapping->parallelization_factor);
  for (size_t i = 0; i < count; ++i) queues_.push_back(std::make_unique<Queue>());
  running_threads_ = count + 1;
  threads_.emplace_back([this] {
    ReadAll(stop_.get_token());
    --running_threads_;
  });
  for (auto& queue : queues_) {
    threads_.emplace_back([this, &queue] {
      DeliverAll(*queue, stop_.get_token());
      --running_threads_;
    });
  }
}

ShardRunner::~ShardRunner() {
  RequestStop();
  Await();
}

void ShardRunner::Await() { threads_.clear(); }

void ShardRunner::RequestStop() {
  stop_.request_stop();
  context_.journal.Wake();
}

ShardRunner::View ShardRunner::view() const {
  std::lock_guard lock(mutex_);
  View view;
  view.next = progress_.next();
  view.is_done = is_read_ && progress_.is_idle();
  view.is_behind = !progress_.is_idle() || !is_caught_up_;
  if (!progress_.is_idle()) view.oldest_millis = progress_.oldest_millis();
  return view;
}

// --- reading --------------------------------------------------------------------------------------------------------

void ShardRunner::ReadAll(const std::stop_token& stop) {
  Arena arena;
  while (!stop.stop_requested()) {
    const auto started = std::chrono::steady_clock::now();
    const uint64_t records_before = context_.table->journal().records();
    arena.Reset();
    auto page = RunBlocking(context_.journal.Read(*context_.table, lane_, next_, {}, context_.images, arena));
    if (!page && page.error().code() != StatusCode::kNotFound) {
      LogError("trigger {}: reading shard {}: {}", context_.mapping->label(), shard_id_, page.error().ToString());
      Pause(kAfterFailure, stop);
      continue;
    }
    // A lane that is not there any more was trimmed whole.
    if (page && page->was_trimmed && next_ > 0)
      LogWarn("trigger {}: records of shard {} were trimmed before they were delivered", context_.mapping->label(),
              shard_id_);
    if (page && !SendPage(*page, stop)) return;
    const bool is_done = !page || page->is_done;
    {
      std::lock_guard lock(mutex_);
      if (page) progress_.Read(page->next);
      is_caught_up_ = is_done || page->is_caught_up;
      is_read_ = is_done;
      if (is_done)
        for (auto& queue : queues_) queue->changed.notify_all();
    }
    if (is_done) return;
    next_ = page->next;
    if (!page->is_caught_up) continue;
    AwaitMore(records_before, stop);
    const auto spent = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - started);
    if (spent < kBetweenReads) Pause(kBetweenReads - spent, stop);
  }
}

bool ShardRunner::SendPage(const table::JournalPage& page, const std::stop_token& stop) {
  const wire::ChangeSource source{region_, {}, context_.mapping->event_source_arn, context_.images};
  for (const model::ChangeRecord& record : page.records) {
    EventRecord event;
    wire::AppendLambdaRecord(record, source, event.json);
    if (!IsWanted(event.json)) {
      context_.stats->counters.filtered.Add();
      continue;
    }
    event.position = record.position;
    event.created_millis = record.created_millis;
    if (!Enqueue(std::move(event), QueueOf(record), stop)) return false;
  }
  std::lock_guard lock(mutex_);
  ReleaseAll();
  return true;
}

// REQUIRES: mutex_ is held.
void ShardRunner::ReleaseAll() {
  for (auto& queue : queues_) {
    if (queue->records.empty() || queue->is_ready) continue;
    queue->is_ready = true;
    queue->changed.notify_one();
  }
}

bool ShardRunner::IsWanted(std::string_view record_json) {
  if (context_.filter.lets_everything_through()) return true;
  simdjson::dom::element record;
  if (parser_.parse(record_json.data(), record_json.size()).get(record) != simdjson::SUCCESS) return true;
  return context_.filter.Matches(record);
}

size_t ShardRunner::QueueOf(const model::ChangeRecord& record) {
  if (queues_.size() == 1) return 0;
  key_json_.clear();
  wire::AppendItemAsJson(record.keys, key_json_);
  return XXH3_64bits(key_json_.data(), key_json_.size()) % queues_.size();
}

bool ShardRunner::Enqueue(EventRecord record, size_t queue_index, const std::stop_token& stop) {
  Queue& queue = *queues_[queue_index];
  std::unique_lock lock(mutex_);
  const auto has_room = [&] {
    const size_t bytes = record.json.size();
    return queue.records.empty() || (queue.records.size() < max_queued_records_ &&
                                     queue.bytes + bytes <= kMaxQueueBytes && queued_bytes_ + bytes <= kMaxShardBytes);
  };
  if (!has_room()) {
    ReleaseAll();  // who waits for one queue must not hold up the others
    if (!room_.wait(lock, stop, has_room)) return false;
  }
  if (queue.records.empty()) queue.first_came = std::chrono::steady_clock::now();
  progress_.Sent(record.position, record.created_millis);
  queue.bytes += record.json.size();
  queued_bytes_ += record.json.size();
  queue.records.push_back(std::move(record));
  const bool is_full =
      queue.records.size() >= static_cast<size_t>(context_.mapping->batch_size) || queue.bytes >= kMaxEventBytes;
  if (is_full) {
    queue.is_ready = true;
    queue.changed.notify_one();
  }
  return true;
}

// Until this table has new records; other tables ring the same bell.
void ShardRunner::AwaitMore(uint64_t records_before, const std::stop_token& stop) {
  const auto latest = std::chrono::steady_clock::now() + kLongestWait;
  while (!stop.stop_requested() && context_.table->journal().records() == records_before) {
    const auto left = std::chrono::duration_cast<milliseconds>(latest - std::chrono::steady_clock::now());
    if (left <= milliseconds(0)) return;
    const uint64_t seen = bell_;
    bell_ = context_.journal.AwaitRecords(bell_, left);
    const bool is_ours = context_.table->journal().records() != records_before;
    if (bell_ != seen && !is_ours) Pause(kBetweenReads, stop);
  }
}

bool ShardRunner::Pause(milliseconds at_most, const std::stop_token& stop) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  never.wait_for(lock, stop, at_most, [] { return false; });
  return !stop.stop_requested();
}

// --- delivering -----------------------------------------------------------------------------------------------------

void ShardRunner::DeliverAll(Queue& queue, const std::stop_token& stop) {
  FailedBatch account;
  account.mapping_uuid = context_.mapping->uuid;
  account.function_arn = context_.mapping->function_arn();
  account.stream_arn = context_.mapping->event_source_arn;
  account.shard_id = shard_id_;
  const auto pause = [this](int64_t millis, const std::stop_token& stopping) {
    return Pause(milliseconds(millis), stopping);
  };
  const auto told = [this](const std::string& error) {
    context_.stats->SetLastResult(error.empty() ? "OK" : "PROBLEM: Function call failed");
    if (!error.empty() && context_.stats->ShouldLogFailure(context_.clock.NowMillis()))
      LogWarn("trigger {}: function {} failed: {}", context_.mapping->label(), context_.mapping->function_name, error);
  };
  BatchDelivery delivery(DeliveryRules::Of(*context_.mapping), {context_.function, context_.destination, context_.clock,
                                                                context_.stats->counters, account, pause, told});
  for (;;) {
    const std::vector<EventRecord> batch = TakeBatch(queue, stop);
    if (batch.empty()) return;
    size_t done = 0;
    const auto finished = [&](size_t count) {
      std::lock_guard lock(mutex_);
      for (const size_t end = done + count; done < end; ++done) progress_.Finished(batch[done].position);
    };
    if (!delivery.Deliver(batch, finished, stop)) return;
  }
}

// Empty: stopped, or nothing more will come.
std::vector<EventRecord> ShardRunner::TakeBatch(Queue& queue, const std::stop_token& stop) {
  const auto batch_size = static_cast<size_t>(context_.mapping->batch_size);
  std::unique_lock lock(mutex_);
  queue.changed.wait(lock, stop, [&] { return queue.is_ready || is_read_; });
  const auto is_full = [&] { return is_read_ || queue.records.size() >= batch_size || queue.bytes >= kMaxEventBytes; };
  if (context_.mapping->batching_window_seconds > 0 && !queue.records.empty())
    queue.changed.wait_until(
        lock, stop, queue.first_came + std::chrono::seconds(context_.mapping->batching_window_seconds), is_full);
  std::vector<EventRecord> batch;
  if (stop.stop_requested()) return batch;
  size_t bytes = kEventOverhead;
  while (!queue.records.empty() && batch.size() < batch_size) {
    const size_t record_bytes = queue.records.front().json.size() + 1;
    if (!batch.empty() && bytes + record_bytes > kMaxEventBytes) break;
    bytes += record_bytes;
    queue.bytes -= queue.records.front().json.size();
    queued_bytes_ -= queue.records.front().json.size();
    batch.push_back(std::move(queue.records.front()));
    queue.records.pop_front();
  }
  queue.is_ready = !queue.records.empty();
  if (!queue.records.empty()) queue.first_came = std::chrono::steady_clock::now();
  room_.notify_all();
  return batch;
}

}  // namespace armature::triggers
