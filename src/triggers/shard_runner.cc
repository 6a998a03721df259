#include "triggers/shard_runner.h"

#include <algorithm>

#include <xxhash.h>

#include "base/log.h"
#include "base/log_limit.h"
#include "wire/json/attribute_json.h"
#include "wire/json/change_json.h"

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

// A turn, if there was one, or no need of one; given back at the end, however that comes.
class TurnTaken {
 public:
  TurnTaken(Turns* turns, Turns::Who who, std::function<void()> when_kept)
      : turns_(turns), is_taken_(!turns || turns->TryTake(who, std::move(when_kept))) {}
  ~TurnTaken() {
    if (turns_ && is_taken_) turns_->Give();
  }
  TurnTaken(const TurnTaken&) = delete;
  TurnTaken& operator=(const TurnTaken&) = delete;
  explicit operator bool() const { return is_taken_; }

 private:
  Turns* const turns_;
  const bool is_taken_;
};

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
  for (auto& queue : queues_) {
    queue->delivery = MakeDelivery();
    queue->task = context_.followers.delivering.AddParked([this, &queue] { return DeliverStep(*queue); });
  }
  // A step may begin before Add has returned: the tasks see each other once this is released.
  MutexLock lock(mutex_);
  reader_ = context_.followers.reading.Add([this] { return ReadStep(); });
}

ShardRunner::~ShardRunner() {
  RequestStop();
  Await();
}

template <class Do>
void ShardRunner::ForEachTask(Do&& action) const {
  action(context_.followers.reading, reader_);
  for (const auto& queue : queues_) action(context_.followers.delivering, queue->task);
}

void ShardRunner::RequestStop() {
  stop_.request_stop();
  ForEachTask([](TaskPool& pool, const TaskPool::Handle& task) { pool.Cancel(task); });
  LeaveTurns();
}

// A turn that was kept for a task that has ended would be nobody's.
void ShardRunner::LeaveTurns() {
  if (Turns* const turns = context_.function.turns())
    for (const auto& queue : queues_) turns->Leave(queue.get());
}

void ShardRunner::Await() {
  ForEachTask([](TaskPool& pool, const TaskPool::Handle& task) { pool.AwaitEnd(task); });
  context_.followers.watch.Forget(reader_);
  LeaveTurns();  // again: a step that was under way may have asked since
}

bool ShardRunner::has_ended() const {
  bool has_ended = true;
  ForEachTask([&](TaskPool& pool, const TaskPool::Handle& task) { has_ended = has_ended && pool.HasEnded(task); });
  return has_ended;
}

TaskPool::Clock::duration ShardRunner::WaitsForThread() const {
  auto longest = TaskPool::Clock::duration::zero();
  ForEachTask([&](TaskPool& pool, const TaskPool::Handle& task) { longest = std::max(longest, pool.WaitsFor(task)); });
  return longest;
}

ShardRunner::View ShardRunner::view() const {
  MutexLock lock(mutex_);
  View view;
  view.next = progress_.next();
  view.is_done = is_read_ && progress_.is_idle();
  view.is_behind = !progress_.is_idle() || !is_caught_up_;
  if (!progress_.is_idle()) view.oldest_millis = progress_.oldest_millis();
  return view;
}

// --- reading

TaskPool::Next ShardRunner::ReadStep() {
  if (stop_.stop_requested()) return TaskPool::Next::End();
  if (!page_) {
    if (const auto later = ReadPage()) return *later;
  }
  if (!SendPage()) return TaskPool::Next::WhenWoken();
  return FinishPage();
}

