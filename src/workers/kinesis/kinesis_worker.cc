#include "workers/kinesis/kinesis_worker.h"

#include <chrono>

namespace armature::workers {

using std::chrono::milliseconds;

namespace {

// A stream that does not answer holds a thread for as long as a request may take: enough that a few of them do no harm.
constexpr size_t kThreads = 16;
// A safety net only: whoever has news wakes.
constexpr milliseconds kLongestRest(1000);

}  // namespace

KinesisWorker::KinesisWorker(KinesisOptions options, table::Catalog& catalog, table::Journal& journal,
                             const Clock& clock, RandomSource& random, Metrics& metrics)
    : catalog_(catalog),
      client_(std::move(options)),
      meters_(metrics, clock),
      deps_{catalog, journal, clock, random, client_, meters_},
      pool_("delivering to Kinesis", kThreads),
      watch_(journal) {}

KinesisWorker::~KinesisWorker() { Stop(); }

void KinesisWorker::Start() {
  {
    MutexLock lock(mutex_);
    is_running_ = true;
  }
  for (const auto& table : catalog_.AllTables()) {
    if (table->def()->LiveKinesisDestination()) Announce(table);
  }
}

void KinesisWorker::Announce(const std::shared_ptr<table::Table>& table) {
  MutexLock lock(mutex_);
  if (!is_running_) return;
  auto& runner = runners_[table->id()];
  if (runner && !runner->has_ended) return pool_.Wake(runner->task);
  if (runner) Drop(*runner);
  runner = std::make_unique<Runner>(deps_, table);
  runner->task = pool_.Add([this, &started = *runner] { return Step(started); });
}

Task<void> KinesisWorker::OnTableChange(const table::TableChange& change) {
  if (!change.before || !change.after) co_return;
  const auto* before = change.before->LiveKinesisDestination();
  const auto* after = change.after->LiveKinesisDestination();
  // Into any other state delivery itself puts it.
  if (!after || after->status == model::KinesisStatus::kActive) co_return;
  if (!before || before->generation != after->generation || before->status != after->status) Announce(change.table);
}

// REQUIRES: it has ended, or is cancelled.
void KinesisWorker::Drop(Runner& runner) {
  pool_.AwaitEnd(runner.task);  // soon: it has nothing left to do
  watch_.Forget(runner.task);
}

void KinesisWorker::Tend() {
  pool_.Tend();
  MutexLock lock(mutex_);
  std::erase_if(runners_, [this](const auto& entry) {
    if (!entry.second->has_ended) return false;
    Drop(*entry.second);
    return true;
  });
}

size_t KinesisWorker::runners() const {
  MutexLock lock(mutex_);
  return runners_.size();
}

void KinesisWorker::Stop() {
  std::map<uint64_t, std::unique_ptr<Runner>> ending;
  {
    MutexLock lock(mutex_);
    is_running_ = false;
    ending.swap(runners_);
  }
  stop_.request_stop();
  for (auto& [id, runner] : ending) pool_.Cancel(runner->task);
  for (auto& [id, runner] : ending) Drop(*runner);
}

TaskPool::Next KinesisWorker::Step(Runner& runner) {
  TaskPool::Handle task;
  {
    MutexLock lock(mutex_);  // Announce has it until it knows the task
    task = runner.task;
  }
  const uint64_t records = runner.table->journal().records();
  const auto outcome = runner.delivery.Step(stop_.get_token());
  switch (outcome.next) {
    case KinesisDelivery::Next::kAgain: break;
    case KinesisDelivery::Next::kPause: return TaskPool::Next::After(outcome.pause);
    case KinesisDelivery::Next::kAwaitRecords:
      watch_.Await(runner.table, records, pool_, task);
      return TaskPool::Next::After(kLongestRest);
    case KinesisDelivery::Next::kEnd:
      if (EndIfIdle(runner)) return TaskPool::Next::End();
      break;
  }
  return TaskPool::Next::Now();
}

bool KinesisWorker::EndIfIdle(Runner& runner) {
  MutexLock lock(mutex_);
  const auto def = runner.table->def();
  const bool is_there = catalog_.Find({def->account, def->region}, def->name) == runner.table;
  runner.has_ended = !is_there || !def->LiveKinesisDestination();
  return runner.has_ended;
}

}  // namespace armature::workers
