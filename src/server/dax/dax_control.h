// DaxControl: which DAX clusters there are, as `aws dax` makes them.
//
// The state of the clusters (Load), and a thread that starts and ends their nodes (Start, Stop): when something was
// changed at once, and now and then again for what had failed. Stands on the Store; the Front asks it, and what runs
// the nodes is DaxNodes.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "dax/control/cluster_book.h"
#include "dax/control/cluster_keeper.h"
#include "server/dax/cluster_records.h"
#include "storage/engine.h"
#include "workers/periodic.h"

namespace armature::server {

class DaxControl {
 public:
  // `delay_millis` is how long changes of clusters take at least. The others must outlive it.
  DaxControl(storage::Engine& engine, const Clock& clock, int64_t delay_millis);

  Status Load();
  // The nodes of all clusters run in `host` once this returns, as far as they can. It outlives Stop. REQUIRES: loaded.
  void Start(dax::control::NodeHost& host);
  // They run no more; what was changed last waits for the next start.
  void Stop();

  dax::control::ClusterBook& book() { return book_; }

 private:
  void Keep();

  ClusterRecords records_;
  dax::control::ClusterBook book_;
  std::optional<dax::control::ClusterKeeper> keeper_;  // made by Start
  workers::Periodic keeping_;
};

}  // namespace armature::server
