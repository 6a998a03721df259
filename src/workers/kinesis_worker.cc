#include "workers/kinesis_worker.h"

#include <chrono>

namespace armature::workers {

using std::chrono::milliseconds;

namespace {

// Records that come one by one are collected this long, so that a request carries many.
constexpr milliseconds kGathering(10);
// A safety net only: whoever has news rings.
constexpr milliseconds kLongestRest(1000);

}  // namespace

KinesisWorker::KinesisWorker(KinesisOptions options, table::Catalog& catalog, table::Journal& journal,
                             const Clock& clock, RandomSource& random, Metrics& metrics)
    : catalog_(catalog), journal_(journal), client_(std::move(options)), meters_(metrics, clock), house_{catalog,
                                                                                                         journal,
                                                                                                         clock,
                                                                                                         random,
                                                                                                         client_,
                                                                                                         meters_} {}

KinesisWorker::~KinesisWorker() { Stop(); }

void KinesisWorker::Start() {
  {
    const std::lock_guard lock(mutex_);
    is_running_ = true;
  }
  for (const auto& table : catalog_.AllTables()) {
    if (table->def()->LiveKinesisDestination()) Announce(table);
  }
}

void KinesisWorker::Announce(const std::shared_ptr<table::Table>& table) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_running_) return;
    auto& runner = runners_[table->id()];
    if (!runner || runner->has_ended) {
      runner = std::make_unique<Runner>();  // waits for the thread of the ended one, which has nothing left to do
      runner->table = table;
      runner->thread = std::jthread([this, &started = *runner](const std::stop_token& stop) { Run(started, stop); });
    }
    ++runner->news;
  }
  wake_.notify_all();
  journal_.Wake();
}

void KinesisWorker::Stop() {
  std::map<uint64_t, std::unique_ptr<Runner>> ending;
  {
    const std::lock_guard lock(mutex_);
    is_running_ = false;
    ending.swap(runners_);
    for (auto& [id, runner] : ending) runner->thread.request_stop();
  }
  wake_.notify_all();
  journal_.Wake();
  ending.clear();
}

void KinesisWorker::Run(Runner& runner, const std::stop_token& stop) {
  KinesisDelivery delivery(house_, runner.table);
  const std::stop_callback wake(stop, [this] { journal_.Wake(); });
  uint64_t seen = 0;
  while (!stop.stop_requested()) {
    uint64_t news = 0;
    {
      const std::lock_guard lock(mutex_);
      news = runner.news;
    }
    const auto outcome = delivery.Step(stop);
    switch (outcome.next) {
      case KinesisDelivery::Next::kAgain: break;
      case KinesisDelivery::Next::kPause: Rest(runner, news, outcome.pause, stop); break;
      case KinesisDelivery::Next::kAwaitRecords:
        Rest(runner, news, kGathering, stop);
        if (!stop.stop_requested()) seen = journal_.AwaitRecords(seen, kLongestRest);
        break;
      case KinesisDelivery::Next::kEnd:
        if (EndIfIdle(runner)) return;
        break;
    }
  }
}

bool KinesisWorker::EndIfIdle(Runner& runner) {
  const std::lock_guard lock(mutex_);
  const auto def = runner.table->def();
  const bool is_there = catalog_.Find({def->account, def->region}, def->name) == runner.table;
  runner.has_ended = !is_there || !def->LiveKinesisDestination();
  return runner.has_ended;
}

void KinesisWorker::Rest(Runner& runner, uint64_t news, milliseconds pause, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, stop, pause, [&] { return runner.news != news; });
}

}  // namespace armature::workers
