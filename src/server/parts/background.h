// Background: what goes on over the tables while nobody asks for it, and the threads that drive it.
//
// Building indexes, Time to Live, delivery to Kinesis and to functions, housekeeping. Hears from the catalogue what
// there is to do. Stands on the Store and the Tables.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "server/parts/gate.h"
#include "server/parts/options.h"
#include "server/parts/store.h"
#include "server/parts/tables.h"
#include "server/process/memory_watch.h"
#include "triggers/triggers.h"
#include "workers/index_backfill.h"
#include "workers/kinesis/kinesis_worker.h"
#include "workers/periodic.h"
#include "workers/ttl/ttl_setup.h"
#include "workers/ttl/ttl_sweep.h"

namespace armature::server {

class Background {
 public:
  Background(const ServeOptions& options, Store& store, Gate& gate, Tables& tables);

  // Takes up what a stop or a crash left to do; reads the trigger files. REQUIRES: the tables are loaded.
  Status Load();
  // Functions are told `endpoint`, where this server is reached from this machine.
  void Start(const std::string& endpoint);
  // Functions that are at work use the server: they end before it does.
  void StopFunctions();
  void Stop();  // REQUIRES: StopFunctions was called

  triggers::Triggers& triggers() { return *triggers_; }  // REQUIRES: loaded
  const MemoryWatch& memory_watch() const { return memory_watch_; }

 private:
  Status LoadTriggers();
  void KeepHouse();
  void Expire();

  const ServeOptions& options_;
  Store& store_;
  Gate& gate_;
  Tables& tables_;
  workers::IndexBackfill index_backfill_;
  workers::TtlSetup ttl_setup_;
  workers::TtlSweep ttl_sweep_;
  workers::KinesisWorker kinesis_;
  std::optional<triggers::Triggers> triggers_;  // made by Load, from the trigger files

  MemoryWatch memory_watch_;
  workers::Periodic housekeeping_;
  workers::Periodic indexing_;
  workers::Periodic expiring_;
};

}  // namespace armature::server
