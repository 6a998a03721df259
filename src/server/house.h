// House: every part of a running server, each standing on those declared before it.
//
// The only place that knows them all: wiring, and the order of starting and stopping. Built on the main thread; Open
// starts the network and the workers, Close stops them in reverse, answers what is under way first, and closes the
// store. Used by serve.cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include "api/request_context.h"
#include "auth/accept_any.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/result.h"
#include "front/dispatcher.h"
#include "front/pipeline.h"
#include "net/server.h"
#include "server/options.h"
#include "storage/engine.h"
#include "table/catalog.h"
#include "table/journal/journal.h"
#include "table/read/lagged_view.h"
#include "table/read/read_path.h"
#include "table/txn/token_store.h"
#include "table/write/write_path.h"
#include "triggers/triggers.h"
#include "workers/index_backfill.h"
#include "workers/kinesis_worker.h"
#include "workers/memory_watch.h"
#include "workers/periodic.h"
#include "workers/ttl_setup.h"
#include "workers/ttl_sweep.h"

namespace armature::server {

class House {
 public:
  // Opens the store and loads what is in it. The error is one line fit for a user.
  static Result<std::unique_ptr<House>> Build(const ServeOptions& options);

  // Listens and starts the workers. On an error the house is closed again.
  Status Open();
  // REQUIRES: open.
  uint16_t port() const { return server_->port(); }

  // Drains, stops, closes. Ok if everything acknowledged is where it belongs.
  Status Close();

 private:
  House(const ServeOptions& options, std::unique_ptr<Metrics> metrics, std::unique_ptr<storage::Engine> engine);
  Status Load();
  Status LoadTriggers();
  void StartRecount();
  void KeepHouse();
  void Expire();

  const ServeOptions options_;
  const SystemClock clock_;
  SystemRandom random_;
  const std::unique_ptr<Metrics> metrics_;
  const std::unique_ptr<storage::Engine> engine_;

  table::Catalog catalog_;
  table::Journal journal_;
  std::optional<table::LaggedView> lagged_view_;
  std::optional<table::ReadPath> reads_;  // made by Load, once there is a view to read from
  table::WritePath writes_;
  table::TokenStore tokens_;
  workers::IndexBackfill index_backfill_;
  workers::TtlSetup ttl_setup_;
  workers::TtlSweep ttl_sweep_;
  workers::KinesisWorker kinesis_;
  std::optional<triggers::Triggers> triggers_;  // made by Load, from the trigger files
  std::optional<api::Services> services_;

  workers::MemoryWatch memory_watch_;
  workers::Periodic housekeeping_;
  workers::Periodic indexing_;
  workers::Periodic expiring_;
  std::optional<workers::Periodic> view_sampling_;
  bool must_take_clean_stop_ = false;   // the mark of the last stop is still there; housekeeping's, once loaded
  std::atomic<bool> is_counted_{true};  // false: the statistics are not known to be exact
  std::jthread recount_;

  const auth::AcceptAnyVerifier verifier_;
  std::optional<front::Pipeline> pipeline_;
  std::optional<front::Dispatcher> dispatcher_;
  std::optional<net::Server> server_;
};

}  // namespace armature::server
