#include "triggers/lane_runner.h"

#include <algorithm>

#include <xxhash.h>

#include "base/log.h"
#include "base/log_limit.h"
#include "wire/json/attribute_json.h"
#include "wire/json/change_json.h"

namespace armature::triggers {

namespace {

using std::chrono::milliseconds;

// A busy lane is read in portions, not record by record: the delay buys full batches, and leaves the processor to the
// writers.
constexpr milliseconds kBetweenReads(20);
// A lane that was closed without another record, or a table that others' records drown out, is noticed this late.
constexpr milliseconds kLongestWait(500);
constexpr milliseconds kAfterFailure(1000);
// Of one queue, and of all queues of a lane: a queue that stands still does not use up the others' room.
constexpr size_t kMaxQueueBytes = 2 * kMaxEventBytes;
constexpr size_t kMaxLaneBytes = 4 * kMaxEventBytes;
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

LaneRunner::LaneRunner(const MappingContext& context, std::shared_ptr<followers::FollowedLane> lane)
    : context_(context),
      lane_(std::move(lane)),
      shard_id_(lane_->lane().shard_id()),
      region_(context.mapping->region),
      max_queued_records_(std::max(static_cast<size_t>(context.mapping->batch_size) * 2, kLeastQueueRecords)),
      deliver_([this](const auto&, followers::LaneBatch& batch) { return TakeOn(batch); }) {
  const auto count = static_cast<size_t>(context.mapping->parallelization_factor);
  for (size_t i = 0; i < count; ++i) queues_.push_back(std::make_unique<Queue>());
  for (auto& queue : queues_) {
    queue->delivery = MakeDelivery();
    queue->task = context_.threads.delivering.AddParked([this, &queue] { return DeliverStep(*queue); });
  }
  // A step may begin before Add has returned: the tasks see each other once this is released.
  MutexLock lock(mutex_);
  reader_ = context_.threads.reading.Add([this] { return ReadStep(); });
}

LaneRunner::~LaneRunner() {
  RequestStop();
  Await();
}

template <class Do>
void LaneRunner::ForEachTask(Do&& action) const {
  action(context_.threads.reading, reader_);
  for (const auto& queue : queues_) action(context_.threads.delivering, queue->task);
}

void LaneRunner::RequestStop() {
  stop_.request_stop();
  ForEachTask([](TaskPool& pool, const TaskPool::Handle& task) { pool.Cancel(task); });
  LeaveTurns();
}

// A turn that was kept for a task that has ended would be nobody's.
void LaneRunner::LeaveTurns() {
  if (Turns* const turns = context_.function.turns())
    for (const auto& queue : queues_) turns->Leave(queue.get());
}

void LaneRunner::Await() {
  ForEachTask([](TaskPool& pool, const TaskPool::Handle& task) { pool.AwaitEnd(task); });
  context_.threads.watch.Forget(reader_);
  LeaveTurns();  // again: a step that was under way may have asked since
}

bool LaneRunner::has_ended() const {
  bool has_ended = true;
  ForEachTask([&](TaskPool& pool, const TaskPool::Handle& task) { has_ended = has_ended && pool.HasEnded(task); });
  return has_ended;
}

TaskPool::Clock::duration LaneRunner::WaitsForThread() const {
  auto longest = TaskPool::Clock::duration::zero();
  ForEachTask([&](TaskPool& pool, const TaskPool::Handle& task) { longest = std::max(longest, pool.WaitsFor(task)); });
  return longest;
}

// --- reading

TaskPool::Next LaneRunner::ReadStep() {
  using Step = followers::FollowedLane::Step;
  if (stop_.stop_requested()) return TaskPool::Next::End();
  const auto now = TaskPool::Clock::now();
  if (last_step_ == Step::kCaughtUp && now < read_at_ + kBetweenReads)
    return TaskPool::Next::At(read_at_ + kBetweenReads);
  if (last_step_ != Step::kNoRoom) read_at_ = now;
  const auto advanced = RunBlocking(lane_->Advance({}, deliver_));
  if (!advanced) {
    static LogLimit limit;
    if (const auto more = limit.Pass())
      LogError("trigger {}: reading shard {}: {} ({} more like it)", context_.mapping->label(), shard_id_,
               advanced.error().ToString(), *more);
    return TaskPool::Next::After(kAfterFailure);
  }
  if (advanced->was_trimmed)
    LogWarn("trigger {}: records of shard {} were trimmed before they were delivered", context_.mapping->label(),
            shard_id_);
  last_step_ = advanced->step;
  return AfterReading(advanced->step);
}

TaskPool::Next LaneRunner::AfterReading(followers::FollowedLane::Step step) {
  using Step = followers::FollowedLane::Step;
  switch (step) {
    case Step::kMore: return TaskPool::Next::Now();
    case Step::kNoRoom: return TaskPool::Next::WhenWoken();
    case Step::kCaughtUp: break;
    case Step::kStopped: return TaskPool::Next::End();
    case Step::kRead: {
      MutexLock lock(mutex_);
      is_read_ = true;
      for (auto& queue : queues_) context_.threads.delivering.Wake(queue->task);
      return TaskPool::Next::End();
    }
  }
  TaskPool::Handle reader;
  {
    MutexLock lock(mutex_);  // the constructor has it until it knows the task
    reader = reader_;
  }
  context_.threads.watch.Await(context_.table, lane_->records_before(), context_.threads.reading, reader);
  return TaskPool::Next::After(kLongestWait);
}

Task<Status> LaneRunner::TakeOn(followers::LaneBatch& batch) {
  const wire::ChangeSource source{region_, {}, context_.mapping->event_source_arn, context_.images};
  for (; !batch.left().empty(); batch.TakeFirst()) {
    const model::ChangeRecord& record = batch.left().front();
    if (unsent_.json.empty()) {
      EventRecord event{{}, record.position, record.partition, record.created_millis};
      wire::AppendLambdaRecord(record, source, event.json);
      if (!IsWanted(event.json)) {
        context_.stats->counters.filtered.Add();
        lane_->Finished(record.position);
        continue;
      }
      unsent_ = std::move(event);
    }
    if (!Enqueue(unsent_, QueueOf(record))) co_return Status::Ok();
    unsent_ = {};
  }
  MutexLock lock(mutex_);
  ReleaseAll();
  co_return Status::Ok();
}

void LaneRunner::ReleaseAll() {
  for (auto& queue : queues_) {
    if (queue->records.empty() || queue->is_ready) continue;
    queue->is_ready = true;
    context_.threads.delivering.Wake(queue->task);
  }
}

bool LaneRunner::IsWanted(std::string_view record_json) {
  if (context_.filter.lets_everything_through()) return true;
  simdjson::dom::element record;
  if (parser_.parse(record_json.data(), record_json.size()).get(record) != simdjson::SUCCESS) return true;
  return context_.filter.Matches(record);
}

size_t LaneRunner::QueueOf(const model::ChangeRecord& record) {
  if (queues_.size() == 1) return 0;
  key_json_.clear();
  wire::AppendItemAsJson(record.keys, key_json_);
  return XXH3_64bits(key_json_.data(), key_json_.size()) % queues_.size();
}

bool LaneRunner::Enqueue(EventRecord& record, size_t queue_index) {
  Queue& queue = *queues_[queue_index];
  const size_t bytes = record.json.size();
  MutexLock lock(mutex_);
  const bool has_room =
      queue.records.empty() || (queue.records.size() < max_queued_records_ && queue.bytes + bytes <= kMaxQueueBytes &&
                                queued_bytes_ + bytes <= kMaxLaneBytes);
  is_reader_waiting_ = !has_room;
  if (!has_room) {
    ReleaseAll();  // who waits for one queue must not hold up the others
    return false;
  }
  if (queue.records.empty()) queue.first_came = TaskPool::Clock::now();
  queue.bytes += bytes;
  queued_bytes_ += bytes;
  queue.records.push_back(std::move(record));
  const bool is_full =
      queue.records.size() >= static_cast<size_t>(context_.mapping->batch_size) || queue.bytes >= kMaxEventBytes;
  if (is_full) {
    queue.is_ready = true;
    context_.threads.delivering.Wake(queue.task);
  }
  return true;
}

// --- delivering

std::unique_ptr<BatchDelivery> LaneRunner::MakeDelivery() {
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
void LaneRunner::TellOfShortage(const std::string& why) {
  context_.threads.is_process_missing = true;
  context_.stats->SetLastResult("PROBLEM: Function cannot be started");
  static LogLimit limit;
  if (const auto more = limit.Pass())
    LogWarn("trigger {}: function {} cannot be called now: {} ({} more like it)", context_.mapping->label(),
            context_.mapping->function_name, why, *more);
}

TaskPool::Next LaneRunner::DeliverStep(Queue& queue) {
  if (stop_.stop_requested()) return TaskPool::Next::End();
  if (queue.batch.empty()) {
    if (const auto later = TakeBatch(queue)) return *later;
    queue.delivery->Begin(queue.batch);
    queue.retry_at = {};
  }
  // Woken for something else: what has failed is not tried before its time.
  if (TaskPool::Clock::now() < queue.retry_at) return TaskPool::Next::At(queue.retry_at);
  TaskPool& pool = context_.threads.delivering;
  const TurnTaken turn(context_.function.turns(), &queue, [&pool, task = queue.task] { pool.Wake(task); });
  if (!turn) return TaskPool::Next::WhenWoken();
  const auto finished = [&](size_t count) {
    for (const size_t end = queue.done + count; queue.done < end; ++queue.done)
      lane_->Finished(queue.batch[queue.done].position);
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

std::optional<TaskPool::Next> LaneRunner::TakeBatch(Queue& queue) {
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
    context_.threads.reading.Wake(reader_);
  }
  return std::nullopt;
}

}  // namespace armature::triggers
