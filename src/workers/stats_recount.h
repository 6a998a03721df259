// StatsRecount: makes item counts and sizes exact again after a crash.
//
// Statistics are kept in memory and stored about once a second, so a crash loses what the last moments added. After
// one, every row of every table and index is counted once, in the background, as of the moment the server started;
// changes made meanwhile are counted as they happen and simply add up. Costs a scan per crash, never anything per
// request. Owned by server/; Run is also what tests call.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "base/result.h"
#include "storage/engine.h"
#include "table/catalog.h"

namespace armature::workers {

class StatsRecount {
 public:
  // Takes the view to count and notes what the statistics say now. REQUIRES: no write has been accepted yet.
  StatsRecount(storage::Engine& engine, const table::Catalog& catalog);

  // Whether there is nothing to count.
  bool empty() const { return targets_.empty(); }

  // Counts everything and corrects the statistics by the difference. Stops early, leaving the rest as it is, when
  // asked.
  Status Run(const std::stop_token& stop);

 private:
  struct Target {
    std::shared_ptr<table::Table> table;
    std::shared_ptr<const table::TableSchema> schema;  // keeps keyspace and stats alive
    const table::Keyspace* keyspace = nullptr;
    const table::PartitionSet* partitions = nullptr;
    table::RowStats* stats = nullptr;
    int64_t noted_items = 0;
    int64_t noted_bytes = 0;
  };
  Status Count(Target& target, const std::stop_token& stop);

  storage::Engine& engine_;
  std::shared_ptr<const storage::Snapshot> snapshot_;
  std::vector<Target> targets_;
};

}  // namespace armature::workers