// Nothing: there is a page. Else when to come back.
std::optional<TaskPool::Next> ShardRunner::ReadPage() {
  const auto now = TaskPool::Clock::now();
  {
    MutexLock lock(mutex_);
    if (is_caught_up_ && now < read_at_ + kBetweenReads) return TaskPool::Next::At(read_at_ + kBetweenReads);
  }
  read_at_ = now;
  records_before_ = context_.table->journal().records();
  arena_.Reset();
  auto page = RunBlocking(context_.journal.Read(*context_.table, lane_, next_, {}, context_.images, arena_));
  if (!page && page.error().code() != StatusCode::kNotFound) {
    static LogLimit limit;
    if (const auto more = limit.Pass())
      LogError("trigger {}: reading shard {}: {} ({} more like it)", context_.mapping->label(), shard_id_,
               page.error().ToString(), *more);
    return TaskPool::Next::After(kAfterFailure);
  }
  sent_ = 0;
  if (!page) {
    // A lane that is not there any more was trimmed whole.
    page_.emplace();
    page_->next = next_;
    page_->is_caught_up = page_->is_done = true;
    return std::nullopt;
  }
  if (page->was_trimmed && next_ > 0)
    LogWarn("trigger {}: records of shard {} were trimmed before they were delivered", context_.mapping->label(),
            shard_id_);
  page_ = std::move(*page);
  return std::nullopt;
}

TaskPool::Next ShardRunner::FinishPage() {
  const bool is_done = page_->is_done, is_caught_up = page_->is_caught_up;
  next_ = page_->next;
  page_.reset();
  {
    MutexLock lock(mutex_);
    progress_.Read(next_);
    is_caught_up_ = is_done || is_caught_up;
    is_read_ = is_done;
    if (is_done)
      for (auto& queue : queues_) context_.followers.delivering.Wake(queue->task);
  }
  if (is_done) return TaskPool::Next::End();
  if (!is_caught_up) return TaskPool::Next::Now();
  context_.followers.watch.Await(context_.table, records_before_, context_.followers.reading, reader_);
  return TaskPool::Next::After(kLongestWait);
}

bool ShardRunner::SendPage() {
  const wire::ChangeSource source{region_, {}, context_.mapping->event_source_arn, context_.images};
  for (; sent_ < page_->records.size(); ++sent_) {
    const model::ChangeRecord& record = page_->records[sent_];
    if (unsent_.json.empty()) {
      EventRecord event{{}, record.position, record.partition, record.created_millis};
      wire::AppendLambdaRecord(record, source, event.json);
      if (!IsWanted(event.json)) {
        context_.stats->counters.filtered.Add();
        continue;
      }
      unsent_ = std::move(event);
    }
    if (!Enqueue(unsent_, QueueOf(record))) return false;
    unsent_ = {};
  }
  MutexLock lock(mutex_);
  ReleaseAll();
  return true;
}

