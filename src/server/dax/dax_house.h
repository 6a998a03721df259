// DaxHouse: the part of a server that has DAX.
//
// The state of the clusters (Load), and a thread that starts and ends their nodes (Start, Stop): when something was
// changed at once, and now and then again for what had failed. Stands on the Store; the Front asks it.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/result.h"
#include "dax/control/cluster_book.h"
#include "dax/control/cluster_keeper.h"
#include "server/dax/cluster_records.h"
#include "server/dax/port_holder.h"
#include "storage/engine.h"
#include "workers/periodic.h"

namespace armature::server {

class DaxHouse {
 public:
  // `delay_millis` is how long changes of clusters take at least. The others must outlive it.
  DaxHouse(storage::Engine& engine, const Clock& clock, int64_t delay_millis);

  Status Load();
  // The nodes of all clusters run once this returns, as far as they can. REQUIRES: loaded.
  void Start();
  // They run no more; what was changed last waits for the next start.
  void Stop();

  dax::control::ClusterBook& book() { return book_; }

 private:
  void Keep();

  ClusterRecords records_;
  PortHolder host_;
  dax::control::ClusterBook book_;
  dax::control::ClusterKeeper keeper_;
  workers::Periodic keeping_;
};

}  // namespace armature::server