void ShardRunner::ReleaseAll() {
  for (auto& queue : queues_) {
    if (queue->records.empty() || queue->is_ready) continue;
    queue->is_ready = true;
    context_.followers.delivering.Wake(queue->task);
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

bool ShardRunner::Enqueue(EventRecord& record, size_t queue_index) {
  Queue& queue = *queues_[queue_index];
  const size_t bytes = record.json.size();
  MutexLock lock(mutex_);
  const bool has_room =
      queue.records.empty() || (queue.records.size() < max_queued_records_ && queue.bytes + bytes <= kMaxQueueBytes &&
                                queued_bytes_ + bytes <= kMaxShardBytes);
  is_reader_waiting_ = !has_room;
  if (!has_room) {
    ReleaseAll();  // who waits for one queue must not hold up the others
    return false;
  }
  if (queue.records.empty()) queue.first_came = TaskPool::Clock::now();
  progress_.Sent(record.position, record.created_millis);
  queue.bytes += bytes;
  queued_bytes_ += bytes;
  queue.records.push_back(std::move(record));
  const bool is_full =
      queue.records.size() >= static_cast<size_t>(context_.mapping->batch_size) || queue.bytes >= kMaxEventBytes;
  if (is_full) {
    queue.is_ready = true;
    context_.followers.delivering.Wake(queue.task);
  }
  return true;
}

// --- delivering

std::unique_ptr<BatchDelivery> ShardRunner::MakeDelivery() {
  FailedBatch account;
  account.mapping_uuid = context_.mapping->uuid;
  account.function_arn = context_.mapping->function_arn();
  account.stream_arn = context_.mapping->event_source_arn;
  account.shard_id = shard_id_;
  const auto told = [this](bool has_run, const std::string& error) {
    if (!has_run) return TellOfShortage(error);
    context_.stats->SetLastResult(error.empty() ? "OK" : "PROBLEM: Function call failed");
    if (!error.empty() && context_.stats->ShouldLogFailure(context_.clock.NowMillis()))
      LogWarn("trigger {}: function {} failed: {}", context_.mapping->label(), context_.mapping->function_name, error);
  };
  return std::make_unique<BatchDelivery>(DeliveryRules::Of(*context_.mapping),
                                         DeliveryContext{context_.function, context_.destination, context_.clock,
                                                         context_.stats->counters, account, told});
}

// There is no process or thread for a call: it is made when there is.
void ShardRunner::TellOfShortage(const std::string& why) {
  context_.followers.is_process_missing = true;
  context_.stats->SetLastResult("PROBLEM: Function cannot be started");
  static LogLimit limit;
  if (const auto more = limit.Pass())
    LogWarn("trigger {}: function {} cannot be called now: {} ({} more like it)", context_.mapping->label(),
            context_.mapping->function_name, why, *more);
}

TaskPool::Next ShardRunner::DeliverStep(Queue& queue) {
  if (stop_.stop_requested()) return TaskPool::Next::End();
  if (queue.batch.empty()) {
    if (const auto later = TakeBatch(queue)) return *later;
    queue.delivery->Begin(queue.batch);
    queue.retry_at = {};
  }
  // Woken for something else: what has failed is not tried before its time.
  if (TaskPool::Clock::now() < queue.retry_at) return TaskPool::Next::At(queue.retry_at);
  TaskPool& pool = context_.followers.delivering;
  const TurnTaken turn(context_.function.turns(), &queue, [&pool, task = queue.task] { pool.Wake(task); });
  if (!turn) return TaskPool::Next::WhenWoken();
  const auto finished = [&](size_t count) {
    MutexLock lock(mutex_);
    for (const size_t end = queue.done + count; queue.done < end; ++queue.done)
      progress_.Finished(queue.batch[queue.done].position);
  };
  const BatchDelivery::Outcome outcome = queue.delivery->Advance(finished, stop_.get_token());
  switch (outcome.progress) {
    case BatchDelivery::Progress::kAgain: return TaskPool::Next::Now();
    case BatchDelivery::Progress::kPause: break;
    case BatchDelivery::Progress::kStopped: return TaskPool::Next::End();
    case BatchDelivery::Progress::kDone: {
      MutexLock lock(mutex_);
      queue.batch.clear();
      return TaskPool::Next::Now();
    }
  }
  queue.retry_at = TaskPool::Clock::now() + milliseconds(outcome.pause_millis);
  return TaskPool::Next::At(queue.retry_at);
}

std::optional<TaskPool::Next> ShardRunner::TakeBatch(Queue& queue) {
  const auto batch_size = static_cast<size_t>(context_.mapping->batch_size);
  MutexLock lock(mutex_);
  if (queue.records.empty() && is_read_) return TaskPool::Next::End();
  if (!queue.is_ready && !is_read_) return TaskPool::Next::WhenWoken();
  const bool is_full = is_read_ || queue.records.size() >= batch_size || queue.bytes >= kMaxEventBytes;
  const auto window_ends = queue.first_came + std::chrono::seconds(context_.mapping->batching_window_seconds);
  if (!is_full && TaskPool::Clock::now() < window_ends) return TaskPool::Next::At(window_ends);
  size_t bytes = kEventOverhead;
  queue.done = 0;
  while (!queue.records.empty() && queue.batch.size() < batch_size) {
    const size_t record_bytes = queue.records.front().json.size() + 1;
    if (!queue.batch.empty() && bytes + record_bytes > kMaxEventBytes) break;
    bytes += record_bytes;
    queue.bytes -= queue.records.front().json.size();
    queued_bytes_ -= queue.records.front().json.size();
    queue.batch.push_back(std::move(queue.records.front()));
    queue.records.pop_front();
  }
  queue.is_ready = !queue.records.empty();
  if (!queue.records.empty()) queue.first_came = TaskPool::Clock::now();
  if (is_reader_waiting_) {
    is_reader_waiting_ = false;
    context_.followers.reading.Wake(reader_);
  }
  return std::nullopt;
}

}  // namespace armature::triggers
